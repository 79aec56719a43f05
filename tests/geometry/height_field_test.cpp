// Height fields: flat ones are planes, others agree with the prisms they are made of.
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "geometry/convex_samples.h"

namespace stiction {
namespace {

using Eigen::AngleAxisd;
using Eigen::Vector3d;

constexpr double kFieldMargin = 0.05;
constexpr double kLevel = 0.3;

// Over [-2, 2] x [-3, 3], heights by a function of x and y.
template <class Height>
Shape field(int cols, int rows, const Height& height) {
  auto grid = std::make_shared<HeightGrid>();
  grid->name = "field";
  grid->cols = cols;
  grid->rows = rows;
  grid->half_extent = {2, 3};
  grid->base = 0.5;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      grid->heights.push_back(height(4.0 * c / (cols - 1) - 2, 6.0 * r / (rows - 1) - 3));
    }
  }
  return HeightField{grid};
}

Shape flat_field() {
  return field(17, 23, [](double, double) { return kLevel; });
}

// Area of the hull, seen along z, of the contacts that have the gap, by the shoelace formula on the
// sorted angles.
double level_area(std::vector<ContactPoint> contacts, double gap) {
  std::erase_if(contacts, [&](const auto& c) { return std::abs(c.gap - gap) > 1e-9; });
  if (contacts.size() < 3) return 0;
  Vector3d middle = Vector3d::Zero();
  for (const auto& c : contacts) middle += c.p / static_cast<double>(contacts.size());
  const auto angle = [&](const ContactPoint& c) {
    return std::atan2(c.p[1] - middle[1], c.p[0] - middle[0]);
  };
  std::sort(contacts.begin(), contacts.end(),
            [&](const auto& c, const auto& d) { return angle(c) < angle(d); });
  double twice = 0;
  for (size_t k = 0; k < contacts.size(); ++k) {
    const Vector3d& p = contacts[k].p;
    const Vector3d& q = contacts[(k + 1) % contacts.size()].p;
    twice += p[0] * q[1] - p[1] * q[0];
  }
  return twice / 2;
}

class OnFlatField : public testing::TestWithParam<NamedShape> {};

// Deepest contact, normals and supported area are the plane's, wherever the shape slides, level or
// tilted, just apart or sunk in.
TEST_P(OnFlatField, IsAsOnAPlane) {
  const Shape& shape = GetParam().shape;
  const Shape flat = flat_field();
  const Frame plane{Eigen::Matrix3d::Identity(), Vector3d(0, 0, kLevel)};
  std::mt19937 rng(1);
  for (int k = 0; k < 1000; ++k) {
    Frame X_WS;
    X_WS.R = k % 3 == 0 ? AngleAxisd(0.1 * k, Vector3d::UnitZ()).toRotationMatrix()
                        : random_rotation(rng);
    X_WS.p = Vector3d(-1 + 0.002 * k, -0.7 + 0.0012 * k, 5);
    const double height = separation_of(Plane{}, plane, shape, X_WS, Vector3d::UnitZ());
    const double gap = k % 2 == 0 ? 0.01 : -0.02;
    X_WS.p[2] -= height - gap;
    const auto on_field = contacts_of(flat, {}, shape, X_WS, kFieldMargin);
    const auto on_plane = contacts_of(Plane{}, plane, shape, X_WS, kFieldMargin);
    ASSERT_FALSE(on_field.empty()) << k;
    ASSERT_LE(on_field.size(), 8u) << k;
    ASSERT_NEAR(deepest(on_field).gap, gap, 1e-9) << k;
    for (const ContactPoint& c : on_field) {
      ASSERT_LT((c.n - Vector3d::UnitZ()).norm(), 1e-9) << k;
      ASSERT_LT(outside(shape, X_WS, c.p + 0.5 * c.gap * c.n), 1e-6) << k;
      ASSERT_NEAR(c.p[2] - 0.5 * c.gap, kLevel, 1e-9) << k;
    }
    if (k % 3 == 0) {
      ASSERT_GE(level_area(on_field, gap), level_area(on_plane, gap) - 1e-6) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, OnFlatField, testing::ValuesIn(convex_shapes()),
                         [](const auto& tested) { return tested.param.name; });

TEST(HeightField, BoxKeepsFourContactsAndTheirNamesWhereItSlides) {
  const Shape flat = flat_field();
  const Shape box = Box{Vector3d(0.4, 0.3, 0.1)};
  std::set<std::uint32_t> names;
  for (int k = 0; k < 200; ++k) {
    Frame X_WB;
    X_WB.R = AngleAxisd(0.3, Vector3d::UnitZ()).toRotationMatrix();
    X_WB.p = Vector3d(-1 + 0.01 * k, 0.003 * k, kLevel + 0.1);
    const auto contacts = contacts_of(flat, {}, box, X_WB, kFieldMargin);
    ASSERT_EQ(contacts.size(), 4u) << k;
    for (const ContactPoint& c : contacts) names.insert(c.feature);
  }
  EXPECT_EQ(names.size(), 4u);
}

// An independent account: the distance of a sphere's centre from the triangles of the surface.
double distance_to_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b,
                            const Vector3d& c) {
  const Vector3d n = (b - a).cross(c - a).normalized();
  const Vector3d q = p - n.dot(p - a) * n;
  double best = std::numeric_limits<double>::infinity();
  bool inside = true;
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
    const Vector3d d = to - from;
    inside = inside && n.dot(d.cross(q - from)) >= 0;
    const double t = std::clamp(d.dot(p - from) / d.squaredNorm(), 0.0, 1.0);
    best = std::min(best, (from + t * d - p).norm());
  }
  return inside ? (q - p).norm() : best;
}

