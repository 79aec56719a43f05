// Convex bodies thrown at height fields, surfaces of triangles and boxes, slow and fast: none goes
// in, and what flies past is not touched. Depths are of the surface as it is written down here.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/simulation.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "geometry/convex_samples.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr double kHalf = 2;  // the ground reaches from -2 m to 2 m
constexpr double kStep = 1.0 / 240;
// A thousandth of the largest radius is allowed, and a little more until it is recovered.
constexpr double kDepth = 1.2e-4;

enum class Kind { kFlatField, kHillyField, kCoarseField, kHillySurface, kBox };

class Ground {
 public:
  explicit Ground(Kind kind) : kind_(kind), points_(kind == Kind::kCoarseField ? 13 : 61) {
    const bool flat = kind == Kind::kFlatField || kind == Kind::kBox;
    for (int r = 0; r < points_; ++r) {
      for (int c = 0; c < points_; ++c) {
        const double x = c * cell() - kHalf, y = r * cell() - kHalf;
        const double hills =
            0.12 * std::sin(5 * x) * std::cos(4 * y) + 0.03 * std::sin(17 * x + 9 * y);
        heights_.push_back(0.3 + (flat ? 0 : hills));
      }
    }
  }

  Geom geom() const {
    Geom geom;
    geom.name = "ground";
    if (kind_ == Kind::kBox) {
      geom.shape = Box{{kHalf, kHalf, 0.02}};
      geom.X_BG.p = {0, 0, 0.28};
    } else if (kind_ == Kind::kHillySurface) {
      geom.shape = surface();
    } else {
      auto grid = std::make_shared<HeightGrid>();
      grid->name = "field";
      grid->rows = grid->cols = points_;
      grid->half_extent = {kHalf, kHalf};
      grid->base = 0.1;
      grid->heights = heights_;
      geom.shape = HeightField{grid};
    }
    return geom;
  }

  // How far the point is below the surface, at right angles to the triangle above it.
  double depth(const Vector3d& p) const {
    const int c = index(p[0]), r = index(p[1]);
    const Vector3d low = point(c, r), high = point(c + 1, r + 1);
    const bool upper = p[1] - low[1] > p[0] - low[0];
    const Vector3d side = upper ? point(c, r + 1) : point(c + 1, r);
    Vector3d n = (high - low).cross(side - low).normalized();
    if (n[2] < 0) n = -n;
    return n.dot(low - p);
  }

  // Of the body: its extreme points below the surface, and corners of the surface within it.
  double depth(const Shape& shape, const Frame& X) const {
    double deepest = -1;
    const auto look = [&](const Vector3d& n) {
      const Vector3d d = -(X.R.transpose() * n);
      deepest = std::max(deepest, depth(X.R * std::visit(Extreme{d}, shape) + X.p));
    };
    for (int k = 0; k < 400; ++k) {  // evenly over the upper half of directions
      const double z = (k + 0.5) / 400, angle = 2.399963 * k;
      look({std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z});
    }
    const int reach = static_cast<int>(0.1 / cell()) + 1;
    for (int r = index(X.p[1]) - reach; r <= index(X.p[1]) + reach; ++r) {
      for (int c = index(X.p[0]) - reach; c <= index(X.p[0]) + reach; ++c) {
        if (c < 0 || r < 0 || c + 1 >= points_ || r + 1 >= points_) continue;
        const Vector3d low = point(c, r), high = point(c + 1, r + 1);
        look((point(c + 1, r) - low).cross(high - low).normalized());
        look((high - low).cross(point(c, r + 1) - low).normalized());
        deepest = std::max(deepest, -outside(shape, X, low));
      }
    }
    return deepest;
  }

 private:
  struct Extreme {
    Vector3d d;
    Vector3d operator()(const Sphere& s) const { return s.radius * d; }
    Vector3d operator()(const Capsule& c) const {
      return c.radius * d + Vector3d(0, 0, std::copysign(c.half_length, d[2]));
    }
    Vector3d operator()(const Cylinder& c) const {
      const double across = std::max(std::hypot(d[0], d[1]), 1e-300);
      return {c.radius * d[0] / across, c.radius * d[1] / across,
              std::copysign(c.half_length, d[2])};
    }
    Vector3d operator()(const Box& b) const {
      return b.half_size.cwiseProduct((d.array() >= 0).select(Vector3d::Ones(), -Vector3d::Ones()));
    }
    Vector3d operator()(const Ellipsoid& e) const {
      return e.radii.cwiseProduct(e.radii.cwiseProduct(d).normalized());
    }
    Vector3d operator()(const ConvexMesh& m) const {
      return *std::max_element(m.mesh->vertices.begin(), m.mesh->vertices.end(),
                               [&](auto& a, auto& b) { return d.dot(a) < d.dot(b); });
    }
    Vector3d operator()(const auto&) const { return Vector3d::Zero(); }
  };

  double cell() const { return 2 * kHalf / (points_ - 1); }
  int index(double x) const {
    return std::clamp(static_cast<int>((x + kHalf) / cell()), 0, points_ - 2);
  }
  Vector3d point(int c, int r) const {
    return {c * cell() - kHalf, r * cell() - kHalf, heights_[static_cast<size_t>(r * points_ + c)]};
  }
  Shape surface() const {
    auto mesh = std::make_shared<TriangleMesh>();
    mesh->name = "surface";
    for (int r = 0; r < points_; ++r) {
      for (int c = 0; c < points_; ++c) {
        mesh->vertices.push_back(point(c, r));
        if (c + 1 == points_ || r + 1 == points_) continue;
        const int at = r * points_ + c;
        mesh->triangles.emplace_back(at, at + 1, at + points_ + 1);
        mesh->triangles.emplace_back(at, at + points_ + 1, at + points_);
      }
    }
    return MeshSurface{mesh};
  }

