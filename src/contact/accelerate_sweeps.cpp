#include "contact/accelerate_sweeps.h"

#include <cmath>

namespace stiction {
namespace {

using Eigen::VectorXd;

constexpr int kMemory = 5;
constexpr double kGrowth = 2;

// Eigen's own roots are approximate in packets and exact beside them, so that bits would depend on
// where the vector lies.
VectorXd roots(VectorXd x) {
  for (double& x_k : x) x_k = std::sqrt(x_k);
  return x;
}

double squared_norm(const VectorXd& x) { return ordered_dot(x.data(), x.data(), x.size()); }

}  // namespace

ConjugateSweeps::ConjugateSweeps(const VectorXd& weights, int width)
    : weights_(weights),
      lambda_before_(VectorXd::Zero(weights.size())),
      w_before_(VectorXd::Zero(width)),
      p_(lambda_before_),
      p_w_(w_before_) {}

void ConjugateSweeps::before(const VectorXd& lambda, const VectorXd& w) {
  lambda_before_ = lambda;
  w_before_ = w;
}

void ConjugateSweeps::after(double enough, VectorXd& lambda, VectorXd& w) {
  lambda_before_ = lambda - lambda_before_;  // from here on, the changes
  w_before_ = w - w_before_;
  const double norm = lambda_before_.dot(weights_.cwiseProduct(lambda_before_));
  change_ = weights_.cwiseProduct(lambda_before_).norm();
  const double c = norm_before_ > 0 ? norm / norm_before_ : 2;
  norm_before_ = norm;
  if (c > 1 || change_ <= enough) {
    p_.setZero();
    p_w_.setZero();
    return;
  }
  lambda += c * p_;
  w += c * p_w_;
  p_ = c * p_ + lambda_before_;
  p_w_ = c * p_w_ + w_before_;
}

AndersonSweeps::AndersonSweeps(const VectorXd& weights, int width)
    : root_weights_(roots(weights)),
      lambda_before_(weights.size()),
      f_(weights.size()),
      fit_(static_cast<int>(weights.size()), kMemory),
      lambda_swept_(weights.size()),
      w_swept_(width),
      d_lambda_(weights.size(), kMemory),
      d_w_(width, kMemory) {}

void AndersonSweeps::after(double enough, VectorXd& lambda, VectorXd& w) {
  f_ = root_weights_.cwiseProduct(lambda - lambda_before_);
  lambda_before_ = root_weights_.cwiseProduct(f_);  // from here on, scratch
  change_ = std::sqrt(squared_norm(lambda_before_));
  if (change_ <= enough) {
    fit_.forget();
    return;
  }
  const double norm = squared_norm(f_);
  if (norm > kGrowth * kGrowth * norm_before_) fit_.forget();
  norm_before_ = norm;
  const bool combines = fit_.add(f_);
  if (fit_.newest() >= 0) {
    d_lambda_.col(fit_.newest()) = lambda - lambda_swept_;
    d_w_.col(fit_.newest()) = w - w_swept_;
  }
  lambda_swept_ = lambda;
  w_swept_ = w;
  if (!combines) return;
  fit_.subtract_from(lambda, d_lambda_);
  fit_.subtract_from(w, d_w_);
}

}  // namespace stiction
