// FCLIB files: the public collection, exact round trips, and what is refused.
#include "io/fclib.h"

#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <tuple>

#include "contact/certificate.h"
#include "contact/residual.h"
#include "message_of.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;
using Eigen::VectorXd;

const fs::path kProblems = fs::path(STICTION_SHARED_DIR) / "problems";

// One line of index.csv.
struct Listed {
  std::string name;
  std::string form;
  int contacts = 0;
  int dof = 0;  // of global problems
  double error = 0;
  bool solved = false;  // by any of Siconos's solvers
};

std::vector<Listed> read_index() {
  std::ifstream file(kProblems / "index.csv");
  std::string line;
  std::getline(file, line);
  std::vector<Listed> all;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    Listed listed{
        cells[0], cells[1], std::stoi(cells[2]), 0, std::stod(cells[14]), std::stoi(cells[15]) > 0};
    if (!cells[3].empty()) listed.dof = std::stoi(cells[3]);
    all.push_back(listed);
  }
  return all;
}

std::string file_of(const Listed& listed) { return (kProblems / (listed.name + ".hdf5")).string(); }

// In the order of the files: n, t1, t2.
VectorXd siconos_impulse(const Listed& listed) {
  std::ifstream file(kProblems / "solutions" / (listed.name + ".lambda.txt"));
  VectorXd r(3 * listed.contacts);
  for (double& value : r) file >> value;
  EXPECT_TRUE(file);
  return r;
}

