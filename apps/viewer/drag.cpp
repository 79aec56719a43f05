#include "drag.h"

namespace stiction::viewer {
namespace {

using Eigen::Vector3d;

constexpr double kFrequency = 12;  // rad/s: a body follows within a quarter of a second

}  // namespace

double mass_at(const Simulation& simulation, int body, const Vector3d& point) {
  const Model& model = simulation.model();
  TreeData tree = simulation.tree();
  compute_mass_matrix(model, tree);
  factorize(tree);
  Matrix6Xd jacobian(6, model.nv);
  point_jacobian(tree, body, simulation.body_pose(body).p + tree.R_WB[body] * point, jacobian);
  double mobility = 0;
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd column = jacobian.row(k);
    solve_in_place(tree, column);
    mobility += jacobian.row(k).dot(column);
  }
  return mobility > 0 ? 3 / mobility : 0;
}

Vector6d drag_wrench(const Simulation& simulation, const Drag& drag) {
  const TreeData& tree = simulation.tree();
  const int b = drag.body;
  const Vector3d p_W = tree.p_WB[b] + tree.R_WB[b] * drag.point;
  const Vector3d velocity =
      tree.V[b].head<3>() + Vector3d(tree.V[b].tail<3>()).cross(p_W - tree.p_WO[b]);
  const Vector3d force =
      drag.mass * (kFrequency * kFrequency * (drag.target - p_W) - 2 * kFrequency * velocity);
  Vector6d wrench;
  wrench << force, (p_W - tree.p_WBcm[b]).cross(force);
  return wrench;
}

}  // namespace stiction::viewer
