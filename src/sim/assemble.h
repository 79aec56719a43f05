// Constraints of the step: contacts, joint limits, joint friction, equalities, as rows J, e and
// their laws. The only place where bodies and geoms become J and e.
//
// Where contacts act. A contact is seen before the bodies touch, at a gap g that the step closes.
// The points x1, x2 of the two surfaces meet within the step, and until then each moves along with
// its body: the arm is x_i - c_i, that of a ball its radius, however wide the gap. So each body's
// port takes its own point, and n is the normal with which they meet. Velocities and spins after an
// impact are those of its closed form, at any h.
//
// The step moves bodies by h v+, as if the impulse had come when it began, with x1 and x2 still
// apart: the angular momentum of two free bodies changes by (x2 - x1) x lambda. (Had they
// approached first, for the time t, m c x v+ would be another by t m v x v+, which is in all t (v2
// - v1) x lambda: the same, as t (v2 - v1) = x1 - x2.) A point in common keeps it, with arms that
// are wrong by half the gap. So two moving bodies have one, midway, where the gap is small beside
// them (Meeting::kNear: a hundredth of their size and what weight does within the step). Fast ones
// that meet on their way do not: with arms and normals that are wrong by as much as they move in a
// step, so would be slip, spin, energy and the directions that they leave in.
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
  double tolerance;    ///< of the solve, m/s: what a contact may close by less, it touches
  bool soft_contacts;  ///< the solver has springs of its own: e_n = gap / h, whatever the gap
};

/// Removes the constraints of `problem` and adds those of this step. `phi` are the errors of the
/// equalities, which come last, row by row: velocities leave them as they are (see close_loops).
void assemble_constraints(const AssembleInput& input, const std::vector<ContactForce>& contacts,
                          Problem& problem, std::vector<ConstraintSource>& sources,
                          Eigen::VectorXd& phi);

/// "contact 'floor' - 'box'", "limit of joint 'hip'": for reports.
std::string contact_name(const Model& model, const ContactForce& contact);
std::string constraint_name(const Model& model, const std::vector<ContactForce>& contacts,
                            const ConstraintSource& source);

}  // namespace stiction
