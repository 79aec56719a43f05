#include "contact/lane_laws.h"

#include "contact/one_contact.h"

namespace stiction {
namespace {

constexpr int at(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

}  // namespace

ContactLanes::ContactLanes(const Lanes W[6], Lanes mu) : mu_(mu) {
  for (int k = 0; k < 6; ++k) W_[k] = W[k];
  over_W_nn_ = 1 / W[at(2, 2)];
  for (int r = 0; r < 2; ++r) w_[r] = over_W_nn_ * W[at(2, r)];
  S_00_ = W[at(0, 0)] - W[at(2, 0)] * w_[0];
  S_01_ = W[at(1, 0)] - W[at(2, 0)] * w_[1];
  S_11_ = W[at(1, 1)] - W[at(2, 1)] * w_[1];
  trace_ = S_00_ + S_11_;
  determinant_ = S_00_ * S_11_ - S_01_ * S_01_;
  over_determinant_ = 1 / determinant_;
}

void ContactLanes::solve(const Lanes u[3], Lanes lambda[3]) {
  Lanes u_free[3];
  for (int r = 0; r < 3; ++r) {
    u_free[r] =
        u[r] - W_[at(r, 0)] * lambda[0] - W_[at(r, 1)] * lambda[1] - W_[at(r, 2)] * lambda[2];
  }
  const Lanes u_n = over_W_nn_ * u_free[2];
  const Lanes r[2] = {u_free[0] - W_[at(2, 0)] * u_n, u_free[1] - W_[at(2, 1)] * u_n};
  const Lanes x_0[2] = {S_01_ * r[1] - S_11_ * r[0], S_01_ * r[0] - S_00_ * r[1]};
  const Lanes y_0 = -u_n * determinant_ - w_[0] * x_0[0] - w_[1] * x_0[1];
  const LaneMask opens = u_free[2] >= 0;
  const Lanes limit = mu_ * y_0;
  const LaneMask sticks = (y_0 >= 0) & (x_0[0] * x_0[0] + x_0[1] * x_0[1] <= limit * limit);
  const LaneMask slips = ~(opens | sticks) & (mu_ > 0);
  lambda[0] = over_determinant_ * x_0[0];
  lambda[1] = over_determinant_ * x_0[1];
  lambda[2] = over_determinant_ * y_0;
  if (any_of(slips)) {
    const Lanes gamma = slip_scale(u_n, r, x_0, y_0, slips);
    const Lanes x[2] = {x_0[0] - gamma * r[0], x_0[1] - gamma * r[1]};
    const Lanes y = -u_n * (determinant_ + gamma * (trace_ + gamma)) - w_[0] * x[0] - w_[1] * x[1];
    const Lanes lambda_n = y / (determinant_ + gamma * (trace_ + gamma));
    const Lanes clip = mu_ * lambda_n / sqrt_of(x[0] * x[0] + x[1] * x[1]);
    lambda[0] = slips ? clip * x[0] : lambda[0];
    lambda[1] = slips ? clip * x[1] : lambda[1];
    lambda[2] = slips ? lambda_n : lambda[2];
  }
  const LaneMask frictionless = (mu_ == 0) & ~opens;
  for (int k = 0; k < 3; ++k) {
    lambda[k] = frictionless ? (k < 2 ? Lanes{} : -u_n) : lambda[k];
    lambda[k] = opens ? Lanes{} : lambda[k];
  }
}

// The root gamma of G, see OneContact::solve, where the contact slips.
Lanes ContactLanes::slip_scale(Lanes u_n, const Lanes r[2], const Lanes x_0[2], Lanes y_0,
                               LaneMask slips) {
  const Lanes mu2 = mu_ * mu_;
  const Lanes y_1 = w_[0] * r[0] + w_[1] * r[1] - u_n * trace_;
  Lanes low = {};
  Lanes high = all_lanes(std::numeric_limits<double>::infinity());
  Lanes gamma = gamma_ > 0 ? gamma_ : trace_;
  LaneMask searches = slips;
  for (int k = 0; k < OneContact::kNewtonSteps && any_of(searches); ++k) {
    const Lanes x[2] = {x_0[0] - gamma * r[0], x_0[1] - gamma * r[1]};
    const Lanes y = y_0 + gamma * (y_1 - gamma * u_n);
    const Lanes G = x[0] * x[0] + x[1] * x[1] - mu2 * y * y;
    const Lanes half_slope = -(x[0] * r[0] + x[1] * r[1] + mu2 * y * (y_1 - 2 * gamma * u_n));
    const LaneMask is_low = (G > 0) | (y < 0);
    low = is_low ? gamma : low;
    high = is_low ? high : gamma;
    const Lanes step = -0.5 * G / half_slope;
    const Lanes next = gamma + step;
    const LaneMask inside = (next > low) & (next < high);
    const Lanes elsewhere =
        high < std::numeric_limits<double>::infinity() ? 0.5 * (low + high) : 4 * gamma + trace_;
    gamma = searches ? (inside ? next : elsewhere) : gamma;
    const Lanes size = max_of(step, -step);
    searches &= ~(inside & (size <= OneContact::kQuadratic * gamma));
  }
  gamma_ = slips ? gamma : gamma_;
  return gamma;
}

}  // namespace stiction
