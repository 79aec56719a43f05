#include "contact/strict_surrogate.h"

#include <algorithm>
#include <cmath>

#include "contact/jacobian.h"
#include "contact/operators.h"

namespace stiction {

using Eigen::Vector3d;
using Eigen::VectorXd;

StrictSurrogate::StrictSurrogate(const Problem& problem, const DynamicsFactor& factor,
                                 const VectorXd& masses)
    : problem_(problem),
      factor_(factor),
      m_(masses),
      matrix_(problem),
      multiplier_(VectorXd::Zero(problem.n_c())),
      Jv_(multiplier_),
      r_(VectorXd::Zero(problem.n())),
      y_(r_),
      lambda_(multiplier_),
      Jx_(multiplier_),
      D_(problem.constraints.size()),
      V_(Matrix6Xd::Zero(6, problem.bodies.size())),
      W_(V_) {}

void StrictSurrogate::set(const VectorXd& multiplier, double s) {
  multiplier_ = multiplier;
  s_ = s;
}

double StrictSurrogate::evaluate(const VectorXd& v) {
  multiply_J(problem_, v, V_, Jv_);
  for (int i = 0; i < m_.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d e = rows_of(constraint, problem_.e);
    const double beta = s_ * m_[i];
    const Vector3d s = rows_of(constraint, multiplier_) - beta * (rows_of(constraint, Jv_) + e);
    set_rows(constraint, apply_operator(constraint, ContactLaw::kStrict, beta, e, s, D_[i]),
             lambda_);
    D_[i] *= beta;
  }
  y_.setZero();
  add_J_transposed(problem_, lambda_, W_, y_);
  multiply_A(v, r_);
  r_ -= problem_.b + y_;  // (20)
  y_ = r_;
  solve_A(y_);
  return 0.5 * r_.dot(y_);
}

bool StrictSurrogate::linearise() {
  matrix_.assemble(D_);
  return matrix_.factorize(Factorization::kLu);
}

double StrictSurrogate::velocity_error() {
  multiply_J(problem_, y_, V_, Jx_);
  return Jx_.norm() / std::max<double>(1, static_cast<double>(m_.size()));
}

void StrictSurrogate::multiply_A(const VectorXd& x, VectorXd& out) {
  stiction::multiply_A(problem_, x, V_, W_, out);
}

void StrictSurrogate::multiply(const VectorXd& x, bool transposed, VectorXd& out) {
  multiply_J(problem_, x, V_, Jx_);
  for (int i = 0; i < m_.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d Jx = rows_of(constraint, Jx_);
    set_rows(constraint, transposed ? Vector3d(D_[i].transpose() * Jx) : Vector3d(D_[i] * Jx), Jx_);
  }
  multiply_A(x, out);
  add_J_transposed(problem_, Jx_, W_, out);
}

void solve_strict_outer(const Problem& problem, const DynamicsFactor& factor,
                        const StrictOuterOptions& options, const StrictInner& inner,
                        const Start& start, Monitor& monitor) {
  const VectorXd& m = monitor.evaluator().masses();
  StrictSurrogate surrogate(problem, factor, m);
  VectorXd lambda = start.lambda;
  VectorXd change(lambda.size());
  VectorXd v = start.v;
  double s = options.s;
  double previous = std::numeric_limits<double>::infinity();
  int steps = 0;
  for (int loop = 0;; ++loop) {
    if (monitor.should_stop(lambda, loop, steps)) return;
    surrogate.set(lambda, s);
    const double tolerance =
        options.inner_share * std::max(monitor.residual(), monitor.tolerance());
    int iterations = 0;
    const bool solved = inner(surrogate, tolerance, options.inner_iterations, v, iterations);
    steps += iterations;
    if (!solved) monitor.count_failed_loop();
    change = surrogate.lambda() - lambda;
    lambda = surrogate.lambda();  // (13)
    double moved = 0;             // |J v - z| = |change / beta|, without the common 1 / s
    for (int i = 0; i < m.size(); ++i) {
      moved += rows_of(problem.constraints[i], change).squaredNorm() / (m[i] * m[i]);
    }
    moved = std::sqrt(moved) / s;
    if (!solved) {
      s /= options.kappa;  // the same again would fail again
    } else if (moved > options.zeta * previous) {
      s = std::min(options.kappa * s, options.s_max);  // (28)
    }
    previous = moved;
  }
}

}  // namespace stiction
