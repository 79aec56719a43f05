// The group /stiction: every number of a Problem as it is.
#include "io/fclib.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

constexpr int kVersion = 1;
const std::string kGroup = "/stiction/";

void write_own_vector(Hdf5Writer& file, const std::string& name, const VectorXd& x) {
  file.doubles(kGroup + name, x.data(), {static_cast<std::size_t>(x.size())});
}

VectorXd to_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<int>(values.size()));
}

// All values of a table with `width` columns, row after row.
template <class Values>
Values checked_table(const Hdf5Reader& file, const std::string& name, std::size_t width,
                     Values values) {
  const std::vector<std::size_t> shape = file.shape(kGroup + name);
  if (shape.size() != 2 || shape[1] != width) {
    file.refuse(kGroup + name, "expected a table with " + std::to_string(width) + " columns");
  }
  return values;
}

std::vector<int> int_table(const Hdf5Reader& file, const std::string& name, std::size_t width) {
  return checked_table(file, name, width, file.ints(kGroup + name));
}

void write_dynamics(Hdf5Writer& file, const Problem& problem) {
  std::vector<int> subsystems;
  for (const Subsystem& s : problem.subsystems) {
    subsystems.insert(subsystems.end(),
                      {s.dof_begin, s.dof_count, s.body_begin, s.body_count, s.sparse});
  }
  file.ints(kGroup + "subsystems", subsystems.data(), {problem.subsystems.size(), 5});
  std::vector<int> bodies;
  std::vector<double> inertias;
  for (const ProblemBody& body : problem.bodies) {
    bodies.insert(bodies.end(), {body.parent, body.dof_begin, body.dof_count});
    inertias.insert(inertias.end(), body.H.data(), body.H.data() + body.H.size());
  }
  file.ints(kGroup + "bodies", bodies.data(), {problem.bodies.size(), 3});
  file.doubles(kGroup + "inertias", inertias.data(), {problem.bodies.size(), 36});
  file.doubles(kGroup + "S", problem.S.data(), {static_cast<std::size_t>(problem.S.cols()), 6});
  write_own_vector(file, "D", problem.D);
  write_own_vector(file, "b", problem.b);
  file.integer(kGroup + "sparse_block_count", static_cast<int>(problem.sparse_blocks.size()));
  for (std::size_t k = 0; k < problem.sparse_blocks.size(); ++k) {
    write_matrix(file, kGroup + "sparse_blocks/" + std::to_string(k), problem.sparse_blocks[k]);
  }
}

void read_dynamics(const Hdf5Reader& file, Problem& problem) {
  const std::vector<int> subsystems = int_table(file, "subsystems", 5);
  problem.subsystems.resize(subsystems.size() / 5);
  for (std::size_t j = 0; j < problem.subsystems.size(); ++j) {
    const int* row = &subsystems[5 * j];
    problem.subsystems[j] = {row[0], row[1], row[2], row[3], row[4]};
  }
  const std::vector<int> bodies = int_table(file, "bodies", 3);
  problem.bodies.resize(bodies.size() / 3);
  const std::vector<double> inertias =
      file.doubles(kGroup + "inertias", 36 * problem.bodies.size());
  for (std::size_t b = 0; b < problem.bodies.size(); ++b) {
    ProblemBody& body = problem.bodies[b];
    body.parent = bodies[3 * b];
    body.dof_begin = bodies[3 * b + 1];
    body.dof_count = bodies[3 * b + 2];
    body.H = Eigen::Map<const Eigen::Matrix<double, 6, 6>>(&inertias[36 * b]);
  }
  problem.b = to_vector(file.doubles(kGroup + "b"));
  problem.D = to_vector(file.doubles(kGroup + "D"));
  const std::vector<double> S = checked_table(file, "S", 6, file.doubles(kGroup + "S"));
  problem.S = Eigen::Map<const Eigen::Matrix<double, 6, Eigen::Dynamic>>(
      S.data(), 6, static_cast<int>(S.size() / 6));
  const int blocks = file.integer(kGroup + "sparse_block_count");
  for (int k = 0; k < blocks; ++k) {
    problem.sparse_blocks.push_back(
        read_matrix(file, kGroup + "sparse_blocks/" + std::to_string(k)));
  }
}

void write_constraints(Hdf5Writer& file, const Problem& problem) {
  std::vector<int> structure;
  std::vector<double> laws;
  for (const Constraint& c : problem.constraints) {
    structure.insert(structure.end(),
                     {static_cast<int>(c.type), c.rows, c.row_begin, c.port_begin, c.port_count});
    laws.insert(laws.end(), {c.mu, c.bound, c.lower, c.upper, c.k, c.c});
  }
  file.ints(kGroup + "constraints", structure.data(), {problem.constraints.size(), 5});
  file.doubles(kGroup + "laws", laws.data(), {problem.constraints.size(), 6});
  write_own_vector(file, "e", problem.e);
  std::vector<int> ports;
  std::vector<double> blocks;
  for (const Port& port : problem.ports) {
    ports.insert(ports.end(), {port.body, port.entry_begin, port.entry_count});
    blocks.insert(blocks.end(), port.block.data(), port.block.data() + port.block.size());
  }
  file.ints(kGroup + "ports", ports.data(), {problem.ports.size(), 3});
  file.doubles(kGroup + "port_blocks", blocks.data(), {problem.ports.size(), 18});
  file.ints(kGroup + "port_dofs", problem.port_dofs);
  std::vector<double> columns;
  for (const Eigen::Vector3d& column : problem.port_columns) {
    columns.insert(columns.end(), column.data(), column.data() + 3);
  }
  file.doubles(kGroup + "port_columns", columns.data(), {problem.port_columns.size(), 3});
}