  Kind kind_;
  int points_;
  std::vector<double> heights_;
};

std::vector<NamedShape> bodies() {
  TriangleMesh ball = sphere_mesh(2);
  for (Vector3d& v : ball.vertices) v *= 0.05;
  return {{"sphere", Sphere{0.05}},
          {"capsule", Capsule{0.03, 0.06}},
          {"disc", Cylinder{0.06, 0.01}},
          {"rod", Cylinder{0.015, 0.08}},
          {"box", Box{{0.05, 0.04, 0.06}}},
          {"plate", Box{{0.08, 0.06, 0.005}}},
          {"ellipsoid", Ellipsoid{{0.06, 0.04, 0.05}}},
          {"egg", Ellipsoid{{0.02, 0.02, 0.07}}},
          {"ball", convex_mesh(ball)},
          {"brick", convex_mesh(box_mesh({0.04, 0.03, 0.05}, Vector3d::Zero()))}};
}

Simulation thrown(const Ground& ground, const Shape& shape, double gravity, const Frame& X,
                  const Vector3d& v, const Vector3d& w) {
  ModelBuilder builder("thrown");
  builder.options().timestep = kStep;
  builder.options().gravity = {0, 0, -gravity};
  builder.add_geom(ground.geom());
  const int body = builder.add_body({.name = "body"});
  builder.add_joint({.name = "free", .type = JointType::kFree, .body = body});
  builder.add_geom({.name = "geom", .body = body, .shape = shape}, 1000);
  Simulation simulation(builder.build());
  State state = simulation.state();
  const Eigen::Quaterniond q(X.R);
  state.qpos << X.p, q.w(), q.x(), q.y(), q.z();
  state.qvel << v, w;
  simulation.set_state(state);
  return simulation;
}

Frame frame_of(const Simulation& simulation) {
  const Pose pose = simulation.body_pose(1);
  return {pose.q.toRotationMatrix(), pose.p};
}

struct Thrown {
  std::string name;
  Kind kind;
  Shape shape;
};

std::vector<Thrown> cases() {
  std::vector<Thrown> cases;
  for (const auto& [name, kind] :
       {std::pair{"flat_field", Kind::kFlatField}, std::pair{"hilly_field", Kind::kHillyField},
        std::pair{"coarse_field", Kind::kCoarseField},
        std::pair{"hilly_surface", Kind::kHillySurface}, std::pair{"thin_box", Kind::kBox}}) {
    for (const NamedShape& body : bodies()) {
      cases.push_back({body.name + "_on_" + name, kind, body.shape});
    }
  }
  return cases;
}

class ThrownAtGround : public testing::TestWithParam<Thrown> {};

TEST_P(ThrownAtGround, DoesNotGoIn) {
  const Ground ground(GetParam().kind);
  const Shape& shape = GetParam().shape;
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (const double speed : {2.0, 5.0, 20.0, 50.0, 100.0}) {
    for (int k = 0; k < 3; ++k) {
      Frame X{random_rotation(rng), {0.8 * unit(rng), 0.8 * unit(rng), 0.8 + 0.2 * unit(rng)}};
      const Vector3d v = speed * Vector3d(0.7 * unit(rng), 0.7 * unit(rng), -1).normalized();
      Simulation simulation = thrown(ground, shape, 9.81, X, v, 5 * random_vector(rng));
      const int steps = static_cast<int>(0.8 / speed / kStep) + 24;
      for (int i = 0; i < steps; ++i) {
        simulation.step();
        X = frame_of(simulation);
        if (X.p.head<2>().cwiseAbs().maxCoeff() > kHalf - 0.15) break;  // off the ground soon
        ASSERT_LT(ground.depth(X.p), 0) << speed << " m/s, throw " << k << ", step " << i;
        if (speed > 5) continue;  // fast ones spin by radians per step
        ASSERT_LT(ground.depth(shape, X), kDepth) << speed << " m/s, throw " << k << ", step " << i;
      }
    }
  }
}

TEST_P(ThrownAtGround, IsNotTouchedInFlight) {
  const Ground ground(GetParam().kind);
  const Shape& shape = GetParam().shape;
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  int flown = 0;
  for (int k = 0; flown < 2 && k < 400; ++k) {
    const Frame X{random_rotation(rng), {-1.5, 1.2 * unit(rng), 0.45 + 0.1 * unit(rng)}};
    const Vector3d way(3, 0.9 * unit(rng), 0.3 * unit(rng));
    const auto nearest = [&](int samples) {
      double gap = 1;
      for (int i = 0; i <= samples && gap > 2e-3; ++i) {
        gap = std::min(gap, -ground.depth(shape, {X.R, X.p + (1.0 * i / samples) * way}));
      }
      return gap;
    };
    if (const double gap = nearest(20); gap <= 2e-3 || gap > 0.05) continue;  // a first look
    if (const double gap = nearest(300); gap <= 2e-3 || gap > 0.03) continue;
    ++flown;
    for (const double speed : {5.0, 50.0, 100.0}) {
      const Vector3d v = speed * way.normalized();
      Simulation simulation = thrown(ground, shape, 0, X, v, Vector3d::Zero());
      for (int i = 0; i < static_cast<int>(way.norm() / speed / kStep); ++i) simulation.step();
      EXPECT_LT((simulation.state().qvel.head<3>() - v).norm(), 1e-9 * speed) << speed << " " << k;
    }
  }
  EXPECT_EQ(flown, 2);
}

INSTANTIATE_TEST_SUITE_P(Every, ThrownAtGround, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stiction
