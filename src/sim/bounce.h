// Restitution under the theta rule.
//
// A bounce sets the new speed v+ of a contact to -e times the old one, and the step then moves on
// by h v+. In free flight [TRO25] (2) keeps, for an acceleration a along the normal,
//
//   I = v^2 / 2 - a z + (1/2 - theta) h a v,
//
// and that is kept by an elastic bounce, to O(h^2), if v+ is larger by 2 theta h a: with theta = 0
// by nothing, with theta = 1/2 by the speed that gravity gives in a step. Otherwise every bounce
// adds the energy of the way h v+ (a fiftieth of a drop from 1 m at h = 1/240 s).
#pragma once

#include <stiction/problem.h>

#include <vector>

#include "sim/assemble.h"

namespace stiction {

/// Whether a contact bounces in this step, however slowly. Contacts are the first constraints.
bool any_bounce(const std::vector<ContactForce>& contacts, const Problem& problem);

/// Corrects e of contacts that bounce; theta > 0.
void correct_bounces(double theta, const Eigen::VectorXd& qvel,
                     const std::vector<ContactForce>& contacts, Problem& problem);

}  // namespace stiction
