// A 1 kg box on a slope of 20 degrees, below its friction angle of 26.57: it does not move.
#include <cmath>

#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_slope() {
  ModelBuilder builder("slope");
  const double angle = 20 * M_PI / 180;
  builder.options().gravity = 9.81 * Eigen::Vector3d(std::sin(angle), 0, -std::cos(angle));
  add_floor(builder, 0.5);
  add_free_part(builder, {.name = "box", .shape = Box{{0.1, 0.1, 0.1}}, .p = {0, 0, 0.1}});
  return builder.build();
}

}  // namespace stiction
