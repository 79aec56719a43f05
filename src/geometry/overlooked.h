// Whether the contacts that are kept of a manifold hold the others, too.
//
// A rigid motion changes gaps by a function of the position that is linear, seen along the normal.
// So if the kept contacts (x_k, g_k) do not penetrate, neither does another one that is on or above
// the lower convex hull of theirs, and one that is below it may sink in by how far it is below. The
// hull is the largest of the planes through three of the kept contacts that have none below.
#pragma once

#include "geometry/collide.h"

namespace stiction {

/// Of the contacts from first + kept on that may sink in by more than `tolerance` while none of the
/// `kept` ones before does, the one that is nearest to it, by its gap; contacts.size() if none may.
/// At most kMaxManifold are kept.
size_t nearest_overlooked(const std::vector<ContactPoint>& contacts, size_t first, size_t kept,
                          double tolerance);

}  // namespace stiction
