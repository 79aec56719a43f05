#include <stiction/problem.h>

namespace stiction {

using Eigen::Vector3d;
using Eigen::VectorXd;

int Problem::add_rigid_body(const Eigen::Matrix<double, 6, 6>& H,
                            const Eigen::Matrix<double, 6, 1>& b_body) {
  const int begin = n();
  const int body = static_cast<int>(bodies.size());
  subsystems.push_back({begin, 6, body, 1, -1});
  bodies.push_back({-1, begin, 6, H});
  S.conservativeResize(6, begin + 6);
  S.rightCols<6>().setIdentity();
  D.conservativeResize(begin + 6);
  D.tail<6>().setZero();
  b.conservativeResize(begin + 6);
  b.tail<6>() = b_body;
  return body;
}

int Problem::add_sparse_block(const Eigen::SparseMatrix<double>& A, const VectorXd& b_block) {
  const int begin = n();
  const int count = static_cast<int>(A.rows());
  const int body = static_cast<int>(bodies.size());
  subsystems.push_back({begin, count, body, 0, static_cast<int>(sparse_blocks.size())});
  sparse_blocks.push_back(A);
  S.conservativeResize(6, begin + count);
  S.rightCols(count).setZero();
  D.conservativeResize(begin + count);
  D.tail(count).setZero();
  b.conservativeResize(begin + count);
  b.tail(count) = b_block;
  return begin;
}

int Problem::add_constraint(Constraint constraint, const std::vector<Port>& constraint_ports,
                            const Vector3d& e_rows) {
  constraint.row_begin = n_c();
  constraint.port_begin = static_cast<int>(ports.size());
  constraint.port_count = static_cast<int>(constraint_ports.size());
  ports.insert(ports.end(), constraint_ports.begin(), constraint_ports.end());
  e.conservativeResize(constraint.row_begin + constraint.rows);
  e.tail(constraint.rows) = e_rows.head(constraint.rows);
  constraints.push_back(constraint);
  return static_cast<int>(constraints.size()) - 1;
}

Port Problem::dof_port(int dof) {
  Port port;
  port.entry_begin = static_cast<int>(port_dofs.size());
  port.entry_count = 1;
  port_dofs.push_back(dof);
  port_columns.push_back(Vector3d::UnitX());
  return port;
}

Port Problem::dof_port(const std::vector<int>& dofs, const std::vector<Vector3d>& columns) {
  Port port;
  port.entry_begin = static_cast<int>(port_dofs.size());
  port.entry_count = static_cast<int>(dofs.size());
  port_dofs.insert(port_dofs.end(), dofs.begin(), dofs.end());
  port_columns.insert(port_columns.end(), columns.begin(), columns.end());
  return port;
}

}  // namespace stiction
