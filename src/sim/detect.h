// Contacts of the whole model at the current poses: broad phase, MJCF's filters, narrow phase, and
// for each contact the pair's friction and a name that persists.
#pragma once

#include <stiction/model.h>
#include <stiction/simulation.h>
#include <stiction/tree.h>

#include <cstdint>
#include <set>
#include <vector>

#include "geometry/broad_phase.h"
#include "geometry/collide.h"
#include "sim/structure.h"

namespace stiction {

class ContactDetector {
 public:
  ContactDetector(const Model& model, const Structure& structure);

  /// Fills `contacts` in a fixed order. Gaps are reported up to a margin that follows the speed of
  /// the pair, so that nothing that moves faster than its own size per step is missed.
  void detect(const TreeData& tree, const Eigen::VectorXd& qvel, double h,
              std::vector<ContactForce>& contacts);

  /// Pairs of geoms that may touch but whose shapes no entry of the pair table covers.
  const std::set<std::pair<int, int>>& unsupported() const { return unsupported_; }

 private:
  bool filtered(int geom1, int geom2) const;
  void add_pair(int geom1, int geom2, std::vector<ContactForce>& contacts);

  const Model& model_;
  const Structure& structure_;
  std::vector<int> active_;                 ///< geoms that can collide at all
  std::vector<double> radius_;              ///< per active geom
  std::set<std::pair<int, int>> excluded_;  ///< pairs of bodies
  std::set<std::pair<int, int>> explicit_;  ///< pairs of geoms with a <pair> of their own
  std::vector<Shape> shapes_;               ///< per geom, convex meshes with their hulls
  std::vector<Frame> frames_;               ///< per geom, world
  std::vector<double> reach_;               ///< per geom: distance it may move in a step
  std::vector<Bounds> bounds_;
  std::vector<ContactPoint> points_;
  std::set<std::pair<int, int>> unsupported_;
  BroadPhase broad_phase_;
};

}  // namespace stiction
