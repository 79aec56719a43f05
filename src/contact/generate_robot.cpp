// A floating trunk with legs on an elastic beam: every constraint type in one problem. All gaps are
// open, all limits lie on both sides of rest and all equalities hold at v = 0: solvable.
#include <cmath>

#include "contact/generate_tree.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kBeamNodes = 6;

struct Leg {
  int first_dof = 0;
  int foot = 0;  ///< body
  Vector3d foot_W = Vector3d::Zero();
};

int add_named(Problem& problem, const Constraint& constraint, const std::vector<Port>& ports,
              const Vector3d& e, const std::string& name) {
  problem.names.push_back(name);
  return problem.add_constraint(constraint, ports, e);
}

int add_trunk(GeneratedScene& scene, const Vector3d& O_W) {
  Link trunk;
  trunk.S.setIdentity(6, 6);
  trunk.mass = 10;
  trunk.p_WC = O_W;
  trunk.I_c = box_inertia(10, {0.3, 0.15, 0.06});
  return add_link(scene, trunk, O_W);
}

// Abduction, hip and knee.
Leg add_leg(GeneratedScene& scene, Random& random, int trunk, const Vector3d& hip_W,
            const Vector3d& O_W) {
  Leg leg;
  leg.first_dof = scene.problem.n();
  leg.foot_W = hip_W + Vector3d(random.uniform(-0.05, 0.05), 0, -0.4);
  const Vector3d knee_W = hip_W + Vector3d(-0.1, 0, -0.2);
  const Vector3d from[3] = {hip_W, hip_W, knee_W};
  const Vector3d to[3] = {hip_W, knee_W, leg.foot_W};
  const double mass[3] = {0.8, 1, 0.3};
  int parent = trunk;
  for (int k = 0; k < 3; ++k) {
    Link link;
    link.parent = parent;
    link.S.resize(6, 1);
    link.S.col(0) = hinge_column(k == 0 ? Vector3d::UnitX() : Vector3d::UnitY(), from[k], O_W);
    link.mass = mass[k];
    link.p_WC = 0.5 * (from[k] + to[k]);
    link.I_c = box_inertia(mass[k], {0.03, 0.03, 0.1});
    parent = add_link(scene, link, O_W);
    scene.problem.D[leg.first_dof + k] = random.uniform(0.001, 0.05);
  }
  leg.foot = parent;
  return leg;
}

// A chain of lumped nodes with springs along and across, M + h^2 K; returns its first dof.
int add_beam(Problem& problem, Random& random) {
  const double node_mass = 0.2;
  const double stiffness = kTimeStep * kTimeStep * random.log_uniform(1e3, 1e5);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < 3 * kBeamNodes; ++k) entries.emplace_back(k, k, node_mass);
  for (int k = 0; k < 3 * (kBeamNodes - 1); ++k) {
    entries.emplace_back(k, k, stiffness);
    entries.emplace_back(k + 3, k + 3, stiffness);
    entries.emplace_back(k, k + 3, -stiffness);
    entries.emplace_back(k + 3, k, -stiffness);
  }
  Eigen::SparseMatrix<double> A(3 * kBeamNodes, 3 * kBeamNodes);
  A.setFromTriplets(entries.begin(), entries.end());
  Eigen::VectorXd b = Eigen::VectorXd::Zero(A.rows());
  for (int k = 0; k < kBeamNodes; ++k) b[3 * k + 2] = -kTimeStep * kGravity * node_mass;
  return problem.add_sparse_block(A, b);
}

void add_joint_constraints(Problem& problem, Random& random, const Leg& leg, int index) {
  const std::string name = "leg " + std::to_string(index);
  for (int k = 0; k < 3; ++k) {
    const int dof = leg.first_dof + k;
    Constraint friction;
    friction.type = ConstraintType::kJointFriction;
    friction.rows = 1;
    friction.bound = kTimeStep * random.uniform(0.1, 3);
    add_named(problem, friction, {problem.dof_port({dof}, {Vector3d::UnitX()})}, Vector3d::Zero(),
              name + " friction " + std::to_string(k));
    Constraint limit;
    limit.type = ConstraintType::kJointLimit;
    limit.rows = 1;
    limit.lower = -random.uniform(0.01, 2);
    limit.upper = random.uniform(0.01, 2);
    add_named(problem, limit, {problem.dof_port({dof}, {Vector3d::UnitX()})}, Vector3d::Zero(),
              name + " limit " + std::to_string(k));
  }
}

