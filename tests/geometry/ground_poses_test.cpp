// Hills, as a height field and as a surface of triangles, against every convex shape and against
// solids by signed distance, on random poses. Apart from them, the gap is the least of the gaps to
// the prisms below the triangles, each a convex mesh.
#include <gtest/gtest.h>
#include <stiction/sdf.h>

#include "geometry/convex_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kGroundPoses = 1000;
constexpr double kGroundMargin = 0.05;
constexpr int kColumns = 9, kRows = 12;
constexpr double kHalfX = 2, kHalfY = 3;

double hills(double x, double y) {
  return 0.2 * std::sin(2 * x) * std::cos(1.5 * y) + 0.05 * std::sin(5 * x + 3 * y);
}

struct Ground {
  Shape shape;
  struct Prism {
    Shape shape;
    Vector3d center;
    double radius;
  };
  std::vector<Prism> prisms;
};

Vector3d hill_point(int c, int r) {
  const double x = 2 * kHalfX * c / (kColumns - 1) - kHalfX;
  const double y = 2 * kHalfY * r / (kRows - 1) - kHalfY;
  return {x, y, hills(x, y)};
}

Ground make_ground(bool as_field) {
  auto grid = std::make_shared<HeightGrid>();
  grid->name = "hills";
  grid->cols = kColumns;
  grid->rows = kRows;
  grid->half_extent = {kHalfX, kHalfY};
  grid->base = 1;
  TriangleMesh mesh{.name = "hills"};
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      mesh.vertices.push_back(hill_point(c, r));
      grid->heights.push_back(mesh.vertices.back().z());
    }
  }
  Ground ground;
  for (int r = 0; r + 1 < kRows; ++r) {
    for (int c = 0; c + 1 < kColumns; ++c) {
      const int a = r * kColumns + c, b = a + 1, d = a + kColumns, e = d + 1;
      for (const Eigen::Vector3i& t : {Eigen::Vector3i(a, b, e), Eigen::Vector3i(a, e, d)}) {
        mesh.triangles.push_back(t);
        TriangleMesh prism{.name = "prism"};
        Ground::Prism part{{}, Vector3d::Zero(), 0};
        for (const int v : t) {
          prism.vertices.push_back(mesh.vertices[v]);
          prism.vertices.emplace_back(mesh.vertices[v].x(), mesh.vertices[v].y(), -1);
          part.center += mesh.vertices[v] / 3;
        }
        for (const int v : t) {
          part.radius = std::max(part.radius, (mesh.vertices[v] - part.center).norm());
        }
        part.shape = convex_mesh(prism);
        ground.prisms.push_back(part);
      }
    }
  }
  if (as_field) {
    ground.shape = HeightField{grid};
  } else {
    ground.shape = MeshSurface{std::make_shared<const TriangleMesh>(mesh)};
    prepare_for_collision(ground.shape);
  }
  return ground;
}

struct OnGround {
  std::string name;
  Ground ground;
  Shape plain, used;
};
void PrintTo(const OnGround& pair, std::ostream* out) { *out << pair.name; }

std::vector<OnGround> ground_pairs() {
  std::vector<OnGround> pairs;
  for (const bool as_field : {true, false}) {
    const Ground ground = make_ground(as_field);
    const std::string name = as_field ? "field_" : "mesh_";
    for (const NamedShape& named : convex_shapes()) {
      pairs.push_back({name + named.name, ground, named.shape, named.shape});
    }
    const NamedShape solids[] = {{"sphere", Sphere{0.4}},
                                 {"capsule", Capsule{0.2, 0.5}},
                                 {"cylinder", Cylinder{0.35, 0.4}},
                                 {"box", Box{Vector3d(0.3, 0.5, 0.4)}}};
    for (const NamedShape& named : solids) {
      Shape solid = SdfSolid{make_primitive(named.name, named.shape, 0.06)};
      prepare_for_collision(solid);
      pairs.push_back({name + "sdf_" + named.name, ground, named.shape, solid});
    }
  }
  return pairs;
}

