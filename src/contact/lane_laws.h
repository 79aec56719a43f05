// Laws of contacts on all lanes at once: project_strict of operators.h, and one_contact.h.
#pragma once

#include <limits>

#include "math/lanes.h"

namespace stiction {

inline void project_strict(Lanes mu, const Lanes s[3], Lanes lambda[3]) {
  const Lanes lambda_n = max_of(s[2], all_lanes(0));
  const Lanes s_t =
      max_of(sqrt_of(s[0] * s[0] + s[1] * s[1]), all_lanes(std::numeric_limits<double>::min()));
  const Lanes clip = min_of(mu * lambda_n / s_t, all_lanes(1));
  lambda[0] = clip * s[0];
  lambda[1] = clip * s[1];
  lambda[2] = lambda_n;
}

/// A contact per lane, each alone, as `OneContact`. Unused lanes have W = I, and u_free = 0.
class ContactLanes {
 public:
  /// The lower half of W, by rows.
  ContactLanes(const Lanes W[6], Lanes mu);

  /// From u and lambda as they are to the lambda that satisfies the law.
  void solve(const Lanes u[3], Lanes lambda[3]);

 private:
  Lanes slip_scale(Lanes u_n, const Lanes r[2], const Lanes x_0[2], Lanes y_0, LaneMask slips);

  Lanes W_[6];
  Lanes S_00_, S_01_, S_11_, trace_, determinant_, over_determinant_;
  Lanes w_[2], over_W_nn_;
  Lanes mu_;
  Lanes gamma_ = {};
};

}  // namespace stiction
