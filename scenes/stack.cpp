// Three boxes of 0.1 kg under one of 5 kg: soft contact sinks here, and sweeps topple it.
#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_stack() {
  ModelBuilder builder("stack");
  add_floor(builder, 0.5);
  for (int k = 0; k < 4; ++k) {
    const bool top = k == 3;
    add_free_part(builder, {.name = "box" + std::to_string(k),
                            .shape = Box{{0.05, 0.05, 0.05}},
                            .p = {0, 0, 0.05 + 0.1 * k},
                            .mass = top ? 5.0 : 0.1,
                            .rgba = top ? Eigen::Vector4d(0.85, 0.45, 0.2, 1)
                                        : Eigen::Vector4d(0.35, 0.55, 0.75, 1)});
  }
  return builder.build();
}

}  // namespace stiction
