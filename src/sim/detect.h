// Contacts of the whole model at the current poses: broad phase, MJCF's filters, narrow phase, and
// for each contact the pair's friction and a name that persists.
//
// The broad phase works on clusters, a tree or a part of one: pairs of clusters that are near are
// looked into for groups, the geoms that move as one, and pairs of groups for geoms. Each fixed
// geom is a cluster by itself. Pairs of groups that are filtered out are never looked into. Planes,
// which have no box, are tried against every group.
#pragma once

#include <stiction/model.h>
#include <stiction/simulation.h>
#include <stiction/tree.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "geometry/bounds.h"
#include "geometry/broad_phase.h"
#include "geometry/collide.h"
#include "sim/structure.h"
#include "sim/way.h"

namespace stiction {

class ContactDetector {
 public:
  ContactDetector(const Model& model, const Structure& structure, const ContactOptions& options);

  /// Fills `contacts`, sorted by pair of geoms. Gaps are reported up to a margin that follows the
  /// speed of the pair, so that nothing is missed that may touch within h seconds. h = 0 leaves
  /// velocities out.
  void detect(const TreeData& tree, double h, std::vector<ContactForce>& contacts);

  /// After `detect`, for a step that would end with the twists V_next (per problem body): geoms
  /// that the step's own forces make faster than their speed said are looked at again. True if one
  /// would run into something that was out of reach; its contacts are then in `contacts` as well.
  bool detect_outrun(const TreeData& tree, const Matrix6Xd& V_next, double h,
                     std::vector<ContactForce>& contacts);

  /// After that, if a geom that may touch something turns, or goes over the ground, by more than
  /// its contacts are good for: true, and `detect_at_end` wants to know the poses in which the step
  /// would end.
  bool any_goes_far(const TreeData& tree, const Matrix6Xd& V_next, double h);
  /// True if such geoms would overlap there beyond what their contacts know. The points that do are
  /// then in `contacts` as well, seen from the present poses (see detect_turned.cpp,
  /// detect_ground.cpp).
  bool detect_at_end(const TreeData& tree, const TreeData& next, const Matrix6Xd& V_next, double h,
                     std::vector<ContactForce>& contacts);

  /// Pairs of geoms that may touch but whose shapes no entry of the pair table covers.
  const std::set<std::pair<int, int>>& unsupported() const { return unsupported_; }

 private:
  /// A geom that can collide, where it is and how it moves.
  struct Placed {
    int geom = -1;
    int body = 0;
    int group = 0;  ///< planes' follow groups_
    bool moves = false;
    bool round = false;   ///< about its z axis: turned only when it is in a pair
    bool turned = false;  ///< X_WG.R is of this step
    int contype = 0;
    int conaffinity = 0;
    Shape shape{};  ///< a convex mesh with its hull
    Eigen::Vector3d p_BG = Eigen::Vector3d::Zero();
    Eigen::Vector3d axis_B = Eigen::Vector3d::UnitZ();  ///< last column of R_BG
    Eigen::Matrix3d R_BG = Eigen::Matrix3d::Identity();
    Extent extent{};
    double margin = 0;         ///< the geom's own
    double top_margin = 0;     ///< the largest of its pairs
    double radius = 0;         ///< about the geom's origin; 0 for planes
    double turning = 0;        ///< the radius within which turning moves it; 0 for balls and planes
    double detail = 0;         ///< the size by which the margin at rest is measured
    double most_turn = 0;      ///< within a step that leaves points of contact where they are, rad
    bool has_support = false;  ///< a plane or convex
    bool many_sided = false;   ///< its contacts come in several manifolds, clustered where found
    bool is_ground = false;    ///< a height field or a surface
    bool is_sdf = false;       ///< which takes long to collide with
    Frame X_WG{};
    Eigen::Vector3d v = Eigen::Vector3d::Zero();       ///< of the geom's origin, m/s
    Eigen::Vector3d v_next = Eigen::Vector3d::Zero();  ///< the same, or what it outruns that with
    double turn = 0;       ///< h * speed of its surface about the origin
    bool outruns = false;  ///< what was expected of it in this step
    bool turns = false;    ///< by more than most_turn
  };
  struct Group {
    int mover = -1;
    int parent = -1;  ///< mover of the mover's parent, or -1
    int begin = 0;    ///< geoms begin ... end - 1 of placed_
    int end = 0;
    double most_turn = 0;  ///< the least of its geoms
    double reserve = 0;    ///< the least of its geoms, see `reserve`
    double arm = 0;        ///< no origin is further from the first's, no radius larger
  };
  /// Groups begin ... end - 1 of a tree.
  struct Cluster {
    int begin = 0;
    int end = 0;
  };
  /// Two of placed_, in the order of the model's geoms.
  struct Pair {
    std::uint64_t key = 0;  ///< the geoms, by which pairs are sorted
    int i = -1;
    int j = -1;
    PairMemory memory{};
    bool at_seam = false;  ///< one slides on something else beside the other: see detect_seams.cpp
  };

  /// Where two geoms that approach fast meet: where they are now, or when the second has moved,
  /// relative to the first.
  enum class Meeting : std::uint8_t { kNear, kOnTheWay, kNever };