double distance_to_surface(const HeightGrid& grid, const Vector3d& p) {
  const auto point = [&](int c, int r) {
    return Vector3d(4.0 * c / (grid.cols - 1) - 2, 6.0 * r / (grid.rows - 1) - 3,
                    grid.heights[static_cast<size_t>(r * grid.cols + c)]);
  };
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r + 1 < grid.rows; ++r) {
    for (int c = 0; c + 1 < grid.cols; ++c) {
      const Vector3d low = point(c, r), high = point(c + 1, r + 1);
      best = std::min({best, distance_to_triangle(p, low, point(c + 1, r), high),
                       distance_to_triangle(p, low, high, point(c, r + 1))});
    }
  }
  return best;
}

TEST(HeightField, SphereOverHillsIsAsFarAsTheNearestTriangle) {
  const Shape hills = field(9, 12, [](double x, double y) {
    return 0.5 + 0.3 * std::sin(2 * x) * std::cos(1.5 * y) + 0.1 * std::sin(7 * x + 3 * y);
  });
  const HeightGrid& grid = *std::get<HeightField>(hills).grid;
  std::mt19937 rng(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  int near = 0;
  for (int k = 0; k < 500; ++k) {
    const Frame X_WF{random_rotation(rng), random_vector(rng)};
    const Vector3d center(1.8 * unit(rng), 2.8 * unit(rng), 1 + 0.3 * unit(rng));
    const double radius = 0.25;
    const double gap = distance_to_surface(grid, center) - radius;
    if (gap < -0.2 || std::abs(gap - kFieldMargin) < 1e-6) continue;  // nearly or wholly below
    const Frame X_WS{random_rotation(rng), X_WF.R * center + X_WF.p};
    const auto contacts = contacts_of(hills, X_WF, Sphere{radius}, X_WS, kFieldMargin);
    ASSERT_EQ(contacts.empty(), gap >= kFieldMargin) << k << " " << gap;
    if (contacts.empty()) continue;
    ++near;
    ASSERT_NEAR(deepest(contacts).gap, gap, 1e-9) << k;
    const auto back = contacts_of(Sphere{radius}, X_WS, hills, X_WF, kFieldMargin);
    ASSERT_EQ(back.size(), contacts.size());
    EXPECT_EQ(back[0].n, -contacts[0].n);
  }
  EXPECT_GT(near, 50);
}

// An edge that is level to 1e-7 lies across a diagonal of the cells: both its ends are contacts,
// whichever way rounding leans the normal. (One was lost, and the box tipped into the field.)
TEST(HeightField, BoxTiltedByNextToNothingKeepsBothEndsOfItsEdge) {
  const Shape flat = flat_field();
  const Vector3d half(0.05, 0.04, 0.06);
  for (int k = 0; k < 400; ++k) {
    const double tilt = (k % 20 - 10) * 1e-7;
    Frame X_WB;
    X_WB.R = AngleAxisd(1.3 + 0.01 * k, Vector3d::UnitZ()) * AngleAxisd(tilt, Vector3d::UnitX()) *
             AngleAxisd(0.05, Vector3d::UnitY());
    X_WB.p = Vector3d(0.011 * (k % 37), 0.013 * (k % 41), kLevel);
    double lowest = 1;
    for (const double x : {-1, 1}) {
      for (const double y : {-1, 1}) {
        const Vector3d corner = half.cwiseProduct(Vector3d(x, y, -1));
        lowest = std::min(lowest, (X_WB.R * corner)[2]);
      }
    }
    X_WB.p[2] += 5e-6 - lowest;
    const auto contacts = contacts_of(flat, {}, Box{half}, X_WB, 0.002);
    for (const double y : {-1, 1}) {
      const Vector3d end = X_WB.R * half.cwiseProduct(Vector3d(1, y, -1)) + X_WB.p;
      const bool held = std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& c) {
        return (c.p - end).head<2>().norm() < 1e-6;
      });
      ASSERT_TRUE(held) << k << ' ' << y;
    }
  }
}

TEST(HeightField, BoxOnAPeakRestsOnIt) {
  const Shape peak = field(9, 13, [](double x, double y) { return x == 0 && y == 0 ? 0.4 : 0.1; });
  const Frame X_WB{AngleAxisd(0.4, Vector3d::UnitZ()).toRotationMatrix(), Vector3d(0.05, 0, 0.49)};
  const auto contacts = contacts_of(peak, {}, Box{Vector3d(0.3, 0.3, 0.1)}, X_WB, kFieldMargin);
  ASSERT_FALSE(contacts.empty());
  const ContactPoint& c = deepest(contacts);
  EXPECT_NEAR(c.gap, -0.01, 1e-9);
  EXPECT_LT((c.n - Vector3d::UnitZ()).norm(), 1e-9);
  EXPECT_LT((c.p.head<2>()).norm(), 1e-9);
}

}  // namespace
}  // namespace stiction
