#include "contact/trdogleg.h"

#include <cmath>

namespace stiction {
namespace {

using Eigen::VectorXd;

// Newton and Cauchy points of one linearisation, and the path between them.
class Dogleg {
 public:
  explicit Dogleg(int n) : p_N_(n), p_C_(n), g_(n), scratch_(n) {}

  // With a singular M the path ends at the Cauchy point.
  void update(StrictSurrogate& surrogate, bool regular);
  // The point of the path at distance min(radius, end).
  void step(StrictSurrogate& surrogate, double radius, VectorXd& p);
  // |r|^2 / 2 - m(p).
  double predicted(StrictSurrogate& surrogate, const VectorXd& p);
  double end_distance() const { return end_; }

 private:
  double inner_A(StrictSurrogate& surrogate, const VectorXd& a, const VectorXd& b) {
    surrogate.multiply_A(b, scratch_);
    return a.dot(scratch_);
  }

  VectorXd p_N_;
  VectorXd p_C_;
  VectorXd g_;
  VectorXd scratch_;
  double cauchy_ = 0;  // distances
  double end_ = 0;
};

void Dogleg::update(StrictSurrogate& surrogate, bool regular) {
  surrogate.multiply_M_transposed(surrogate.A_inverse_r(), g_);
  p_C_ = g_;
  surrogate.solve_A(p_C_);
  const double slope = g_.dot(p_C_);
  surrogate.multiply_M(p_C_, g_);
  scratch_ = g_;
  surrogate.solve_A(scratch_);
  p_C_ *= -slope / g_.dot(scratch_);
  cauchy_ = std::sqrt(inner_A(surrogate, p_C_, p_C_));
  p_N_ = p_C_;
  if (regular) {
    p_N_ = -surrogate.r();
    surrogate.solve_newton(p_N_);
  }
  end_ = std::sqrt(inner_A(surrogate, p_N_, p_N_));
}

void Dogleg::step(StrictSurrogate& surrogate, double radius, VectorXd& p) {
  if (radius >= end_) {
    p = p_N_;
  } else if (radius <= cauchy_) {
    p = (radius / cauchy_) * p_C_;
  } else {  // |p_C + t (p_N - p_C)| = radius
    p = p_N_ - p_C_;
    const double a = inner_A(surrogate, p, p);
    const double b = inner_A(surrogate, p_C_, p);
    const double c = cauchy_ * cauchy_ - radius * radius;
    const double t = -c / (b + std::sqrt(b * b - a * c));
    p = p_C_ + t * p;
  }
}

double Dogleg::predicted(StrictSurrogate& surrogate, const VectorXd& p) {
  surrogate.multiply_M(p, g_);
  scratch_ = g_;
  surrogate.solve_A(scratch_);
  return -g_.dot(surrogate.A_inverse_r()) - 0.5 * g_.dot(scratch_);
}

}  // namespace

void solve_trdogleg(const Problem& problem, const DynamicsFactor& factor,
                    const TrDoglegOptions& options, const Start& start, Monitor& monitor) {
  Dogleg dogleg(problem.n());
  VectorXd p(problem.n());
  VectorXd trial(problem.n());
  const StrictInner trust_region = [&](StrictSurrogate& surrogate, double tolerance,
                                       int max_iterations, VectorXd& v, int& iterations) {
    double merit = surrogate.evaluate(v);
    double radius = -1;
    double first_radius = 0;
    for (; surrogate.velocity_error() > tolerance; ++iterations) {
      if (iterations >= max_iterations || monitor.out_of_time()) return false;
      dogleg.update(surrogate, surrogate.linearise());
      if (radius < 0) radius = first_radius = dogleg.end_distance();
      for (bool taken = false; !taken;) {
        dogleg.step(surrogate, radius, p);
        const double reach = std::min(radius, dogleg.end_distance());
        const double predicted = dogleg.predicted(surrogate, p);
        trial = v + p;
        const double after = surrogate.evaluate(trial);
        const double rho = (merit - after) / predicted;
        taken = rho > options.eta;
        if (!(rho >= 0.25)) {
          radius = 0.25 * reach;
        } else if (rho > 0.75 && reach >= radius) {
          radius *= 2;
        }
        if (taken) {
          merit = after;
          v = trial;
        } else {
          surrogate.evaluate(v);
          if (!(radius > options.least_radius * first_radius)) return false;
        }
      }
    }
    return true;
  };
  solve_strict_outer(problem, factor, options, trust_region, start, monitor);
}

}  // namespace stiction
