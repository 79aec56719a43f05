#include "contact/surrogate.h"

#include <cmath>

namespace stiction {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

Surrogate::Surrogate(const Problem& problem, const DynamicsFactor& factor)
    : lambda_prev(VectorXd::Zero(problem.n_c())),
      beta(VectorXd::Ones(static_cast<int>(problem.constraints.size()))),
      e(problem.e),
      v(VectorXd::Zero(problem.n())),
      Jv(VectorXd::Zero(problem.n_c())),
      lambda(Jv),
      r(v),
      problem_(problem),
      factor_(factor),
      K_(problem),
      D_(problem.constraints.size(), Matrix3d::Zero()),
      Av_(v),
      d_(v),
      Ad_(v),
      Jd_(Jv),
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
    const Vector3d e_i = rows_of(constraint, e);
    const Vector3d s = rows_of(constraint, lambda_prev) - beta[i] * (rows_of(constraint, Jv) + e_i);
    set_rows(constraint, apply_operator(constraint, law, beta[i], e_i, s), lambda);
  }
  r.setZero();
  add_J_transposed(problem_, lambda, W_, r);
  r = Av_ - problem_.b - r;  // (20), (22)
}

bool Surrogate::newton_direction() {
  for (int i = 0; i < beta.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d e_i = rows_of(constraint, e);
    const Vector3d s = rows_of(constraint, lambda_prev) - beta[i] * (rows_of(constraint, Jv) + e_i);
    apply_operator(constraint, law, beta[i], e_i, s, D_[i]);
    D_[i] *= beta[i];
  }
  K_.assemble(D_);  // (25)
  if (!K_.factorize(law == ContactLaw::kStrict ? Factorization::kLu : Factorization::kCholesky)) {
    return false;
  }
  chord_direction();
  return d_.allFinite();
}

void Surrogate::chord_direction() {
  d_ = -r;
  K_.solve_in_place(d_);  // (26)
  multiply_A(problem_, d_, V_, W_, Ad_);
  multiply_J(problem_, d_, V_, Jd_);
}

Slope Surrogate::slope(double alpha) const {
  Slope slope;
  slope.derivative = d_.dot(Ad_);
  slope.value = d_.dot(Av_ - problem_.b) + alpha * slope.derivative;
  Matrix3d dT;
  for (int i = 0; i < beta.size(); ++i) {
    const Constraint& constraint = problem_.constraints[i];
    const Vector3d e_i = rows_of(constraint, e);
    const Vector3d Jd = rows_of(constraint, Jd_);
    const Vector3d s =
        rows_of(constraint, lambda_prev) - beta[i] * (rows_of(constraint, Jv) + alpha * Jd + e_i);
    slope.value -= Jd.dot(apply_operator(constraint, law, beta[i], e_i, s, dT));
    slope.derivative += beta[i] * Jd.dot(dT * Jd);
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
  return defect;
}

}  // namespace stiction
