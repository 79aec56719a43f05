// Random problems of every kind of subsystem and constraint, for checks of linear algebra.
#pragma once

#include <stiction/problem.h>

#include <random>

namespace stiction {

/// Two rigid bodies, a branching tree of nine bodies and a sparse block of twelve dofs, joined by
/// constraints of every type and every combination of ports.
inline Problem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  const auto inertia = [&random] {
    std::normal_distribution<double> normal;
    Eigen::Matrix<double, 6, 6> X;
    for (double& x : X.reshaped()) x = normal(random);
    return Eigen::Matrix<double, 6, 6>(X * X.transpose() + Eigen::Matrix<double, 6, 6>::Identity());
  };
  std::srand(seed);
  Problem problem;
  problem.add_rigid_body(inertia(), Eigen::Matrix<double, 6, 1>::Random());
  problem.add_rigid_body(inertia(), Eigen::Matrix<double, 6, 1>::Random());

  Subsystem tree;
  tree.dof_begin = problem.n();
  tree.body_begin = static_cast<int>(problem.bodies.size());
  const int parents[] = {-1, 0, 1, 2, 1, 4, 0, 6, 7};
  const int dofs[] = {6, 1, 2, 1, 1, 3, 1, 0, 1};
  for (int b = 0; b < 9; ++b) {
    ProblemBody body;
    body.parent = parents[b] < 0 ? -1 : tree.body_begin + parents[b];
    body.dof_begin = tree.dof_begin + tree.dof_count;
    body.dof_count = dofs[b];
    body.H = inertia();
    problem.bodies.push_back(body);
    tree.dof_count += dofs[b];
  }
  tree.body_count = 9;
  problem.subsystems.push_back(tree);
  problem.S.conservativeResize(6, tree.dof_begin + tree.dof_count);
  problem.S.rightCols(tree.dof_count).setRandom();
  problem.D.conservativeResize(problem.S.cols());
  problem.D.tail(tree.dof_count).setConstant(0.3);
  problem.b.conservativeResize(problem.S.cols());
  problem.b.tail(tree.dof_count).setRandom();

  Eigen::SparseMatrix<double> A(12, 12);
  for (int i = 0; i < 12; ++i) {
    A.insert(i, i) = 4;
    if (i >= 3) A.insert(i, i - 3) = A.insert(i - 3, i) = -1;
  }
  const int first = problem.add_sparse_block(A, Eigen::VectorXd::Random(12));

  const auto on_body = [](int body) {
    Port port;
    port.body = body;
    port.block.setRandom();
    return port;
  };
  const auto on_nodes = [&problem, first](int node) {
    return problem.dof_port(
        {first + 3 * node, first + 3 * node + 1, first + 3 * node + 2},
        {Eigen::Vector3d::Random(), Eigen::Vector3d::Random(), Eigen::Vector3d::Random()});
  };
  const auto on_joint = [&problem, &tree](int dof) {
    return problem.dof_port({tree.dof_begin + dof}, {Eigen::Vector3d::UnitX()});
  };
  const Eigen::Vector3d e(0.1, -0.2, -0.3);
  const Constraint contact{.mu = 0.6};
  for (int k = 0; k < 6; ++k) problem.add_constraint(contact, {on_body(0), on_body(1)}, e);
  for (int k = 0; k < 40; ++k) problem.add_constraint(contact, {on_body(5), on_body(7)}, e);
  problem.add_constraint(contact, {on_body(1)}, e);
  problem.add_constraint(contact, {on_body(0), on_body(5)}, e);
  problem.add_constraint(contact, {on_body(7), on_body(10)}, e);
  problem.add_constraint(contact, {on_body(3), on_body(5)}, e);
  problem.add_constraint(contact, {on_nodes(0), on_nodes(2)}, e);
  problem.add_constraint(contact, {on_body(8), on_nodes(3)}, e);
  problem.add_constraint({.type = ConstraintType::kJointFriction, .rows = 1, .bound = 0.2},
                         {on_joint(7)}, Eigen::Vector3d::Zero());
  problem.add_constraint(
      {.type = ConstraintType::kJointLimit, .rows = 1, .lower = -0.1, .upper = 0.1}, {on_joint(9)},
      Eigen::Vector3d::Zero());
  problem.add_constraint({.type = ConstraintType::kEquality, .rows = 1},
                         {on_joint(12), on_joint(14)}, e);
  problem.add_constraint({.type = ConstraintType::kEquality}, {on_body(1), on_body(6)}, e);
  problem.add_constraint({.type = ConstraintType::kSoft, .k = 2, .c = 0.5}, {on_body(4)}, e);
  Port normal_only = on_body(1);
  normal_only.block.bottomRows<2>().setZero();
  problem.add_constraint({.type = ConstraintType::kUnilateral, .rows = 1}, {normal_only}, e);
  return problem;
}

}  // namespace stiction
