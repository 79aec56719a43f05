#include <algorithm>
#include <cmath>
#include <numeric>

#include "contact/dynamics.h"
#include "io/fclib.h"

namespace stiction {
namespace {

using Eigen::MatrixXd;
using Eigen::SparseMatrix;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Pivots below this part of the largest diagonal entry are round-off of a rank-deficient W.
constexpr double kRankTolerance = 1e-15;
constexpr double kIndefinite = 1e-9;

// W = L L^T by Cholesky with diagonal pivoting: rows of L in W's order, as many columns as W has
// rank. `defect` is the largest entry of W - L L^T over the largest of W.
MatrixXd pivoted_cholesky(MatrixXd W, double& defect) {
  const int n = static_cast<int>(W.rows());
  MatrixXd L = MatrixXd::Zero(n, n);
  VectorXd diagonal = W.diagonal();
  const double scale = std::max(diagonal.maxCoeff(), 0.0);
  std::vector<int> rest(n);  // rows not yet pivots
  std::iota(rest.begin(), rest.end(), 0);
  int rank = 0;
  while (!rest.empty()) {
    const auto pivot = std::max_element(rest.begin(), rest.end(),
                                        [&](int a, int b) { return diagonal[a] < diagonal[b]; });
    const int p = *pivot;
    if (!(diagonal[p] > kRankTolerance * n * scale)) break;
    rest.erase(pivot);
    const double root = std::sqrt(diagonal[p]);
    L(p, rank) = root;
    for (int r : rest) {
      const double value = (W(r, p) - L.row(r).head(rank).dot(L.row(p).head(rank))) / root;
      L(r, rank) = value;
      diagonal[r] -= value * value;
    }
    ++rank;
  }
  L.conservativeResize(n, rank);
  defect =
      scale > 0 ? (W - L * L.transpose()).cwiseAbs().maxCoeff() / scale : (W.isZero(0) ? 0 : 1);
  return L;
}

// Contacts that W couples, numbered by the first of each part.
std::vector<std::vector<int>> coupled_contacts(const SparseMatrix<double>& W) {
  const int count = static_cast<int>(W.cols() / 3);
  std::vector<int> root(count);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (int c = 0; c < W.outerSize(); ++c) {
    for (SparseMatrix<double>::InnerIterator entry(W, c); entry; ++entry) {
      if (entry.value() == 0) continue;
      const int a = find(static_cast<int>(entry.row()) / 3);
      const int b = find(c / 3);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<int>> parts;
  std::vector<int> part_of(count);
  for (int i = 0; i < count; ++i) {
    const int r = find(i);
    if (r == i) {
      part_of[i] = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[part_of[r]].push_back(i);
  }
  return parts;
}

// W of some contacts, dense, in our row order.
MatrixXd dense_part(const SparseMatrix<double>& W, const std::vector<int>& contacts,
                    std::vector<int>& local_of) {
  for (int k = 0; k < static_cast<int>(contacts.size()); ++k) local_of[contacts[k]] = k;
  const auto ours = [&](int row) { return 3 * local_of[row / 3] + (row % 3 + 2) % 3; };
  MatrixXd part = MatrixXd::Zero(3 * contacts.size(), 3 * contacts.size());
  for (int contact : contacts) {
    for (int c = 3 * contact; c < 3 * contact + 3; ++c) {
      for (SparseMatrix<double>::InnerIterator entry(W, c); entry; ++entry) {
        if (entry.value() != 0) part(ours(static_cast<int>(entry.row())), ours(c)) = entry.value();
      }
    }
  }
  return part;
}

Port port_of_rows(Problem& problem, const MatrixXd& J, int first_row, int first_dof) {
  std::vector<int> dofs;
  std::vector<Vector3d> columns;
  for (int k = 0; k < J.cols(); ++k) {
    const Vector3d column = J.block<3, 1>(first_row, k);
    if (column.isZero(0)) continue;
    dofs.push_back(first_dof + k);
    columns.push_back(column);
  }
  return problem.dof_port(dofs, columns);
}

}  // namespace

Problem read_local(const Hdf5Reader& file) {
  const std::string root = "/fclib_local";
  const SparseMatrix<double> W = symmetric_matrix(file, root + "/W");
  const std::vector<double> mu = file.doubles(root + "/vectors/mu");
  if (W.cols() != 3 * static_cast<int>(mu.size())) {
    file.refuse(root + "/W", "has " + std::to_string(W.cols()) +
                                 " columns, expected 3 for each of " + std::to_string(mu.size()) +
                                 " entries of mu");
  }
  const std::vector<double> q = file.doubles(root + "/vectors/q", 3 * mu.size());
  Problem problem;
  std::vector<Port> ports(mu.size());
  std::vector<int> local_of(mu.size());
  for (const std::vector<int>& contacts : coupled_contacts(W)) {
    double defect = 0;
    const MatrixXd J = pivoted_cholesky(dense_part(W, contacts, local_of), defect);
    if (!(defect <= kIndefinite) || J.cols() == 0) {
      char text[128];
      std::snprintf(text, sizeof text,
                    "is not positive semidefinite around contact %d: defect %.3g, expected <= %.0e",
                    contacts.front(), defect, kIndefinite);
      file.refuse(root + "/W", text);
    }
    SparseMatrix<double> identity(J.cols(), J.cols());
    identity.setIdentity();
    const int dof = problem.add_sparse_block(identity, VectorXd::Zero(J.cols()));
    for (int contact : contacts) {
      ports[contact] = port_of_rows(problem, J, 3 * local_of[contact], dof);
    }
  }
  for (std::size_t i = 0; i < mu.size(); ++i) {
    Constraint contact;
    contact.mu = mu[i];
    problem.add_constraint(contact, {ports[i]}, {q[3 * i + 1], q[3 * i + 2], q[3 * i]});
  }
  return problem;
}

// W = J A^-1 J^T, one column per unit impulse; q = J A^-1 b + e.
void write_local(Hdf5Writer& file, const Problem& problem) {
  const std::string root = "/fclib_local";
  const DynamicsFactor factor(problem);
  Matrix6Xd V(6, problem.bodies.size());
  const int rows = problem.n_c();
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd impulse = VectorXd::Zero(rows);
  VectorXd u(rows);
  VectorXd v(problem.n());
  for (int c = 0; c < rows; ++c) {
    impulse.setZero();
    impulse[c] = 1;
    v.setZero();
    add_J_transposed(problem, impulse, V, v);
    factor.solve_in_place(v);
    multiply_J(problem, v, V, u);
    for (int r = 0; r < rows; ++r) {
      if (u[r] != 0) entries.emplace_back(fclib_row(r), fclib_row(c), u[r]);
    }
  }
  SparseMatrix<double> W(rows, rows);
  W.setFromTriplets(entries.begin(), entries.end());
  v = problem.b;
  factor.solve_in_place(v);
  multiply_J(problem, v, V, u);
  u += problem.e;
  std::vector<double> q(rows);
  for (int r = 0; r < rows; ++r) q[fclib_row(r)] = u[r];
  std::vector<double> mu;
  for (const Constraint& constraint : problem.constraints) mu.push_back(constraint.mu);
  file.integer(root + "/spacedim", 3);
  write_matrix(file, root + "/W", 0.5 * (W + SparseMatrix<double>(W.transpose())));
  file.doubles(root + "/vectors/q", q);
  file.doubles(root + "/vectors/mu", mu);
}

}  // namespace stiction