// What couples parts: a tendon over two joints, a gear, a pin between two feet, springs.
void add_couplings(GeneratedScene& scene, Random& random, const std::vector<Leg>& legs, int trunk) {
  Problem& problem = scene.problem;
  const int dof = legs.front().first_dof;
  Constraint tendon;
  tendon.type = ConstraintType::kUnilateral;
  tendon.rows = 1;
  add_named(problem, tendon,
            {problem.dof_port({dof + 1, dof + 2}, {Vector3d(0.03, 0, 0), Vector3d(-0.02, 0, 0)})},
            {random.uniform(1e-4, 1e-2), 0, 0}, "tendon");
  Constraint equality;
  equality.type = ConstraintType::kEquality;
  if (legs.size() > 1) {
    const Vector3d pin_W = 0.5 * (legs[0].foot_W + legs[1].foot_W);
    add_named(problem, equality,
              {scene.body_port(legs[0].foot, pin_W, Vector3d::UnitZ(), 1),
               scene.body_port(legs[1].foot, pin_W, Vector3d::UnitZ(), -1)},
              Vector3d::Zero(), "pin");
    equality.rows = 1;
    add_named(problem, equality,
              {problem.dof_port({legs[0].first_dof, legs[1].first_dof},
                                {Vector3d::UnitX(), Vector3d(-0.5, 0, 0)})},
              Vector3d::Zero(), "gear");
  }
  Constraint soft;
  soft.type = ConstraintType::kSoft;
  soft.k = random.uniform(0, 1);
  soft.c = random.log_uniform(0.01, 10);
  add_named(problem, soft, {scene.body_port(trunk, scene.origins[trunk], Vector3d::UnitZ(), 1)},
            random.in_ball(0.1), "trunk spring");
  soft.rows = 1;
  add_named(problem, soft, {problem.dof_port({dof}, {Vector3d::UnitX()})},
            {random.uniform(-0.1, 0.1), 0, 0}, "hip spring");
}

// The first node is pinned to the world, the middle ones touch the floor between two nodes, and the
// feet stand on the others.
void add_beam_constraints(GeneratedScene& scene, Random& random, const std::vector<Leg>& legs,
                          int beam, double mu) {
  Problem& problem = scene.problem;
  const Vector3d x = Vector3d::UnitX();
  const Vector3d y = Vector3d::UnitY();
  const Vector3d z = Vector3d::UnitZ();
  Constraint pin;
  pin.type = ConstraintType::kEquality;
  add_named(problem, pin, {problem.dof_port({beam, beam + 1, beam + 2}, {x, y, z})},
            Vector3d::Zero(), "beam pin");
  Constraint contact;
  contact.mu = mu;
  for (int k = 1; k + 1 < kBeamNodes; ++k) {
    const int dof = beam + 3 * k;
    const double w = random.uniform(0.2, 0.8);
    add_named(problem, contact,
              {problem.dof_port({dof, dof + 1, dof + 2, dof + 3, dof + 4, dof + 5},
                                {w * x, w * y, w * z, (1 - w) * x, (1 - w) * y, (1 - w) * z})},
              {0, 0, random.log_uniform(1e-3, 1e-1)}, "beam on floor " + std::to_string(k));
  }
  for (size_t k = 0; k < legs.size(); ++k) {
    const int dof = beam + 3 * (1 + static_cast<int>(k) % (kBeamNodes - 1));
    const Vector3d toe = legs[k].foot_W + Vector3d(0.02, 0, 0);
    // The frame of body_port about n = z: rows of the node's velocity must be in the same one.
    const Port foot = scene.body_port(legs[k].foot, toe, z, 1);
    add_named(
        problem, contact,
        {foot, problem.dof_port({dof, dof + 1, dof + 2},
                                {-foot.block.col(0), -foot.block.col(1), -foot.block.col(2)})},
        {0, 0, random.log_uniform(1e-4, 1e-2)}, "foot " + std::to_string(k) + " on beam");
    add_named(problem, contact, {scene.body_port(legs[k].foot, legs[k].foot_W, z, 1)},
              {0, 0, random.log_uniform(1e-4, 1e-2)}, "foot " + std::to_string(k) + " on floor");
  }
}

}  // namespace

Problem generate_robot(GenerateContext& context) {
  Random& random = context.random;
  const int legs = context.options.size > 0 ? context.options.size : 4;
  const double mu = context.mu({0.3, 0.6, 1});
  const Vector3d O_W(0, 0, 0.4);
  GeneratedScene scene;
  const int trunk = add_trunk(scene, O_W);
  std::vector<Leg> all;
  for (int k = 0; k < legs; ++k) {
    const Vector3d hip_W(0.2 * (k / 2), k % 2 == 0 ? 0.15 : -0.15, 0.4);
    all.push_back(add_leg(scene, random, trunk, hip_W, O_W));
  }
  Eigen::VectorXd v(scene.problem.n());
  for (double& value : v) value = random.uniform(-0.3, 0.3);
  add_tree_momentum(scene, scene.problem.subsystems.front(), v);
  for (int k = 0; k < legs; ++k) add_joint_constraints(scene.problem, random, all[k], k);
  add_couplings(scene, random, all, trunk);
  const int beam = add_beam(scene.problem, random);
  add_beam_constraints(scene, random, all, beam, mu);
  return scene.problem;
}

}  // namespace stiction