class Scratch : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("stiction_fclib_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

using FclibFiles = Scratch;

TEST(FclibCollection, AllLoadWithTheirCounts) {
  if (!fs::exists(kProblems)) GTEST_SKIP() << "../shared is missing";
  const std::vector<Listed> index = read_index();
  EXPECT_EQ(index.size(), 41u);
  for (const Listed& listed : index) {
    SCOPED_TRACE(listed.name);
    const Problem problem = read_problem(file_of(listed)).problem;
    EXPECT_EQ(static_cast<int>(problem.constraints.size()), listed.contacts);
    EXPECT_EQ(problem.n_c(), 3 * listed.contacts);
    if (listed.form == "global") {
      EXPECT_EQ(problem.n(), listed.dof);
    }
  }
}

// err_v straight from the arrays of a file, in its own order: u = W r + q, or M v = f + H r.
double error_from_file(const std::string& path, const VectorXd& r) {
  const Hdf5Reader file(path);
  const bool global = file.has("/fclib_global");
  const std::string root = global ? "/fclib_global" : "/fclib_local";
  const std::vector<double> mu = file.doubles(root + "/vectors/mu");
  Eigen::MatrixXd W;
  VectorXd q;
  const auto vector = [&](const std::string& name) {
    const std::vector<double> x = file.doubles(root + "/vectors/" + name);
    return VectorXd(Eigen::Map<const VectorXd>(x.data(), static_cast<int>(x.size())));
  };
  if (global) {
    const Eigen::SparseMatrix<double> H = read_matrix(file, root + "/H");
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> M(read_matrix(file, root + "/M"));
    W = H.transpose() * Eigen::MatrixXd(M.solve(Eigen::MatrixXd(H)));
    q = H.transpose() * VectorXd(M.solve(vector("f"))) + vector("w");
  } else {
    W = read_matrix(file, root + "/W");
    q = vector("q");
  }
  const VectorXd u = W * r + q;
  double worst = 0;
  double largest = 0;
  for (int i = 0; i < static_cast<int>(mu.size()); ++i) {
    const double d = W.block<3, 3>(3 * i, 3 * i).trace() / 3;
    const double n = d * r[3 * i] - u[3 * i] - mu[i] * std::hypot(u[3 * i + 1], u[3 * i + 2]);
    const Eigen::Vector2d t = d * r.segment<2>(3 * i + 1) - u.segment<2>(3 * i + 1);
    // Projection on the cone |t| <= mu n.
    Eigen::Vector3d projected(n, t[0], t[1]);
    if (mu[i] * t.norm() <= -n) {
      projected.setZero();
    } else if (t.norm() > mu[i] * n) {
      const double along = (n + mu[i] * t.norm()) / (1 + mu[i] * mu[i]);
      projected << along, mu[i] * along * t / t.norm();
    }
    worst = std::max(worst, (d * r.segment<3>(3 * i) - projected).norm());
    largest = std::max(largest, q.segment<3>(3 * i).norm());
  }
  return worst / largest;
}

// The check of the whole mapping: an impulse that another program found for the same file has the
// same error through our Problem as from the file's own arrays, and is at least as accurate as that
// program reported. (Not for the two that no solver solved: the impulses listed are others.)
TEST(FclibCollection, SiconosSolutionsHaveTheirErrors) {
  if (!fs::exists(kProblems)) GTEST_SKIP() << "../shared is missing";
  for (const Listed& listed : read_index()) {
    SCOPED_TRACE(listed.name);
    const Problem problem = read_problem(file_of(listed)).problem;
    const DynamicsFactor factor(problem);
    Certificate certificate(problem, factor);
    const VectorXd r = siconos_impulse(listed);
    VectorXd lambda(problem.n_c());
    for (int k = 0; k < lambda.size(); ++k) lambda[k] = r[fclib_row(k)];
    certificate.update(lambda);
    const VectorXd masses = ResidualEvaluator(problem, factor).masses();
    const Residual residual = certificate.measure(lambda, masses);
    if (listed.solved) {
      EXPECT_LE(residual.err_v, 1.05 * listed.error + 1e-13);
    }
    if (listed.dof > 1000) continue;  // the dense oracle takes too long
    EXPECT_NEAR(residual.err_v, error_from_file(file_of(listed), r), 0.01 * residual.err_v + 2e-13);
  }
}

bool same_constraint(const Constraint& a, const Constraint& b) {
  return a.type == b.type && a.rows == b.rows && a.row_begin == b.row_begin &&
         a.port_begin == b.port_begin && a.port_count == b.port_count && a.mu == b.mu &&
         a.bound == b.bound && a.lower == b.lower && a.upper == b.upper && a.k == b.k && a.c == b.c;
}

// To the last bit.
void expect_same(const Problem& a, const Problem& b) {
  ASSERT_EQ(a.subsystems.size(), b.subsystems.size());
  for (size_t j = 0; j < a.subsystems.size(); ++j) {
    const Subsystem& s = a.subsystems[j];
    const Subsystem& t = b.subsystems[j];
    EXPECT_EQ(std::tie(s.dof_begin, s.dof_count, s.body_begin, s.body_count, s.sparse),
              std::tie(t.dof_begin, t.dof_count, t.body_begin, t.body_count, t.sparse));
  }
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (size_t k = 0; k < a.bodies.size(); ++k) {
    EXPECT_EQ(a.bodies[k].parent, b.bodies[k].parent);
    EXPECT_EQ(a.bodies[k].dof_begin, b.bodies[k].dof_begin);
    EXPECT_EQ(a.bodies[k].dof_count, b.bodies[k].dof_count);
    EXPECT_EQ(a.bodies[k].H, b.bodies[k].H);
  }
  EXPECT_EQ(a.S, b.S);
  EXPECT_EQ(a.D, b.D);
  EXPECT_EQ(a.b, b.b);
  EXPECT_EQ(a.e, b.e);
  ASSERT_EQ(a.sparse_blocks.size(), b.sparse_blocks.size());
  for (size_t k = 0; k < a.sparse_blocks.size(); ++k) {
    EXPECT_EQ(Eigen::MatrixXd(a.sparse_blocks[k]), Eigen::MatrixXd(b.sparse_blocks[k]));
  }
  ASSERT_EQ(a.constraints.size(), b.constraints.size());
  for (size_t i = 0; i < a.constraints.size(); ++i) {
    EXPECT_TRUE(same_constraint(a.constraints[i], b.constraints[i])) << i;
  }
  ASSERT_EQ(a.ports.size(), b.ports.size());
  for (size_t p = 0; p < a.ports.size(); ++p) {
    EXPECT_EQ(a.ports[p].body, b.ports[p].body);
    EXPECT_EQ(a.ports[p].entry_begin, b.ports[p].entry_begin);
    EXPECT_EQ(a.ports[p].entry_count, b.ports[p].entry_count);
    EXPECT_EQ(a.ports[p].block, b.ports[p].block);
  }
  EXPECT_EQ(a.port_dofs, b.port_dofs);
  EXPECT_EQ(a.port_columns, b.port_columns);
  EXPECT_EQ(a.names, b.names);
}

TEST_F(FclibFiles, RoundTripsAreExact) {
  for (const std::string& kind : problem_kinds()) {
    SCOPED_TRACE(kind);
    Problem problem = generate_problem(kind, 4, {.size = kind == "pile" ? 10 : 0});
    if (kind == "robot") problem.constraints[1].upper = std::numeric_limits<double>::infinity();
    Solution guess;
    guess.v = problem.b;
    guess.lambda = 0.3 * problem.e.array() + 0.1;
    write_problem(path("p.hdf5"), problem, ProblemForm::kGlobal, &guess);
    const StoredProblem stored = read_problem(path("p.hdf5"));
    expect_same(stored.problem, problem);
    ASSERT_TRUE(stored.has_guess);
    EXPECT_EQ(stored.guess.v, guess.v);
    EXPECT_EQ(stored.guess.lambda, guess.lambda);
  }
}

// W = J A^-1 J^T and q = J A^-1 b + e, whatever the bodies.
void contact_space(const Problem& problem, Eigen::MatrixXd& W, VectorXd& q) {
  const DynamicsFactor factor(problem);
  Matrix6Xd V(6, problem.bodies.size());
  W.resize(problem.n_c(), problem.n_c());
  VectorXd u(problem.n_c());
  for (int c = 0; c < problem.n_c(); ++c) {
    VectorXd v = VectorXd::Zero(problem.n());
    add_J_transposed(problem, VectorXd::Unit(problem.n_c(), c), V, v);
    factor.solve_in_place(v);
    multiply_J(problem, v, V, u);
    W.col(c) = u;
  }
  VectorXd v = problem.b;
  factor.solve_in_place(v);
  multiply_J(problem, v, V, u);
  q = u + problem.e;
}

// What another reader of FCLIB files finds: the standard groups alone hold the same problem.
TEST_F(FclibFiles, StandardGroupsHoldTheSameProblem) {
  for (const char* kind : {"stack", "arm", "slide"}) {
    SCOPED_TRACE(kind);
    const Problem problem = generate_problem(kind, 2);
    Eigen::MatrixXd W;
    VectorXd q;
    contact_space(problem, W, q);
    for (ProblemForm form : {ProblemForm::kGlobal, ProblemForm::kLocal}) {
      write_problem(path("p.hdf5"), problem, form, nullptr);
      const Hdf5Reader file(path("p.hdf5"));
      const Problem plain = form == ProblemForm::kGlobal ? read_global(file) : read_local(file);
      ASSERT_EQ(plain.constraints.size(), problem.constraints.size());
      Eigen::MatrixXd W_plain;
      VectorXd q_plain;
      contact_space(plain, W_plain, q_plain);
      EXPECT_LT((W - W_plain).norm(), 1e-11 * W.norm());
      EXPECT_LT((q - q_plain).norm(), 1e-11 * q.norm());
      EXPECT_EQ(plain.constraints.back().mu, problem.constraints.back().mu);
    }
  }
}

TEST_F(FclibFiles, EqualitiesGoThroughG) {
  Problem problem = generate_problem("one", 1);
  Constraint equality;
  equality.type = ConstraintType::kEquality;
  equality.rows = 1;
  problem.add_constraint(equality, {problem.dof_port({1, 4}, {{2, 0, 0}, {-3, 0, 0}})},
                         {0.5, 0, 0});
  write_problem(path("p.hdf5"), problem, ProblemForm::kGlobal, nullptr);
  const Problem plain = read_global(Hdf5Reader(path("p.hdf5")));
  ASSERT_EQ(plain.constraints.size(), 2u);
  EXPECT_EQ(plain.constraints[1].type, ConstraintType::kEquality);
  EXPECT_EQ(plain.e[3], 0.5);
  EXPECT_EQ(plain.ports[plain.constraints[1].port_begin].block(0, 1), 2);
  EXPECT_EQ(plain.ports[plain.constraints[1].port_begin].block(0, 4), -3);
}

// M = [2 -1 .; -1 3 .; . . 4] in every storage, with room to spare after the entries.
TEST_F(FclibFiles, ReadsTripletsColumnsAndRows) {
  Eigen::MatrixXd expected(3, 3);
  expected << 2, -1, 0, 7, 3, 0, 0, 0, 4;
  struct Storage {
    int nz;
    std::vector<int> p;
    std::vector<int> i;
    std::vector<double> x;
  };
  const std::vector<Storage> storages = {
      {5, {0, 0, 1, 1, 2, 9, 9}, {0, 1, 0, 1, 2, 9, 9}, {2, 7, -1, 3, 4, 8, 8}},
      {-1, {0, 2, 4, 5}, {0, 1, 0, 1, 2, 0}, {2, 7, -1, 3, 4, 0}},
      {-2, {0, 2, 4, 5}, {0, 1, 0, 1, 2, 0}, {2, -1, 7, 3, 4, 0}},
  };
  for (const Storage& storage : storages) {
    {
      Hdf5Writer file(path("m.hdf5"));
      file.integer("/g/m", 3);
      file.integer("/g/n", 3);
      file.integer("/g/nz", storage.nz);
      file.integer("/g/nzmax", static_cast<int>(storage.x.size()));
      file.ints("/g/p", storage.p);
      file.ints("/g/i", storage.i);
      file.doubles("/g/x", storage.x);
      file.commit();
    }
    EXPECT_EQ(Eigen::MatrixXd(read_matrix(Hdf5Reader(path("m.hdf5")), "/g")), expected);
  }
}

// A small global file that tests may spoil.
struct Draft {
  Eigen::MatrixXd M = Eigen::MatrixXd::Identity(6, 6);
  Eigen::MatrixXd H = Eigen::MatrixXd::Identity(6, 3);
  std::vector<double> f = std::vector<double>(6, 0.1);
  std::vector<double> w = {0, 0, 0};
  std::vector<double> mu = {0.5};
  int spacedim = 3;

  void write(const std::string& path) const {
    Hdf5Writer file(path);
    file.integer("/fclib_global/spacedim", spacedim);
    write_matrix(file, "/fclib_global/M", M.sparseView());
    write_matrix(file, "/fclib_global/H", H.sparseView());
    file.doubles("/fclib_global/vectors/f", f);
    file.doubles("/fclib_global/vectors/w", w);
    file.doubles("/fclib_global/vectors/mu", mu);
    file.commit();
  }
};

std::string refusal(const std::string& path) {
  const std::string message = message_of([&] { read_problem(path); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

void expect_contains(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(FclibFiles, RefusalsNameTheDatasetAndWhatWasExpected) {
  const std::string file = path("p.hdf5");
  Draft().write(file);
  EXPECT_EQ(refusal(file), "");
  const auto spoiled = [&](const auto& spoil) {
    Draft draft;
    spoil(draft);
    draft.write(file);
    const std::string message = refusal(file);
    EXPECT_EQ(message.find(file), 0u) << message;
    return message;
  };
  expect_contains(spoiled([](Draft& d) { d.M(0, 1) = 0.5; }), {"/fclib_global/M", "0.2", "1e-9"});
  expect_contains(spoiled([](Draft& d) { d.M(2, 2) = -1; }), {"subsystem 0", "positive definite"});
  expect_contains(spoiled([](Draft& d) { d.M(2, 2) = std::nan(""); }), {"/M/x", "(2, 2)", "nan"});
  expect_contains(spoiled([](Draft& d) { d.H.conservativeResize(5, 3); }), {"/H", "5 rows", "6"});
  expect_contains(spoiled([](Draft& d) { d.f.pop_back(); }), {"/vectors/f", "5 values", "6"});
  expect_contains(spoiled([](Draft& d) { d.w.push_back(1); }), {"/vectors/w", "4 values", "3"});
  expect_contains(spoiled([](Draft& d) { d.mu.push_back(1); }), {"/H", "3 columns"});
  expect_contains(spoiled([](Draft& d) { d.mu[0] = -0.5; }), {"constraint 0", "mu", "-0.5"});
  expect_contains(spoiled([](Draft& d) { d.w[1] = std::nan(""); }), {"e", "nan"});
  expect_contains(spoiled([](Draft& d) { d.spacedim = 2; }), {"spacedim", "2", "3"});
}

TEST_F(FclibFiles, NearlySymmetricIsMadeSymmetric) {
  Draft draft;
  draft.M(0, 1) = 0.5;
  draft.M(1, 0) = 0.5 + 1e-12;
  draft.write(path("p.hdf5"));
  const Problem problem = read_problem(path("p.hdf5")).problem;
  EXPECT_EQ(problem.bodies[0].H(0, 1), problem.bodies[0].H(1, 0));
}

TEST_F(FclibFiles, WhatIsNotAProblemIsRefused) {
  expect_contains(refusal(path("none.hdf5")), {"none.hdf5", "no such file"});
  expect_contains(refusal(folder_.string()), {"is a folder"});
  std::ofstream(path("text.hdf5")) << "not an HDF5 file";
  expect_contains(refusal(path("text.hdf5")), {"is not an HDF5 file"});
  std::ofstream(path("empty.hdf5")).close();
  expect_contains(refusal(path("empty.hdf5")), {"is not an HDF5 file"});
  Hdf5Writer other(path("other.hdf5"));
  other.doubles("/something", {1, 2});
  other.commit();
  expect_contains(refusal(path("other.hdf5")), {"/fclib_global, /fclib_local or /stiction"});
}

// Cut anywhere, or with a byte turned over: an error of ours or an acceptable problem, no crash.
TEST_F(FclibFiles, DamagedFilesAreRefusedOrWellFormed) {
  write_problem(path("good.hdf5"), generate_problem("robot", 1), ProblemForm::kGlobal, nullptr);
  std::ifstream input(path("good.hdf5"), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(input)), {});
  const auto survives = [&](const std::string& content) {
    std::ofstream(path("bad.hdf5"), std::ios::binary) << content;
    try {
      validate(read_problem(path("bad.hdf5")).problem);
    } catch (const InputError&) {
    }
  };
  for (size_t part = 0; part < 64; ++part) survives(good.substr(0, good.size() * part / 64));
  for (size_t k = 0; k < 300; ++k) {
    std::string bad = good;
    bad[(k * 7919) % bad.size()] ^= static_cast<char>(1 + k % 255);
    survives(bad);
  }
}

TEST_F(FclibFiles, AFailedWriteLeavesTheOldFile) {
  const std::string file = path("p.hdf5");
  write_problem(file, generate_problem("one", 1), ProblemForm::kGlobal, nullptr);
  // The local form cannot hold a robot's constraints.
  EXPECT_THROW(write_problem(file, generate_problem("robot", 1), ProblemForm::kLocal, nullptr),
               InputError);
  expect_same(read_problem(file).problem, generate_problem("one", 1));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_THROW(write_problem(path("no/such/folder.hdf5"), generate_problem("one", 1),
                             ProblemForm::kGlobal, nullptr),
               InputError);
}

}  // namespace
}  // namespace stiction
