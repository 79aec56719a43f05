// A convex mesh prepared for collision: its hull, with what walking over it needs.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

/// Lists of different lengths in one array: list i is items[start[i]] ... items[start[i + 1] - 1].
struct IndexLists {
  std::vector<int> start{};
  std::vector<int> items{};
};

struct ConvexHull {
  std::vector<Eigen::Vector3d> vertices{};
  IndexLists neighbors{};                  ///< of a vertex, along the edges of the triangles
  std::vector<Eigen::Vector3d> normals{};  ///< of the faces, outward and unit
  IndexLists rings{};                      ///< of a face, vertices counter-clockwise from outside
  IndexLists faces{};                      ///< of a vertex
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< a point inside
  double radius = 0;                                 ///< of a ball about the shape's origin
};

/// Coplanar triangles make one face. Rings longer than kMaxRing are thinned evenly: contacts of a
/// disc-like face with a thousand corners need no more. Throws InputError as `convex_hull` does.
constexpr int kMaxRing = 48;
ConvexHull make_collision_hull(const TriangleMesh& mesh);

/// The vertex furthest along d, found by walking from `start`.
int furthest_vertex(const ConvexHull& hull, const Eigen::Vector3d& d, int start);

}  // namespace stiction
