// Which of many contacts of a surface are kept ([TRO25] VII-A).
//
// The clusters are the patches of one level of the surface's tree, so that they are the same in
// every step. Each keeps its deepest contact; besides, the extremes along the axes are kept.
#pragma once

#include "geometry/pairs.h"
#include "geometry/surface_tree.h"

namespace stiction {

/// At most so many contacts per pair; above that number they are clustered.
constexpr int kMaxSurfaceContacts = 120;

/// A face that may hold a contact, before it is searched.
struct NearFace {
  int face = 0;
  int leaf = 0;      ///< its patch of the tree's last level
  double least = 0;  ///< gap at its corners, and in its middle by extrapolation
  double rank = 0;   ///< the same less the surface's lead, see SurfaceTree
  double bend = 0;   ///< how far the gap in the middle is from the mean of the corners'
  bool searched = false;
};

/// A contact that was found.
struct SurfaceContact {
  ContactPoint contact;
  int leaf = 0;     ///< of its face
  double lead = 0;  ///< of the surface there
  int face = 0;
  double facing = -1;  ///< cosine between the normals of the two
  bool faces = true;   ///< the surfaces look at each other; else there may be a contact at an edge
  bool sharp = false;  ///< the surfaces do not face each other: there is an edge
  bool chord = false;  ///< it is on the side of a face that may be the chord of a round edge

  double rank() const { return contact.gap - lead; }
};

/// The finest level of the tree with few enough patches that have a point within the margin. The
/// faces are in the order of the tree, as the contacts below.
int cluster_level(const SurfaceTree& tree, const std::vector<NearFace>& faces, double margin);

/// Marks the faces within the margin that reach furthest along the axes of the surface.
void mark_extremes(const SurfaceTree& tree, double margin, std::vector<NearFace>& faces);

/// Appends the contacts that are kept. A cluster's is named by its patch.
void keep_clusters(const SurfaceTree& tree, int level, const Frame& X_WB,
                   const std::vector<SurfaceContact>& found, Contacts& contacts);

}  // namespace stiction
