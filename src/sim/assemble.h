// Constraints of the step: contacts, joint limits, joint friction, equalities, as rows J, e and
// their laws. The only place where bodies and geoms become J and e.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/simulation.h>
#include <stiction/tree.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/servos.h"
#include "sim/structure.h"

namespace stiction {

enum class SourceKind : std::uint8_t {
  kContact,
  kJointLimit,
  kTendonLimit,
  kJointFriction,
  kTendonFriction,
  kTendonDynamics,
  kEquality,
  kSpring,
  kRolling,
  kServo
};

/// What a constraint of the problem stands for.
struct ConstraintSource {
  SourceKind kind = SourceKind::kContact;
  int index = 0;  ///< contact, joint, tendon, dof, equality, spring, rolling pair, actuator
  /// Of an equality: 0 translation, 1 rotation; of rolling: the row; of an actuator: the servo.
  int part = 0;
  std::uint64_t id = 0;  ///< for the warm start
};

/// A warm-start id of a constraint that is no contact; contacts have ids below 2^63.
inline std::uint64_t constraint_id(SourceKind kind, int index, int part = 0) {
  return (1ull << 63) | static_cast<std::uint64_t>(kind) << 56 |
         static_cast<std::uint64_t>(part) << 40 | static_cast<std::uint64_t>(index);
}

/// What a step's constraints are made of, besides the contacts.
struct AssembleInput {
  const Model& model;
  const Structure& structure;
  const TreeData& tree;
  const Eigen::VectorXd& qpos;
  const Eigen::VectorXd& qvel;
  const Eigen::VectorXd& expected;  ///< velocity to be ready for, beside qvel
  const std::vector<char>& eq_active;
  const std::vector<Servo>& servos;
  const std::vector<Spring>& springs;
  const std::vector<Rolling>& rolling;
  double h;
  bool soft_contacts;  ///< the solver has springs of its own: e_n = gap / h, whatever the gap
};

/// Removes the constraints of `problem` and adds those of this step. `phi` are the errors of the
/// equalities, which come last, row by row: velocities leave them as they are (see close_loops).
void assemble_constraints(const AssembleInput& input, const std::vector<ContactForce>& contacts,
                          Problem& problem, std::vector<ConstraintSource>& sources,
                          Eigen::VectorXd& phi);

/// "contact floor - box", "limit of joint 'hip'": for reports.
std::string constraint_name(const Model& model, const std::vector<ContactForce>& contacts,
                            const ConstraintSource& source);

}  // namespace stiction