// From the nearest prism to the shape.
ContactPoint nearest_prism(const Ground& ground, const Frame& X_WG, const Shape& shape,
                           const Frame& X_WS) {
  ContactPoint best{.gap = std::numeric_limits<double>::infinity()};
  std::vector<ContactPoint> contacts;
  for (const Ground::Prism& prism : ground.prisms) {
    const Vector3d center = X_WG.R * prism.center + X_WG.p;
    if ((center - X_WS.p).norm() > prism.radius + 1.2 + std::min(best.gap, 1.5)) continue;
    contacts.clear();
    collide(prism.shape, X_WG, shape, X_WS, std::min(best.gap, 3.0), contacts);
    if (!contacts.empty() && deepest(contacts).gap < best.gap) best = deepest(contacts);
  }
  return best;
}

class OnHills : public testing::TestWithParam<OnGround> {
 protected:
  // Of the shape in the ground's frame, a millimetre or more above it; some upright.
  static Frame pose(int k, std::mt19937& rng, ContactPoint& exact) {
    const OnGround& pair = GetParam();
    std::uniform_real_distribution<double> unit(-1, 1);
    Frame X_GS{random_rotation(rng), {0.8 * unit(rng), 1.6 * unit(rng), 1.2}};
    if (k % 4 == 3) X_GS.R.setIdentity();
    const double gap = k % 2 == 0 ? 1e-3 : 0.02;
    for (int step = 0; step < 3; ++step) {
      exact = nearest_prism(pair.ground, {}, pair.plain, X_GS);
      X_GS.p += (gap - exact.gap) * (step == 0 ? Vector3d::UnitZ() : exact.n);
    }
    exact = nearest_prism(pair.ground, {}, pair.plain, X_GS);
    return X_GS;
  }
};

TEST_P(OnHills, ApartByTheGapToTheNearestTriangle) {
  const OnGround& pair = GetParam();
  std::mt19937 rng(1);
  for (int k = 0; k < kGroundPoses; ++k) {
    const Frame X_WG{random_rotation(rng), random_vector(rng)};
    ContactPoint exact;
    Frame X_WS = moved(X_WG, pose(k, rng, exact));
    const auto contacts = contacts_of(pair.ground.shape, X_WG, pair.used, X_WS, kGroundMargin);
    ASSERT_FALSE(contacts.empty()) << k;
    const ContactPoint& c = deepest(contacts);
    ASSERT_NEAR(c.gap, exact.gap, 1e-6) << k;
    ASSERT_NEAR(c.n.norm(), 1, 1e-12) << k;
    ASSERT_NEAR(outside(pair.plain, X_WS, c.p + 0.5 * c.gap * c.n), 0, 1e-6) << k;
    X_WS.p -= c.gap * c.n;
    const auto touch = contacts_of(pair.ground.shape, X_WG, pair.used, X_WS, kGroundMargin);
    ASSERT_FALSE(touch.empty()) << k;
    ASSERT_NEAR(deepest(touch).gap, 0, 1e-6) << k;
  }
}

TEST_P(OnHills, SwapAndRigidMotionChangeNothing) {
  const OnGround& pair = GetParam();
  std::mt19937 rng(2);
  int changed = 0;
  for (int k = 0; k < kGroundPoses; ++k) {
    const Frame X_WG{random_rotation(rng), random_vector(rng)};
    ContactPoint exact;
    Frame X_GS = pose(k, rng, exact);
    if (k % 5 == 4) X_GS.p -= (exact.gap + 0.01) * exact.n;  // sunk in
    const Frame X_WS = moved(X_WG, X_GS);
    const auto contacts = contacts_of(pair.ground.shape, X_WG, pair.used, X_WS, kGroundMargin);
    const auto swapped = contacts_of(pair.used, X_WS, pair.ground.shape, X_WG, kGroundMargin);
    const auto there = contacts_of(pair.ground.shape, {}, pair.used, X_GS, kGroundMargin);
    ASSERT_FALSE(contacts.empty() || there.empty()) << k;
    ASSERT_EQ(contacts.size(), swapped.size()) << k;
    ASSERT_EQ(deepest(contacts).gap, deepest(swapped).gap) << k;
    ASSERT_EQ(deepest(contacts).n, -deepest(swapped).n) << k;
    if (std::abs(deepest(contacts).gap - deepest(there).gap) > 1e-10) ++changed;
  }
  EXPECT_LE(changed, 3);
}

INSTANTIATE_TEST_SUITE_P(Every, OnHills, testing::ValuesIn(ground_pairs()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stiction
