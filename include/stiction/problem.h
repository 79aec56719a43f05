// The contact problem: all that a solver sees. Find v (velocity, n) and lambda (impulse, n_c) with
//
//   A v = b + J^T lambda,   (J v, lambda) in S_c                                 [TRO25] (8)
//
// A is block-diagonal over subsystems and symmetric positive definite. A subsystem is a kinematic
// tree (a single rigid body is a tree of one body with six dofs) or a general sparse block (FEM, a
// rod). For a tree, A is not stored: it follows from the bodies' inertias H_b and joint columns S,
//
//   A = sum_b J_b^T H_b J_b + diag(D),   J_b = the columns S of b and its ancestors,   [TRO25] (41)
//
// with twists (linear; angular) and wrenches in world axes about one reference point per tree.
// Velocities in m/s and rad/s, impulses in N s and N m s.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <string>
#include <vector>

namespace stiction {

/// Row order of a contact is tangent, tangent, normal. With s = J v + e:
enum class ConstraintType {
  kContact,        ///< 3 rows: Signorini + Coulomb with coefficient mu             [TRO25] (5)
  kUnilateral,     ///< 1 row: 0 <= lambda, s >= 0, lambda s = 0                     [TRO25] (3)
  kEquality,       ///< 1 or 3 rows: s = 0
  kSoft,           ///< 1 or 3 rows: lambda = -k e - c J v                           [TRO25] (4)
  kJointFriction,  ///< 1 row: dry friction, |lambda| <= bound                       [JOINT] (6)
  kJointLimit,     ///< 1 row: lower <= s <= upper                                   [JOINT] (8)
};

/// One end of a constraint: three rows (unused ones zero) on a body's twist, or on a few dofs.
struct Port {
  int body = -1;  ///< of Problem::bodies, or -1 for a port on dofs
  Eigen::Matrix<double, 3, 6> block = Eigen::Matrix<double, 3, 6>::Zero();  ///< on the twist
  int entry_begin = 0;  ///< dof port: range of Problem::port_dofs and port_columns
  int entry_count = 0;
};

struct Constraint {
  ConstraintType type = ConstraintType::kContact;
  int rows = 3;
  int row_begin = 0;   ///< in lambda, e, J v
  int port_begin = 0;  ///< its ports are ports[port_begin .. + port_count)
  int port_count = 0;  ///< 1 or 2
  double mu = 0;       ///< contact
  double bound = 0;    ///< joint friction: torque bound times h, N m s
  double lower = 0;    ///< joint limit
  double upper = 0;
  double k = 0;  ///< soft
  double c = 0;  ///< soft, > 0; b in the paper
};

/// A body of a tree: its twist is its parent's plus S.middleCols(dof_begin, dof_count) v.
struct ProblemBody {
  int parent = -1;    ///< of Problem::bodies, smaller than its own index; -1: ground
  int dof_begin = 0;  ///< in v
  int dof_count = 0;
  Eigen::Matrix<double, 6, 6> H = Eigen::Matrix<double, 6, 6>::Zero();  ///< inertia
};

struct Subsystem {
  int dof_begin = 0;
  int dof_count = 0;
  int body_begin = 0;  ///< a tree's bodies; a sparse block has none
  int body_count = 0;
  int sparse = -1;  ///< of Problem::sparse_blocks, or -1 for a tree
};

struct Problem {
  // Dynamics
  std::vector<Subsystem> subsystems;
  std::vector<ProblemBody> bodies;
  Eigen::Matrix<double, 6, Eigen::Dynamic> S;  ///< 6 x n, joint columns of trees
  Eigen::VectorXd D;                           ///< n: armature, implicit damping and stiffness
  std::vector<Eigen::SparseMatrix<double>> sparse_blocks;  ///< full, symmetric
  Eigen::VectorXd b;                                       ///< n

  // Constraints
  std::vector<Constraint> constraints;
  std::vector<Port> ports;
  std::vector<int> port_dofs;                 ///< entries of dof ports
  std::vector<Eigen::Vector3d> port_columns;  ///< their columns of J
  Eigen::VectorXd e;                          ///< n_c
  std::vector<std::string> names;             ///< per constraint, may be empty

  int n() const { return static_cast<int>(b.size()); }
  int n_c() const { return static_cast<int>(e.size()); }

  /// Adds a tree of one body whose twist is v itself (S = I) with inertia H; returns the body.
  int add_rigid_body(const Eigen::Matrix<double, 6, 6>& H, const Eigen::Matrix<double, 6, 1>& b);
  /// Adds a subsystem with a general sparse A block; returns its first dof.
  int add_sparse_block(const Eigen::SparseMatrix<double>& A, const Eigen::VectorXd& b);
  /// Adds a constraint on the given ports; fills row_begin and port_begin. Returns its index.
  int add_constraint(Constraint constraint, const std::vector<Port>& ports,
                     const Eigen::Vector3d& e);
  /// A port on one dof: row 0 is its velocity.
  Port dof_port(int dof);
  /// A port on the given dofs.
  Port dof_port(const std::vector<int>& dofs, const std::vector<Eigen::Vector3d>& columns);
};

/// Throws InputError with the index and the value of the first thing that is wrong: sizes, NaN,
/// mu < 0, A not positive definite, two ports on one body.
void validate(const Problem& problem);

/// What `generate_problem` may be told; 0 or -1 leaves the choice to the seed.
struct GenerateOptions {
  int size = 0;           ///< see the table below
  double mass_ratio = 0;  ///< heavy over light: stack, pile, tower
  double mu = -1;         ///< one coefficient for all contacts; not of `empty`
};

/// Test problems of one time step of 1/240 s, the same for the same arguments. Every kind but
/// `wedge` is solvable by construction: some v has J v + e inside the dual cones.
///
/// By kind, with what `size` counts and its default:
/// - stack: contacts (20-60). Bowls of 0.1 kg under 5 kg, too many contacts on two rings each.
/// - nut: contacts (60-120). A nut of 0.2 kg on both flanks of a thread.
/// - pile: spheres (50-200). A settled heap in a box.
/// - arm: objects (1-3). Seven joints under stiff implicit control pressing boxes down.
/// - slide: boxes (2-8). A row of boxes pushed over the floor, mu 0.1 to 2.
/// - wedge: contacts (8). Pushed into a groove so narrow that no solution exists.
/// - tower: boxes (10). Four contacts per interface, the top one heavier (1:50).
/// - dish: contacts (100). Four dishes at rest.
/// - discs: discs (5). Flat discs at rest, twelve contacts per interface.
/// - robot: legs (4). All constraint types, a floating tree and an elastic beam.
/// - empty: bodies (3). No constraint at all.
/// - one: no size. A point on the floor that, by seed modulo 3, opens, sticks or slips.
///
/// Throws InputError for an unknown kind or a size, ratio or mu that is out of range or that the
/// kind does not have.
Problem generate_problem(const std::string& kind, std::uint64_t seed,
                         const GenerateOptions& options = {});
const std::vector<std::string>& problem_kinds();

/// The same problem with masses times `mass` and lengths times `length`, velocities in m/s kept (so
/// times scale like lengths): impulses scale by `mass`, the scaled residual of contacts not at all.
/// Dofs of hinges and rotations, and rows on them, count as rad/s. Sparse blocks are taken as
/// translations.
Problem scaled_problem(const Problem& problem, double mass, double length);
/// The same problem with the reference point of every tree moved by `d`: v and lambda keep.
Problem shifted_problem(const Problem& problem, const Eigen::Vector3d& d);

}  // namespace stiction
