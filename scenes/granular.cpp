// 216 spheres of 1 cm poured into a box.
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_granular() {
  ModelBuilder builder("granular");
  add_floor(builder, 0.5);
  constexpr double kHalf = 0.08;
  constexpr double kWall = 0.01;
  const auto add_wall = [&](const char* name, double x, double y) {
    const Eigen::Vector3d half(x == 0 ? kHalf + 2 * kWall : kWall,
                               y == 0 ? kHalf + 2 * kWall : kWall, 0.15);
    add_static_part(builder, {.name = name,
                              .shape = Box{half},
                              .p = {x * (kHalf + kWall), y * (kHalf + kWall), 0.15},
                              .rgba = {0.7, 0.7, 0.7, 0.3}});
  };
  add_wall("wall_east", 1, 0);
  add_wall("wall_west", -1, 0);
  add_wall("wall_north", 0, 1);
  add_wall("wall_south", 0, -1);
  constexpr double kRadius = 0.01;
  for (int k = 0; k < 216; ++k) {
    const int x = k % 6, y = k / 6 % 6, z = k / 36;
    const double shift = z % 2 == 0 ? 0.001 : -0.001;  // no column stands on another by chance
    add_free_part(builder,
                  {.name = "ball" + std::to_string(k),
                   .shape = Sphere{kRadius},
                   .p = {(x - 2.5) * 0.024 + shift, (y - 2.5) * 0.024 - shift, 0.02 + 0.024 * z},
                   .mass = 0.01});
  }
  return builder.build();
}

}  // namespace stiction
