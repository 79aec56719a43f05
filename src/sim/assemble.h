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

#include "sim/structure.h"

namespace stiction {

enum class SourceKind : std::uint8_t {
  kContact,
  kJointLimit,
  kTendonLimit,
  kJointFriction,
  kTendonFriction,
  kEquality
};

/// What a constraint of the problem stands for.
struct ConstraintSource {
  SourceKind kind = SourceKind::kContact;
  int index = 0;         ///< contact, joint, tendon, dof or equality of the model
  int part = 0;          ///< of an equality: 0 translation, 1 rotation
  std::uint64_t id = 0;  ///< for the warm start
};

/// Removes the constraints of `problem` and adds those of this step.
void assemble_constraints(const Model& model, const Structure& structure, const TreeData& tree,
                          const Eigen::VectorXd& qpos, const Eigen::VectorXd& qvel,
                          const std::vector<ContactForce>& contacts, double h,
                          const SimulationOptions& options, Problem& problem,
                          std::vector<ConstraintSource>& sources);

/// "contact floor - box", "limit of joint 'hip'": for reports.
std::string constraint_name(const Model& model, const std::vector<ContactForce>& contacts,
                            const ConstraintSource& source);

}  // namespace stiction
