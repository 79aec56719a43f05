#include "contact/surrogate.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kLineSearchEvaluations = 40;
constexpr double kLongestStep = 16;

}  // namespace

Surrogate::Surrogate(const Problem& problem, const DynamicsFactor& factor)
    : lambda_prev(VectorXd::Zero(problem.n_c())),
      beta(VectorXd::Ones(static_cast<int>(problem.constraints.size()))),
      R(VectorXd::Zero(beta.size())),
      v(VectorXd::Zero(problem.n())),
      Jv(lambda_prev),
      lambda(lambda_prev),
      r(v),
      problem_(problem),
      factor_(factor),
      K_(problem),
      D_(problem.constraints.size(), Matrix3d::Zero()),
      e_(problem.e),
      Av_(v),
      d_(v),
      Ad_(v),
      Jd_(Jv),
      s_(Jv),
      softened_(beta),
      Jv_of_lambda_(Jv),
      scratch_(v),
      V_(Matrix6Xd::Zero(6, problem.bodies.size())),
      W_(V_) {}

void Surrogate::update() {
  multiply_A(problem_, v, V_, W_, Av_);
  multiply_J(problem_, v, V_, Jv);
  update_impulses();
}

// lambda = T(s) and r, from Jv and Av.
void Surrogate::update_impulses() {
  for (int i = 0; i < beta.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d s = argument(i, constraint, rows_of(constraint, Jv));
    set_rows(constraint,
             apply_operator(constraint, law, softened_beta(i), rows_of(constraint, e_), s), lambda);
  }
  r = Av_ - problem_.b;
  scratch_.setZero();
  add_J_transposed(problem_, lambda, W_, scratch_);
  r -= scratch_;  // [TRO25] (20), (22)
}

void Surrogate::lagged_term(VectorXd& p) const {
  for (int i = 0; i < beta.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    if (constraint.type != ConstraintType::kContact) continue;
    const Vector3d change = rows_of(constraint, lambda) - rows_of(constraint, lambda_prev);
    const Vector3d z = rows_of(constraint, Jv) + change / beta[i];
    const Vector3d u = z + rows_of(constraint, problem_.e) + R[i] * rows_of(constraint, lambda);
    p[i] = constraint.mu * std::hypot(u[0], u[1]);
  }
}

void Surrogate::set_lagged_term(const VectorXd& p) {
  e_ = problem_.e;
  for (int i = 0; i < p.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    if (constraint.type == ConstraintType::kContact) e_[constraint.row_begin + 2] += p[i];
  }
}

bool Surrogate::newton_direction(double coupling) {
  for (int i = 0; i < beta.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const double beta_i = softened_beta(i);
    apply_operator(constraint, law, beta_i, rows_of(constraint, e_),
                   argument(i, constraint, rows_of(constraint, Jv)), D_[i]);
    D_[i] *= beta_i;
    if (law == ContactLaw::kStrict) D_[i].topRightCorner<2, 1>() *= coupling;
  }
  K_.assemble(D_);  // [TRO25] (25)
  if (!K_.factorize(law == ContactLaw::kStrict ? Factorization::kLu : Factorization::kCholesky)) {
    return false;
  }
  d_ = -r;
  K_.solve_in_place(d_);  // (26)
  multiply_A(problem_, d_, V_, W_, Ad_);
  multiply_J(problem_, d_, V_, Jd_);
  prepare_slope();
  return d_.allFinite();
}

// What of phi' does not depend on alpha: the smooth part, and s(alpha) = s_ - alpha beta J d.
void Surrogate::prepare_slope() {
  smooth_.derivative = d_.dot(Ad_);
  smooth_.value = d_.dot(Av_) - d_.dot(problem_.b);
  for (int i = 0; i < beta.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    set_rows(constraint, argument(i, constraint, rows_of(constraint, Jv)), s_);
    softened_[i] = softened_beta(i);
  }
}

Slope Surrogate::slope(double alpha) const {
  Slope slope = smooth_;
  slope.value += alpha * smooth_.derivative;
  for (int i = 0; i < beta.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const double beta_i = softened_[i];
    const Vector3d Jd = rows_of(constraint, Jd_);
    const Vector3d s = rows_of(constraint, s_) - (alpha * beta_i) * Jd;
    const AlongDirection along =
        operator_along(constraint, law, beta_i, rows_of(constraint, e_), s, Jd);
    slope.value -= along.value;
    slope.derivative += beta_i * along.derivative;
  }
  return slope;
}

void Surrogate::step(double alpha) {
  v += alpha * d_;
  Jv += alpha * Jd_;
  Av_ += alpha * Ad_;
  update_impulses();
}

double Surrogate::velocity_defect() {
  scratch_ = r;
  factor_.solve_in_place(scratch_);
  multiply_J(problem_, scratch_, V_, Jv_of_lambda_);
  const double defect =
      Jv_of_lambda_.norm() / std::max<double>(1, static_cast<double>(beta.size()));
  Jv_of_lambda_ = Jv - Jv_of_lambda_;
  for (int i = 0; i < beta.size(); ++i) {
    if (R[i] == 0) continue;
    const Constraint& constraint = problem_.constraints[i];
    set_rows(constraint, rows_of(constraint, Jv_of_lambda_) + R[i] * rows_of(constraint, lambda),
             Jv_of_lambda_);
  }
  return defect;
}

double exact_line_search(const Surrogate& surrogate, double slope, double tolerance) {
  double low = 0;  // phi'(low) < 0 < phi'(high); high = 0 while unknown
  double high = 0;
  double alpha = 1;
  for (int k = 0; k < kLineSearchEvaluations; ++k) {
    const Slope at = surrogate.slope(alpha);
    if (!(std::abs(at.value) > tolerance * std::abs(slope))) break;
    (at.value < 0 ? low : high) = alpha;
    const double newton = alpha - at.value / at.derivative;
    if (high > 0) {
      alpha = newton > low && newton < high ? newton : 0.5 * (low + high);
    } else if (alpha < kLongestStep) {
      alpha = std::min(std::max(newton, 2 * alpha), kLongestStep);
    } else {
      break;
    }
  }
  return alpha;
}

}  // namespace stiction
