#include "tree/drag.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "math/spatial.h"

namespace stiction {
namespace {

using std::numbers::pi;

constexpr double kSmallest = 1e-15;  // kg, kg m^2: as in MuJoCo

DragBox make_drag_box(const Body& body) {
  DragBox box;
  if (body.mass < kSmallest) return box;
  Eigen::Vector3d moments = body.inertia.diagonal();
  const Eigen::Matrix3d products = body.inertia - Eigen::Matrix3d(moments.asDiagonal());
  if (products.cwiseAbs().maxCoeff() > 1e-12 * moments.maxCoeff()) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(body.inertia);
    box.R_BI = solver.eigenvectors();
    moments = solver.eigenvalues();
  }
  // A box with edges a, b, c has I_x = m (b^2 + c^2) / 12, so a^2 = 6 (I_y + I_z - I_x) / m.
  for (int k = 0; k < 3; ++k) {
    const double sum = moments.sum() - 2 * moments[k];
    box.size[k] = std::sqrt(6 * std::max(sum, kSmallest) / body.mass);
  }
  return box;
}

/// (force; torque) on a box that moves with (v; w) through the medium, in the box's axes.
Vector6d box_drag(const Options& options, const Eigen::Vector3d& a, const Eigen::Vector3d& v,
                  const Eigen::Vector3d& w) {
  Vector6d drag = Vector6d::Zero();
  // Slow flow: Stokes' law for the ball of the box's mean edge.
  const double d = a.mean();
  drag.head<3>() -= 3 * pi * d * options.viscosity * v;
  drag.tail<3>() -= pi * d * d * d * options.viscosity * w;
  // Fast flow: pressure on the faces, and its moment when they turn.
  for (int k = 0; k < 3; ++k) {
    const double b = a[(k + 1) % 3], c = a[(k + 2) % 3];
    drag[k] -= 0.5 * options.density * b * c * std::abs(v[k]) * v[k];
    drag[3 + k] -=
        options.density / 64 * a[k] * (b * b * b * b + c * c * c * c) * std::abs(w[k]) * w[k];
  }
  return drag;
}

}  // namespace

std::vector<DragBox> make_drag_boxes(const Model& model) {
  std::vector<DragBox> boxes;
  if (model.options.density == 0 && model.options.viscosity == 0) return boxes;
  for (const Body& body : model.bodies) boxes.push_back(make_drag_box(body));
  return boxes;
}

void add_drag(const Model& model, const TreeData& data, VectorRef qfrc) {
  for (size_t b = 1; b < data.drag_boxes.size(); ++b) {
    if (model.bodies[b].mass < kSmallest) continue;
    const int body = static_cast<int>(b);
    const Vector6d V = shift_twist(data.V[b], data.p_WBcm[b] - data.p_WO[b]);
    const Eigen::Matrix3d R_WI = data.R_WB[b] * data.drag_boxes[b].R_BI;
    const Vector6d drag = box_drag(model.options, data.drag_boxes[b].size,
                                   R_WI.transpose() * (V.head<3>() - model.options.wind),
                                   R_WI.transpose() * V.tail<3>());
    add_force(data, body, data.p_WBcm[b], R_WI * drag.head<3>(), R_WI * drag.tail<3>(), qfrc);
  }
}

}  // namespace stiction
