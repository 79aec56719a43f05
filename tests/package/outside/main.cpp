// Builds a model with the installed library and passes Eigen objects both ways: by value, by
// reference, inside containers, and memory that one side allocates and the other frees. This
// program is compiled for plain x86-64, the library for this machine's vector units.
#include <stiction/builder.h>
#include <stiction/tree.h>

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

  TreeData data(model);
  Eigen::VectorXd qpos = model.qpos0;
  const Eigen::VectorXd qvel = Eigen::VectorXd::Constant(1, 3.0);
  update_kinematics(model, qpos, data);
  update_velocity(model, qvel, data);
  compute_mass_matrix(model, data);
  compute_bias(model, data);
  const Eigen::MatrixXd M = dense_mass_matrix(data);
  expect_near("inertia about the hinge", M(0, 0), 0.2 + 2 * 0.25);
  expect_near("gravity torque", data.bias[0], -2 * 9.81 * 0.5);

  Matrix6Xd jacobian(6, model.nv);
  point_jacobian(data, 1, {1, 0, 0}, jacobian);
  expect_near("tip velocity", (jacobian * qvel)[2], -3);

  integrate_positions(model, qvel, 0.1, qpos);
  Eigen::VectorXd moved = position_difference(model, model.qpos0, qpos);
  expect_near("angle", moved[0], 0.3);
  data.S.resize(6, 64);  // freed here, allocated there; and the other way round at the end
  moved.resize(64);
  std::puts("outside project: ok");
}
