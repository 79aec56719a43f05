// Ports on bodies, tendons and moments.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "sim/structure.h"
#include "tree/transmission.h"

namespace stiction {

/// `rows` times the velocity of the body's point now at p_W: rows [I, -[p - O]], [TRO25] (45).
inline Port point_port(const Structure& structure, const TreeData& tree, int body,
                       const Eigen::Vector3d& p_W, const Eigen::Matrix3d& rows) {
  Port port;
  port.body = structure.mover[body];
  const Eigen::Vector3d r = p_W - tree.p_WO[body];
  port.block.leftCols<3>() = rows;
  for (int k = 0; k < 3; ++k) {
    port.block.row(k).tail<3>() = r.cross(rows.row(k).transpose()).transpose();
  }
  return port;
}

/// Ports of the velocity of body 1's point at p1 relative to body 2's point at p2; none if the two
/// bodies move as one.
inline std::vector<Port> point_ports(const Structure& structure, const TreeData& tree, int body1,
                                     const Eigen::Vector3d& p1, int body2,
                                     const Eigen::Vector3d& p2) {
  std::vector<Port> ports;
  if (structure.mover[body1] == structure.mover[body2]) return ports;
  const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
  if (structure.mover[body1] >= 0) ports.push_back(point_port(structure, tree, body1, p1, I));
  if (structure.mover[body2] >= 0) ports.push_back(point_port(structure, tree, body2, p2, -I));
  return ports;
}

/// `rows` times the body's angular velocity.
inline Port rotation_port(const Structure& structure, int body, const Eigen::Matrix3d& rows) {
  Port port;
  port.body = structure.mover[body];
  port.block.rightCols<3>() = rows;
  return port;
}

/// The rate of a fixed tendon's length.
inline Port tendon_port(const Model& model, const Tendon& tendon, Problem& problem) {
  std::vector<int> dofs;
  std::vector<Eigen::Vector3d> columns;
  for (size_t k = 0; k < tendon.joints.size(); ++k) {
    dofs.push_back(model.joints[tendon.joints[k]].dof_begin);
    columns.emplace_back(tendon.coefs[k], 0, 0);
  }
  return problem.dof_port(dofs, columns);
}

/// The rate along a moment.
inline Port moment_port(const std::vector<DofMoment>& moment, Problem& problem) {
  std::vector<int> dofs;
  std::vector<Eigen::Vector3d> columns;
  for (const auto& [dof, along] : moment) {
    dofs.push_back(dof);
    columns.emplace_back(along, 0, 0);
  }
  return problem.dof_port(dofs, columns);
}

}  // namespace stiction
