// The faces of a surface that a distance field may reach.
#pragma once

#include "geometry/sdf/block_sampler.h"
#include "geometry/sdf/surface_clusters.h"

namespace stiction {

/// Reused from call to call, so that a step allocates nothing once it has grown.
class NearFaces {
 public:
  std::vector<NearFace> faces{};   ///< in the order of the tree
  std::vector<Sample> vertices{};  ///< of the tree; those of the faces are known

  void find(const SurfacePair& pair, double margin);

 private:
  // A ball of B's tree, on the way down through its levels.
  struct Node {
    int index = 0;        // within its level
    bool known = false;   // to be reached by A
    double distance = 0;  // of A at its centre, unless that is known
  };

  void find_leaves(const SurfacePair& pair, double margin);
  template <class Visit>
  void for_faces_found(const SurfaceTree& tree, const Visit& visit) const;

  std::vector<Node> nodes_{}, children_{};
  std::vector<unsigned> known_{};  // per vertex, the call in which it was last asked about
  unsigned call_ = 0;
};

}  // namespace stiction
