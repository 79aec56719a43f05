// Which contacts of two bodies an impact is about. Fast bodies have contacts at all points that
// their speed brings near, and of a round one most never touch: the first that is hit throws the
// body back. If it turns the body so that another point hits, that is another impact (impacts.h).
#pragma once

#include <stiction/simulation.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

/// Sets, for each contact, whether it is closed within h seconds at the speed u[3 k + 2] along its
/// normal (m/s), faster than `least`, and before all others of the same two bodies or at once with
/// the first.
void find_first_hits(const std::vector<ContactForce>& contacts, const Eigen::VectorXd& u, double h,
                     double least, std::vector<char>& hits);

}  // namespace stiction
