// Ten cubes of 0.2 m, the top one fifty times heavier: engines that sweep drop it within seconds.
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_tower() {
  ModelBuilder builder("tower");
  add_floor(builder, 0.5);
  for (int k = 0; k < 10; ++k) {
    const bool top = k == 9;
    add_free_part(builder, {.name = "cube" + std::to_string(k),
                            .shape = Box{{0.1, 0.1, 0.1}},
                            .p = {0, 0, 0.1 + 0.2 * k},
                            .mass = top ? 50.0 : 1.0,
                            .rgba = top ? Eigen::Vector4d(0.85, 0.45, 0.2, 1)
                                        : Eigen::Vector4d(0.35, 0.55, 0.75, 1)});
  }
  return builder.build();
}

}  // namespace stiction
