#include <gtest/gtest.h>
#include <stiction/error.h>

#include <random>
#include <set>

#include "geometry/convex_samples.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "geometry/mesh_samples.h"
#include "message_of.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

/// Every directed edge once, its reverse once: closed and consistently oriented.
void expect_closed(const TriangleMesh& mesh) {
  std::set<std::array<int, 2>> edges;
  for (const Eigen::Vector3i& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(edges.insert({t[k], t[(k + 1) % 3]}).second) << "an edge is used twice";
    }
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a})) << "an edge is open";
  EXPECT_EQ(mesh.triangles.size(), 2 * mesh.vertices.size() - 4) << "Euler's formula";
}

void expect_contains(const TriangleMesh& hull, const std::vector<Vector3d>& points, double slack) {
  for (const Eigen::Vector3i& t : hull.triangles) {
    const Vector3d a = hull.vertices[t[0]];
    const Vector3d n = (hull.vertices[t[1]] - a).cross(hull.vertices[t[2]] - a);
    for (const Vector3d& p : points) EXPECT_LE(n.dot(p - a), slack * n.norm());
  }
}

TEST(ConvexHull, RandomPointsLieInsideAClosedOutwardHull) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    TriangleMesh cloud;
    for (int i = 0; i < 10 + 20 * trial; ++i) {
      cloud.vertices.emplace_back(1e-3 * normal(random), normal(random), 1 + normal(random));
    }
    const TriangleMesh hull = convex_hull(cloud);
    expect_closed(hull);
    expect_contains(hull, cloud.vertices, 1e-12);
  }
}

TEST(ConvexHull, CoplanarGridsAreTriangulated) {
  TriangleMesh grid;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 5; ++k) grid.vertices.emplace_back(0.1 * i, 0.1 * j, 0.1 * k);
    }
  }
  const TriangleMesh hull = convex_hull(grid);
  expect_closed(hull);
  EXPECT_NEAR(mesh_volume_properties(hull, MeshInertia::kExact).volume, 0.064, 1e-15);
}

TEST(ConvexHull, ConvexMeshesKeepTheirVerticesInOrder) {
  const TriangleMesh sphere = sphere_mesh(3);
  const TriangleMesh hull = convex_hull(sphere);
  expect_closed(hull);
  EXPECT_EQ(hull.vertices, sphere.vertices);
  EXPECT_EQ(hull.name, "sphere");
}

TEST(ConvexHull, TinyAndFarMeshesWork) {
  const TriangleMesh hull = convex_hull(box_mesh(Vector3d::Constant(1e-9), Vector3d::Zero()));
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(convex_hull(box_mesh({1, 1, 1}, {1e6, 0, 0})).vertices.size(), 8u);
}

TEST(ConvexHull, DegenerateInputIsRefusedByName) {
  const auto error_of = [](const TriangleMesh& mesh) {
    return message_of([&] { convex_hull(mesh); });
  };
  TriangleMesh three;
  three.name = "three";
  three.vertices = {Vector3d::Zero(), Vector3d::UnitX(), Vector3d::UnitY()};
  EXPECT_EQ(error_of(three), "mesh 'three': convex hull needs at least 4 vertices, got 3");
  EXPECT_EQ(error_of(box_mesh({1, 1, 0}, {0, 0, 0})), "mesh 'box': convex hull: the mesh is flat");
  EXPECT_NE(error_of(box_mesh({1, 0, 0}, {0, 0, 0})), "");
  EXPECT_NE(error_of(box_mesh({0, 0, 0}, {1, 2, 3})), "");
}

TEST(Hull, SupportAlongADirectionThatIsNoneEnds) {
  const Shape ball = convex_mesh(sphere_mesh(3));
  const ConvexHull& hull = *std::get<ConvexMesh>(ball).hull;
  const int vertex = furthest_vertex(hull, Eigen::Vector3d::Constant(std::nan("")), 7);
  EXPECT_EQ(vertex, 7);
}

}  // namespace
}  // namespace stiction
