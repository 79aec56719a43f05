// Builds a model with the installed library and passes Eigen objects both ways. This
// program is compiled for plain x86-64, the library for this machine's vector units.
#include <stiction/builder.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace stiction;

namespace {

void expect_near(const char* what, double value, double expected) {
  if (std::abs(value - expected) <= 1e-12 * (1 + std::abs(expected))) return;
  std::printf("%s is %.17g, not %.17g\n", what, value, expected);
  std::exit(1);
}

/// A pendulum: 2 kg, its centre 0.5 m from the hinge, about y.
Model pendulum() {
  ModelBuilder builder("pendulum");
  const int arm = builder.add_body({.name = "arm",
                                    .mass = 2,
                                    .com = {0.5, 0, 0},
                                    .inertia = Eigen::Vector3d(0.1, 0.2, 0.25).asDiagonal()});
  builder.add_joint({.name = "hinge", .body = arm, .axis = {0, 1, 0}});
  builder.add_geom(
      {.name = "bob", .body = arm, .shape = Sphere{0.1}, .rgba = {0.1, 0.2, 0.3, 0.4}});
  return builder.build();
}

}  // namespace

int main() {
  Model model = pendulum();
  expect_near("mass", model.total_mass(), 2);
  expect_near("alpha", model.geoms.at(0).rgba[3], 0.4);

  std::puts("outside project: ok");
}
