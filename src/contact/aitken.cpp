#include "contact/aitken.h"

#include <algorithm>
#include <cmath>

namespace stiction {

void Aitken::extrapolate(Eigen::VectorXd& x) {
  if (calls_ % 3 == 2) {
    for (int i = 0; i < x.size(); ++i) {
      const double newer = x[i] - x1_[i];
      const double older = x1_[i] - x2_[i];
      const double q = older != 0 ? newer / older : 0;
      if (q > -1.2 && q < 0.95) x[i] = std::max(x[i] + newer * q / (1 - q), 0.0);
    }
  }
  x2_ = x1_;
  x1_ = x;
  ++calls_;
}

}  // namespace stiction