ConstraintType constraint_type(const Hdf5Reader& file, int value) {
  if (value < 0 || value > static_cast<int>(ConstraintType::kJointLimit)) {
    file.refuse(kGroup + "constraints",
                "type is " + std::to_string(value) + ", expected 0 to " +
                    std::to_string(static_cast<int>(ConstraintType::kJointLimit)));
  }
  return static_cast<ConstraintType>(value);
}

void read_constraints(const Hdf5Reader& file, Problem& problem) {
  const std::vector<int> structure = int_table(file, "constraints", 5);
  problem.constraints.resize(structure.size() / 5);
  const std::vector<double> laws = file.doubles(kGroup + "laws", 6 * problem.constraints.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const int* row = &structure[5 * i];
    const double* law = &laws[6 * i];
    problem.constraints[i] = {constraint_type(file, row[0]),
                              row[1],
                              row[2],
                              row[3],
                              row[4],
                              law[0],
                              law[1],
                              law[2],
                              law[3],
                              law[4],
                              law[5]};
  }
  problem.e = to_vector(file.doubles(kGroup + "e"));
  const std::vector<int> ports = int_table(file, "ports", 3);
  problem.ports.resize(ports.size() / 3);
  const std::vector<double> blocks =
      file.doubles(kGroup + "port_blocks", 18 * problem.ports.size());
  for (std::size_t p = 0; p < problem.ports.size(); ++p) {
    Port& port = problem.ports[p];
    port.body = ports[3 * p];
    port.entry_begin = ports[3 * p + 1];
    port.entry_count = ports[3 * p + 2];
    port.block = Eigen::Map<const Eigen::Matrix<double, 3, 6>>(&blocks[18 * p]);
  }
  problem.port_dofs = file.ints(kGroup + "port_dofs");
  const std::vector<double> columns =
      file.doubles(kGroup + "port_columns", 3 * problem.port_dofs.size());
  for (std::size_t k = 0; k < problem.port_dofs.size(); ++k) {
    problem.port_columns.emplace_back(columns[3 * k], columns[3 * k + 1], columns[3 * k + 2]);
  }
}

void write_names(Hdf5Writer& file, const std::vector<std::string>& names) {
  std::vector<int> lengths;
  std::vector<unsigned char> bytes;
  for (const std::string& name : names) {
    lengths.push_back(static_cast<int>(name.size()));
    bytes.insert(bytes.end(), name.begin(), name.end());
  }
  file.ints(kGroup + "name_lengths", lengths);
  file.bytes(kGroup + "name_bytes", bytes);
}

std::vector<std::string> read_names(const Hdf5Reader& file) {
  const std::vector<int> lengths = file.ints(kGroup + "name_lengths");
  const std::vector<unsigned char> bytes = file.bytes(kGroup + "name_bytes");
  std::vector<std::string> names;
  std::size_t at = 0;
  for (int length : lengths) {
    if (length < 0 || at + static_cast<std::size_t>(length) > bytes.size()) {
      file.refuse(kGroup + "name_lengths",
                  "ask for more than the " + std::to_string(bytes.size()) + " bytes of name_bytes");
    }
    names.emplace_back(bytes.begin() + at, bytes.begin() + at + length);
    at += static_cast<std::size_t>(length);
  }
  return names;
}

}  // namespace

void write_exact(Hdf5Writer& file, const Problem& problem) {
  file.integer(kGroup + "version", kVersion);
  write_dynamics(file, problem);
  write_constraints(file, problem);
  write_names(file, problem.names);
}

bool read_exact_guess(const Hdf5Reader& file, const Problem& problem, Solution& guess) {
  if (!file.has(kGroup + "lambda")) return false;
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  guess.v = to_vector(file.doubles(kGroup + "v", size(problem.n())));
  guess.lambda = to_vector(file.doubles(kGroup + "lambda", size(problem.n_c())));
  guess.warm = true;
  return true;
}

void write_exact_guess(Hdf5Writer& file, const Solution& guess) {
  write_own_vector(file, "v", guess.v);
  write_own_vector(file, "lambda", guess.lambda);
}

Problem read_exact(const Hdf5Reader& file) {
  const int version = file.integer(kGroup + "version");
  if (version != kVersion) {
    file.refuse(kGroup + "version",
                "is " + std::to_string(version) + ", expected " + std::to_string(kVersion));
  }
  Problem problem;
  read_dynamics(file, problem);
  read_constraints(file, problem);
  problem.names = read_names(file);
  return problem;
}

}  // namespace stiction
