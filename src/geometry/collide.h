// Contacts between two shapes. One visible table of pairs (collide.cpp); every pair function
// appends its contacts, so that a step allocates nothing once the buffers have grown.
//
// A contact is reported while its gap is below the margin, that is before the shapes touch: the
// velocity-level constraint J_n v + gap / h >= 0 then stops fast bodies in time.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace stiction {

/// A frame in the world, with the rotation as a matrix.
struct Frame {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
};

struct ContactPoint {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();   ///< world, midway between the two surfaces
  Eigen::Vector3d n = Eigen::Vector3d::UnitZ();  ///< unit, from shape 1 to shape 2
  double gap = 0;                                ///< along n; negative when the shapes overlap
  std::uint32_t feature = 0;                     ///< the same from step to step within a pair
};

/// Gives a convex mesh its hull, and surfaces and signed distance solids their trees, unless they
/// have them; other shapes need nothing. Throws InputError with the mesh's name if it is flat.
void prepare_for_collision(Shape& shape);

/// What a pair may keep from one call to the next. It saves time and changes no bit of a result: a
/// direction that still separates the shapes is proof enough that there is no contact, and crossing
/// edges next to it whose points are as near as it separates are the contact.
struct PairMemory {
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();  ///< in a shape's frame; zero: nothing is known
};

/// Appends the contacts of a and b whose gap is below `margin`. False if the pair of shapes has no
/// entry in the table, or a shape is not prepared.
bool collide(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB, double margin,
             std::vector<ContactPoint>& contacts, PairMemory* memory = nullptr);

constexpr int kMaxManifold = 8;

/// Leaves at most `most` contacts from `first` on, so that the area they span is kept: the deepest,
/// the one furthest from it, then those that add most area seen along the normal. Contacts count
/// for less the nearer their gap is to the margin that they were found with.
void keep_widest(std::vector<ContactPoint>& contacts, size_t first, double margin,
                 int most = kMaxManifold);

/// The same, and leaves out, however few there are, what adds no area unless its normal is another.
void keep_spanning(std::vector<ContactPoint>& contacts, size_t first, double margin, int most);

/// The size by which the margin of resting contacts is measured: the bounding radius, the finest
/// feature of a signed distance solid, 0 for the ground: planes, height fields and surfaces.
double detail_size(const Shape& shape);

}  // namespace stiction
