#include "contact/nnewton.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "contact/delassus.h"
#include "contact/fischer_burmeister.h"
#include "contact/jacobian.h"
#include "contact/newton_matrix.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

class NNewton {
 public:
  NNewton(const Problem& problem, const DynamicsFactor& factor, const VectorXd& m,
          const VectorXd& lambda)
      : problem_(problem),
        factor_(factor),
        scale_(row_scales(problem, m)),
        matrix_(problem),
        fb_(m.size()),
        D_(m.size()),
        lambda_(lambda),
        q_(lambda.size()),
        direction_(VectorXd::Zero(lambda.size())),
        dq_(direction_),
        phi_(direction_),
        dv_(problem.n()),
        V_(Matrix6Xd::Zero(6, problem.bodies.size())) {
    q_ = scaled_free_velocity(problem, factor, scale_) + response(lambda_);
  }

  const VectorXd& lambda() const { return lambda_; }

  // sum |Phi|^2 / 2 at lambda + alpha direction.
  double merit(double alpha, double tau) const;
  // Phi and its derivatives at lambda; returns the merit.
  double linearise(double tau);
  // Newton's direction in lambda; false if its matrix is singular.
  bool find_newton(double eps);
  // The descent direction of the merit, as long as its quadratic model asks for.
  void find_gradient();
  // d merit / d alpha at alpha = 0.
  double slope() const;
  void advance(double alpha) {
    lambda_ += alpha * direction_;
    q_ += alpha * dq_;
  }

 private:
  // sqrt(m) J A^-1 J^T x.
  const VectorXd& response(const VectorXd& x) {
    dv_.setZero();
    add_J_transposed(problem_, x, V_, dv_);
    factor_.solve_in_place(dv_);
    multiply_J(problem_, dv_, V_, dq_);
    dq_.array() *= scale_.array();
    return dq_;
  }
  double root_mass(const Constraint& constraint) const { return scale_[constraint.row_begin]; }
  int count() const { return static_cast<int>(fb_.size()); }

  const Problem& problem_;
  const DynamicsFactor& factor_;
  VectorXd scale_;
  NewtonMatrix matrix_;
  std::vector<FbValue> fb_;
  std::vector<Matrix3d> D_;
  VectorXd lambda_;
  VectorXd q_;
  VectorXd direction_;
  VectorXd dq_;  // of the direction
  VectorXd phi_;
  VectorXd dv_;
  Matrix6Xd V_;
};

double NNewton::merit(double alpha, double tau) const {
  double sum = 0;
  for (int i = 0; i < count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d lambda = rows_of(constraint, lambda_) + alpha * rows_of(constraint, direction_);
    const Vector3d q = rows_of(constraint, q_) + alpha * rows_of(constraint, dq_);
    const double scale = root_mass(constraint);
    sum += fischer_burmeister_phi(constraint, scale, rows_of(constraint, problem_.e), tau,
                                  lambda / scale, q)
               .squaredNorm();
  }
  return 0.5 * sum;
}

double NNewton::linearise(double tau) {
  double sum = 0;
  for (int i = 0; i < count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const double scale = root_mass(constraint);
    fb_[i] = fischer_burmeister(constraint, scale, rows_of(constraint, problem_.e), tau,
                                rows_of(constraint, lambda_) / scale, rows_of(constraint, q_));
    sum += fb_[i].phi.squaredNorm();
  }
  return 0.5 * sum;
}

bool NNewton::find_newton(double eps) {
  for (int i = 0; i < count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Matrix3d inverse = (fb_[i].P + eps * Matrix3d::Identity()).inverse();
    const double scale = root_mass(constraint);
    D_[i] = scale * scale * inverse * fb_[i].Q;
    set_rows(constraint, -scale * inverse * fb_[i].phi, phi_);
  }
  matrix_.assemble(D_);
  if (!matrix_.factorize(Factorization::kLu)) return false;
  dv_.setZero();
  add_J_transposed(problem_, phi_, V_, dv_);
  matrix_.solve_in_place(dv_);
  multiply_J(problem_, dv_, V_, dq_);
  for (int i = 0; i < count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    set_rows(constraint, rows_of(constraint, phi_) - D_[i] * rows_of(constraint, dq_), direction_);
  }
  response(direction_);
  return direction_.allFinite();
}

void NNewton::find_gradient() {
  for (int i = 0; i < count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    set_rows(constraint, root_mass(constraint) * fb_[i].Q.transpose() * fb_[i].phi, phi_);
  }
  response(phi_);
  for (int i = 0; i < count(); ++i) {  // by p, then lambda = sqrt(m) p
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d g = fb_[i].P.transpose() * fb_[i].phi + rows_of(constraint, dq_);
    set_rows(constraint, -root_mass(constraint) * g, direction_);
  }
  response(direction_);
  double curvature = 0;
  for (int i = 0; i < count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d dp = rows_of(constraint, direction_) / root_mass(constraint);
    curvature += (fb_[i].P * dp + fb_[i].Q * rows_of(constraint, dq_)).squaredNorm();
  }
  const double length = curvature > 0 ? -slope() / curvature : 0;
  direction_ *= length;
  dq_ *= length;
}

double NNewton::slope() const {
  double sum = 0;
  for (int i = 0; i < count(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d dp = rows_of(constraint, direction_) / root_mass(constraint);
    sum += fb_[i].phi.dot(fb_[i].P * dp + fb_[i].Q * rows_of(constraint, dq_));
  }
  return sum;
}

}  // namespace

void solve_nnewton(const Problem& problem, const DynamicsFactor& factor,
                   const NNewtonOptions& options, const Start& start, Monitor& monitor) {
  NNewton newton(problem, factor, monitor.evaluator().masses(), start.lambda);
  const double rows = std::max(1, problem.n_c());
  std::vector<double> recent(options.memory, 0);
  const auto root_mean_square = [rows](double merit) { return std::sqrt(2 * merit / rows); };
  double tau = options.tau * root_mean_square(newton.merit(0, 0));
  double residual_prev = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    if (monitor.should_stop(newton.lambda(), iteration, iteration)) return;
    const bool slow = monitor.residual() > options.slow * residual_prev;
    if (slow && monitor.residual() < options.enough) return;
    residual_prev = monitor.residual();
    double merit = newton.linearise(tau);
    recent[iteration % options.memory] = merit;
    const double reference = *std::max_element(recent.begin(), recent.end());
    const auto line_search = [&] {
      const double slope = newton.slope();
      for (double alpha = 1; alpha > options.alpha_min; alpha *= 0.5) {
        merit = newton.merit(alpha, tau);
        if (merit <= reference + options.armijo * alpha * std::min(slope, 0.0)) {
          newton.advance(alpha);
          return true;
        }
      }
      return false;
    };
    const bool moved = newton.find_newton(options.eps) && line_search();
    if (!moved) {
      newton.find_gradient();
      if (!line_search()) {
        monitor.set_status(Status::kStalled);
        return;
      }
    }
    if (root_mean_square(merit) < tau) tau *= options.tau_cut;
    tau = std::min(tau, options.tau * root_mean_square(newton.merit(0, 0)));
  }
}

}  // namespace stiction