  struct PairLaw {
    int condim = 3;
    double mu = 0;
    double restitution = 0;
  };

  PairLaw law_of(const Placed& first, const Placed& second) const;
  static ContactForce make_contact(const Placed& first, const Placed& second, const PairLaw& law,
                                   const ContactPoint& point);
  void add_group(int mover, int parent, const std::vector<int>& geoms);
  double reserve(const Placed& placed) const;
  Eigen::Vector3d place_in_mover(const Placed& placed) const;
  void place(const TreeData& tree, double h, const Group& group);
  bool keeps_pace(const TreeData& tree, const Vector6d& V_next, double h, const Group& group) const;
  bool place_outrun(const TreeData& tree, const Vector6d& V_next, double h, const Group& group);
  bool turn_aside(const TreeData& tree, const Matrix6Xd& V_next, double h);
  void find_turning_pairs(const Matrix6Xd& V_next, double h);
  void find_ground_pairs(const TreeData& tree, const Matrix6Xd& V_next, double h);
  Way way_of(const TreeData& tree, const TreeData& next, const Matrix6Xd& V_next, double h,
             Placed& placed) const;
  bool find_turned(const Way& way_a, const Way& way_b, double slop, double rest,
                   std::span<const ContactForce> known);
  bool find_in_ground(const Way& way_a, const Way& way_b, double slop,
                      std::span<const ContactForce> known);
  void find_all_pairs(double h);
  bool would_penetrate(const TreeData& tree, const Matrix6Xd& V_next, double h,
                       const ContactForce& contact) const;
  void turn(const TreeData& tree, Placed& placed) const;
  bool moves_together(const Group& a, const Group& b) const;
  bool filtered(const Placed& a, const Placed& b) const;
  const ContactPair* own_law(const Placed& a, const Placed& b) const;
  void make_clusters(size_t movable);
  void find_pairs();
  void find_pairs_of_groups(int k, int m);
  void find_pairs_with_planes(double h);
  void find_pairs_of_geom(int i);
  void add_outrun_pairs(double h);
  void add_pair(int i, int j, bool together);
  void sort_pairs();
  void recall_memories();
  void collide_pair(Pair& pair, double h, std::vector<ContactForce>& contacts);
  Meeting find_meeting(const Placed& a, const Placed& b, double h, Eigen::Vector3d& moved_by);
  bool strikes(const Placed& a, const Placed& b, double h) const;
  bool slides_over(const Placed& a, const Placed& b, double h, Eigen::Vector3d& moved_by);
  bool slides_on_another(const Pair& pair, double h,
                         const std::vector<ContactForce>& contacts) const;
  void look_at_seams(double h, std::vector<ContactForce>& contacts);
  static bool has_support(const Shape& shape);
  static double most_turn(const Geom& geom);
  static const ContactPoint& nearest(const std::vector<ContactPoint>& points);
  static double smaller_radius(const Placed& a, const Placed& b);
  static bool less_by_pair(const ContactForce& a, const ContactForce& b);
  static std::span<const ContactForce> contacts_of(const Placed& a, const Placed& b,
                                                   const std::vector<ContactForce>& contacts);
  static void merge_by_pair(const std::vector<ContactForce>& more,
                            std::vector<ContactForce>& contacts);

  const Model& model_;
  const Structure& structure_;
  ContactOptions options_;
  double fall_ = 0;  ///< how far gravity speeds a body up within the step, times the step, m
  std::set<std::pair<int, int>> excluded_;          ///< pairs of bodies
  std::map<std::pair<int, int>, int> explicit_;     ///< pairs of geoms: their <pair> in the model
  std::vector<Placed> placed_;                      ///< group by group, planes last
  std::vector<Group> groups_;                       ///< without planes
  std::vector<Cluster> clusters_;                   ///< of groups_
  std::vector<std::pair<int, int>> cluster_pairs_;  ///< groups of the same cluster that may touch
  std::vector<Group> planes_;                       ///< one geom each
  std::vector<Bounds> bounds_;  ///< per placed geom, of all it may reach within the step
  std::vector<Bounds> group_bounds_;
  std::vector<Bounds> cluster_bounds_;
  std::vector<int> near_;  ///< groups of one cluster whose boxes reach another's
  BroadPhase broad_phase_;
  std::vector<Pair> pairs_;
  std::vector<Pair> previous_pairs_;
  std::vector<Pair> found_pairs_;  ///< before they are sorted
  std::vector<int> pairs_of_;      ///< per geom: how many pairs, then where the next one goes
  std::vector<ContactPoint> points_;
  std::vector<ContactPoint> path_points_;
  std::vector<std::pair<int, int>> passing_;  ///< pairs of placed_ that pass by each other
  std::vector<int> striking_pairs_;           ///< of pairs_: what their way would take into another
  std::vector<ContactForce> seam_contacts_;
  std::vector<ContactForce> outrun_contacts_;  ///< of pairs that outrun
  std::vector<char> outran_;        ///< per group, then plane: no longer as `place` left it
  bool has_ground_ = false;         ///< a height field or a surface
  std::vector<int> turning_pairs_;  ///< of pairs_
  std::vector<int> ground_pairs_;   ///< the same: the ground and what goes far over it
  std::set<std::pair<int, int>> unsupported_;
};

}  // namespace stiction
