// Equality constraints of MJCF as rows: connect (3), weld (3 + 3), joint and tendon couplings (1).
//
// They leave the position error phi(q), m or rad, in e; J is its derivative. Those of bodies that
// do not move have no row, and none has one that is switched off (State::eq_active).
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/tree.h>

#include <vector>

#include "sim/structure.h"

namespace stiction {

void add_equality(const Model& model, const Structure& structure, const TreeData& tree,
                  const Eigen::VectorXd& qpos, const Equality& equality, Problem& problem);

/// All of the model's that are `active`, in order, in place of the problem's constraints.
void assemble_equalities(const Model& model, const Structure& structure, const TreeData& tree,
                         const Eigen::VectorXd& qpos, const std::vector<char>& active,
                         Problem& problem);

}  // namespace stiction
