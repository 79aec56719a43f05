#include "model/checks.h"

#include <cmath>
#include <cstdio>

#include "model/quaternions.h"

namespace stiction {

std::string Part::text() const {
  if (!name.empty()) return std::string(kind) + " '" + name + "'";
  return index < 0 ? kind : std::string(kind) + " " + std::to_string(index);
}

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  return buffer;
}

void refuse(const Part& where, const std::string& what) { throw PartError(where, what); }

void check_finite(const Part& where, const char* what, double value) {
  if (std::abs(value) <= kLargest) return;
  refuse(where, std::string(what) + " is " + text(value) + ", expected " +
                    (std::isfinite(value) ? kLargestText : "a finite number"));
}

void check_finite(const Part& where, const char* what,
                  const Eigen::Ref<const Eigen::VectorXd>& values) {
  for (const double value : values) check_finite(where, what, value);
}

void check_not_negative(const Part& where, const char* what, double value) {
  check_finite(where, what, value);
  if (value < 0) refuse(where, std::string(what) + " is " + text(value) + ", expected >= 0");
}

void check_share(const Part& where, const char* what, double value) {
  check_finite(where, what, value);
  if (value < 0 || value > 1) {
    refuse(where, std::string(what) + " is " + text(value) + ", expected 0 to 1");
  }
}

void check_positive(const Part& where, const char* what, double value) {
  check_finite(where, what, value);
  if (value <= 0) refuse(where, std::string(what) + " is " + text(value) + ", expected > 0");
}

void check_range(const Part& where, const char* what, const Range& range) {
  const std::string given =
      std::string(what) + " is [" + text(range.lower) + ", " + text(range.upper) + "], expected ";
  if (!(range.lower <= range.upper)) refuse(where, given + "lower <= upper");  // true for NaN, too
  if (range.lower == kInfinity || range.upper == -kInfinity) {
    refuse(where, given + "finite numbers in it");
  }
}

void check_pose(const Part& where, const Pose& pose) {
  check_finite(where, "position", pose.p);
  check_finite(where, "quaternion", pose.q.coeffs());
  if (!is_nearly_unit(pose.q)) {
    refuse(where, "quaternion has norm " + text(pose.q.norm()) + ", expected 1");
  }
}

void check_index(const Part& where, const char* what, int index, size_t count) {
  if (index < 0 || index >= static_cast<int>(count)) {
    refuse(where, std::string(what) + " " + std::to_string(index) + " does not exist, there are " +
                      std::to_string(count));
  }
}

void check_optional_index(const Part& where, const char* what, int index, size_t count) {
  if (index != -1) check_index(where, what, index, count);
}

}  // namespace stiction
