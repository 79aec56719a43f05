// A triangulated surface prepared for collision: a bounding hierarchy of balls, and what the
// neighbourhood of its faces looks like.
//
// The tree is a complete binary one without pointers. Node i of level l holds the faces whose place
// in `order` is from floor(N i / 2^l) to below floor(N (i + 1) / 2^l); so the patch of a level that
// a face belongs to is known from its place, and patches can serve as clusters that keep their
// names from step to step. Faces are split by position and normal together: the two flanks of a
// thread end up in different patches.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <array>
#include <vector>

namespace stiction {

struct SurfaceTree {
  struct Ball {
    Eigen::Vector3d center;
    double radius;
  };
  struct Edge {
    int neighbor = -1;       ///< face on the other side, -1 at the border
    bool convex = false;     ///< the neighbour bends away from this face's normal
    Eigen::Vector3d normal;  ///< of the neighbour
  };

  std::vector<Eigen::Vector3d> vertices{};  ///< in the order of the tree
  std::vector<Eigen::Vector3i> faces{};     ///< in the order of the tree
  std::vector<Eigen::Vector3d> normals{};
  std::vector<std::array<Edge, 3>> edges{};  ///< edge k is from corner k to the next
  std::vector<double> sizes{};               ///< per face: from its middle to its furthest corner
  /// Per vertex, m: where points of the surface are equally deep in something else, the largest
  /// lead has precedence, so that rounding never decides. Outer vertices lead inner ones, no two
  /// neighbours are alike. A ten thousandth of the size of a face, or of the distance between two
  /// vertices, is all that they differ by.
  std::vector<double> leads{};
  int levels = 0;             ///< below the root
  std::vector<Ball> balls{};  ///< node i of level l at 2^l - 1 + i
  double radius = 0;          ///< of a ball about the origin
  /// Per face of an SDF's surface: how far it may be from the zero. Balls are wider by it.
  std::vector<double> sag{};
  /// Per face of an SDF's surface: how far the solid goes on beyond a sharp edge at one of its
  /// corners, if that is a chord of a round one; 0 beside straight edges.
  std::vector<double> beyond{};
  std::vector<Eigen::Vector3d> gradients{};         ///< of an SDF, per vertex
  std::vector<double> middle_distances{};           ///< of an SDF, per face at its centre
  std::vector<Eigen::Vector3d> middle_gradients{};  ///< the same

  int patch_begin(int level, int node) const {
    return static_cast<int>((static_cast<long long>(faces.size()) * node) >> level);
  }
};

/// Zero-area triangles are left out. Throws InputError with the mesh's name if a vertex is not
/// finite or nothing is left.
SurfaceTree make_surface_tree(const TriangleMesh& mesh);

/// Of the solid's surface, with the sag of its faces.
SurfaceTree make_surface_tree(const Sdf& sdf);

/// Visits, in order, the faces whose balls `reaches(ball)` accepts, with their patch of the last
/// level.
template <class Reaches, class Visit>
void for_faces(const SurfaceTree& tree, const Reaches& reaches, const Visit& visit) {
  std::array<std::pair<int, int>, 64> stack;  // level, node
  int top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const auto [level, node] = stack[--top];
    if (!reaches(tree.balls[(1 << level) - 1 + node])) continue;
    if (level < tree.levels) {
      stack[top++] = {level + 1, 2 * node + 1};
      stack[top++] = {level + 1, 2 * node};
      continue;
    }
    for (int f = tree.patch_begin(level, node); f < tree.patch_begin(level, node + 1); ++f)
      visit(f, node);
  }
}

}  // namespace stiction
