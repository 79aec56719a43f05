#include <algorithm>
#include <cmath>
#include <numeric>

#include "contact/dynamics.h"
#include "io/fclib.h"

namespace stiction {
namespace {

using Eigen::SparseMatrix;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kBodyDofs = 6;

int find_root(std::vector<int>& parent, int j) {
  while (parent[j] != j) j = parent[j] = parent[parent[j]];
  return j;
}

// Group of each dof: numbered by first dof.
std::vector<int> connected_groups(const SparseMatrix<double>& M) {
  std::vector<int> root(M.rows());
  std::iota(root.begin(), root.end(), 0);
  for (int c = 0; c < M.outerSize(); ++c) {
    for (SparseMatrix<double>::InnerIterator entry(M, c); entry; ++entry) {
      if (entry.value() == 0) continue;
      const int a = find_root(root, static_cast<int>(entry.row()));
      const int b = find_root(root, c);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<int> group(M.rows());
  int count = 0;
  for (int d = 0; d < static_cast<int>(group.size()); ++d) {
    const int r = find_root(root, d);
    group[d] = r == d ? count++ : group[r];
  }
  return group;
}

int most_groups_per_contact(const SparseMatrix<double>& H, const std::vector<int>& group) {
  std::size_t most = 0;
  for (int contact = 0; contact < H.cols() / 3; ++contact) {
    std::vector<int> touched;
    for (int c = 3 * contact; c < 3 * contact + 3; ++c) {
      for (SparseMatrix<double>::InnerIterator entry(H, c); entry; ++entry) {
        const int g = group[entry.row()];
        if (std::find(touched.begin(), touched.end(), g) == touched.end()) touched.push_back(g);
      }
    }
    most = std::max(most, touched.size());
  }
  return static_cast<int>(most);
}

// The bodies are gone from the file and must be found again. A diagonal M would make each dof a
// subsystem of its own, so consecutive sixes (rigid bodies), then threes (points) are tried first:
// M must not couple them, and no contact may touch more than two.
std::vector<int> find_groups(const SparseMatrix<double>& M, const SparseMatrix<double>& H) {
  const int n = static_cast<int>(M.rows());
  const std::vector<int> connected = connected_groups(M);
  for (int size : {kBodyDofs, 3}) {
    if (n % size != 0) continue;
    std::vector<int> group(n);
    for (int d = 0; d < n; ++d) group[d] = d / size;
    // Two dofs of one connected group must be in one block.
    std::vector<int> block_of(n, -1);
    bool separate = true;
    for (int d = 0; d < n && separate; ++d) {
      int& block = block_of[connected[d]];
      if (block < 0) block = group[d];
      separate = block == group[d];
    }
    if (separate && most_groups_per_contact(H, group) <= 2) return group;
  }
  return connected;
}

struct Place {
  int body = -1;   ///< or -1: in a sparse block
  int column = 0;  ///< of the body's twist
  int dof = 0;     ///< of the problem
};

// Adds the subsystem of the given dofs of the file: a body whose twist holds them in its first
// components, or a sparse block.
void add_group(Problem& problem, const SparseMatrix<double>& M, const VectorXd& f,
               const std::vector<int>& dofs, std::vector<Place>& places) {
  const int count = static_cast<int>(dofs.size());
  const int begin = problem.n();
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd b(count);
  for (int k = 0; k < count; ++k) {
    places[dofs[k]] = {-1, k, begin + k};
    b[k] = f[dofs[k]];
  }
  for (int k = 0; k < count; ++k) {
    for (SparseMatrix<double>::InnerIterator entry(M, dofs[k]); entry; ++entry) {
      if (entry.value() != 0) entries.emplace_back(places[entry.row()].column, k, entry.value());
    }
  }
  SparseMatrix<double> A(count, count);
  A.setFromTriplets(entries.begin(), entries.end());
  if (count > kBodyDofs) {
    problem.add_sparse_block(A, b);
    return;
  }
  ProblemBody body{-1, begin, count};
  body.H.topLeftCorner(count, count) = A;
  const int index = static_cast<int>(problem.bodies.size());
  for (int d : dofs) places[d].body = index;
  problem.subsystems.push_back({begin, count, index, 1, -1});
  problem.bodies.push_back(body);
  problem.S.conservativeResize(6, begin + count);
  problem.S.rightCols(count) = Matrix6d::Identity().leftCols(count);
  problem.D.conservativeResize(begin + count);
  problem.D.tail(count).setZero();
  problem.b.conservativeResize(begin + count);
  problem.b.tail(count) = b;
}

// The columns of H (or G) that belong to one constraint, as ports: on one or two bodies, on one
// body and dofs, or all on dofs. `row_of[c]` is our row of column first + c.
std::vector<Port> make_ports(Problem& problem, const std::vector<Place>& places,
                             const SparseMatrix<double>& H, int first,
                             const std::vector<int>& row_of) {
  std::vector<std::pair<Place, Vector3d>> columns;  // by dof of the problem
  for (std::size_t c = 0; c < row_of.size(); ++c) {
    for (SparseMatrix<double>::InnerIterator entry(H, first + static_cast<int>(c)); entry;
         ++entry) {
      columns.emplace_back(places[entry.row()], entry.value() * Vector3d::Unit(row_of[c]));
    }
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](const auto& a, const auto& b) { return a.first.dof < b.first.dof; });
  std::vector<int> bodies;
  std::vector<int> dofs;
  std::vector<Vector3d> on_dofs;
  for (const auto& [place, column] : columns) {
    if (place.body >= 0 && (bodies.empty() || bodies.back() != place.body)) {
      bodies.push_back(place.body);
    }
  }
  const bool on_sparse = std::any_of(columns.begin(), columns.end(),
                                     [](const auto& entry) { return entry.first.body < 0; });
  const bool by_body = bodies.size() + (on_sparse ? 1 : 0) <= 2;
  std::vector<Port> ports(by_body ? bodies.size() : 0);
  for (std::size_t p = 0; p < ports.size(); ++p) ports[p].body = bodies[p];
  for (const auto& [place, column] : columns) {
    if (by_body && place.body >= 0) {
      ports[place.body == bodies.front() ? 0 : 1].block.col(place.column) += column;
    } else if (!dofs.empty() && dofs.back() == place.dof) {
      on_dofs.back() += column;
    } else {
      dofs.push_back(place.dof);
      on_dofs.push_back(column);
    }
  }
  if (!dofs.empty()) ports.push_back(problem.dof_port(dofs, on_dofs));
  return ports;
}

void require_columns(const Hdf5Reader& file, const std::string& group,
                     const SparseMatrix<double>& H, int rows) {
  if (H.rows() != rows) {
    file.refuse(group, "has " + std::to_string(H.rows()) + " rows, expected those of M, " +
                           std::to_string(rows));
  }
}

SparseMatrix<double> whole_M(const Problem& problem) {
  const BranchPattern pattern = make_branch_pattern(dof_parents(problem));
  std::vector<Matrix6d> H;
  for (const ProblemBody& body : problem.bodies) H.push_back(body.H);
  VectorXd values(static_cast<int>(pattern.col.size()));
  assemble_trees(problem, pattern, H, values);
  std::vector<Eigen::Triplet<double>> entries;
  for (const Subsystem& subsystem : problem.subsystems) {
    for (int d = subsystem.dof_begin; d < subsystem.dof_begin + subsystem.dof_count; ++d) {
      if (subsystem.sparse >= 0) {
        entries.emplace_back(d, d, problem.D[d]);
        const SparseMatrix<double>& A = problem.sparse_blocks[subsystem.sparse];
        for (SparseMatrix<double>::InnerIterator entry(A, d - subsystem.dof_begin); entry;
             ++entry) {
          entries.emplace_back(subsystem.dof_begin + entry.row(), d, entry.value());
        }
        continue;
      }
      for (int k = pattern.row_begin[d]; k < pattern.row_begin[d + 1]; ++k) {
        entries.emplace_back(d, pattern.col[k], values[k]);
        if (pattern.col[k] != d) entries.emplace_back(pattern.col[k], d, values[k]);
      }
    }
  }
  SparseMatrix<double> M(problem.n(), problem.n());
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

// J^T, from J^T times unit impulses: H for contacts in FCLIB's row order, G for equalities.
void whole_J(const Problem& problem, SparseMatrix<double>& H, SparseMatrix<double>& G, VectorXd& w,
             VectorXd& b, std::vector<double>& mu) {
  std::vector<Eigen::Triplet<double>> in_H;
  std::vector<Eigen::Triplet<double>> in_G;
  Matrix6Xd W(6, problem.bodies.size());
  VectorXd impulse = VectorXd::Zero(problem.n_c());
  std::vector<double> e_H;
  std::vector<double> e_G;
  for (const Constraint& constraint : problem.constraints) {
    const bool contact = constraint.type == ConstraintType::kContact;
    if (contact) mu.push_back(constraint.mu);
    for (int r = 0; r < constraint.rows; ++r) {
      const int row = constraint.row_begin + (contact ? (r + 2) % 3 : r);  // n, t1, t2
      impulse[row] = 1;
      VectorXd column = VectorXd::Zero(problem.n());
      add_J_transposed(problem, impulse, W, column);
      impulse[row] = 0;
      std::vector<double>& offsets = contact ? e_H : e_G;
      for (int d = 0; d < column.size(); ++d) {
        if (column[d] != 0) {
          (contact ? in_H : in_G).emplace_back(d, static_cast<int>(offsets.size()), column[d]);
        }
      }
      offsets.push_back(problem.e[row]);
    }
  }
  H.resize(problem.n(), static_cast<int>(e_H.size()));
  H.setFromTriplets(in_H.begin(), in_H.end());
  G.resize(problem.n(), static_cast<int>(e_G.size()));
  G.setFromTriplets(in_G.begin(), in_G.end());
  w = Eigen::Map<VectorXd>(e_H.data(), static_cast<int>(e_H.size()));
  b = Eigen::Map<VectorXd>(e_G.data(), static_cast<int>(e_G.size()));
}

void write_vector(Hdf5Writer& file, const std::string& name, const VectorXd& x) {
  file.doubles(name, x.data(), {static_cast<std::size_t>(x.size())});
}

}  // namespace

Problem read_global(const Hdf5Reader& file) {
  const std::string root = "/fclib_global";
  const SparseMatrix<double> M = symmetric_matrix(file, root + "/M");
  const int n = static_cast<int>(M.rows());
  const SparseMatrix<double> H = read_matrix(file, root + "/H");
  require_columns(file, root + "/H", H, n);
  const std::vector<double> mu = file.doubles(root + "/vectors/mu");
  if (H.cols() != 3 * static_cast<int>(mu.size())) {
    file.refuse(root + "/H", "has " + std::to_string(H.cols()) +
                                 " columns, expected 3 for each of " + std::to_string(mu.size()) +
                                 " entries of mu");
  }
  const std::vector<double> f = file.doubles(root + "/vectors/f", static_cast<std::size_t>(n));
  const std::vector<double> w = file.doubles(root + "/vectors/w", 3 * mu.size());

  Problem problem;
  const std::vector<int> group = find_groups(M, H);
  std::vector<std::vector<int>> members(
      group.empty() ? 0 : 1 + *std::max_element(group.begin(), group.end()));
  for (int d = 0; d < n; ++d) members[group[d]].push_back(d);
  std::vector<Place> places(n);
  const VectorXd f_vector = Eigen::Map<const VectorXd>(f.data(), n);
  for (const std::vector<int>& dofs : members) add_group(problem, M, f_vector, dofs, places);
  for (int i = 0; i < static_cast<int>(mu.size()); ++i) {
    Constraint contact;
    contact.mu = mu[i];
    problem.add_constraint(contact, make_ports(problem, places, H, 3 * i, {2, 0, 1}),
                           {w[3 * i + 1], w[3 * i + 2], w[3 * i]});
  }
  if (file.has(root + "/G")) {
    const SparseMatrix<double> G = read_matrix(file, root + "/G");
    require_columns(file, root + "/G", G, n);
    const std::vector<double> b =
        file.doubles(root + "/vectors/b", static_cast<std::size_t>(G.cols()));
    Constraint equality;
    equality.type = ConstraintType::kEquality;
    equality.rows = 1;
    for (int k = 0; k < G.cols(); ++k) {
      problem.add_constraint(equality, make_ports(problem, places, G, k, {0}), {b[k], 0, 0});
    }
  }
  return problem;
}

void write_global(Hdf5Writer& file, const Problem& problem) {
  const std::string root = "/fclib_global";
  SparseMatrix<double> H;
  SparseMatrix<double> G;
  VectorXd w;
  VectorXd b;
  std::vector<double> mu;
  whole_J(problem, H, G, w, b, mu);
  file.integer(root + "/spacedim", 3);
  write_matrix(file, root + "/M", whole_M(problem));
  write_matrix(file, root + "/H", H);
  write_vector(file, root + "/vectors/f", problem.b);
  write_vector(file, root + "/vectors/w", w);
  file.doubles(root + "/vectors/mu", mu);
  if (G.cols() > 0) {
    write_matrix(file, root + "/G", G);
    write_vector(file, root + "/vectors/b", b);
  }
}

}  // namespace stiction
