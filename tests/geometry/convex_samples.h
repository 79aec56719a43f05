// Shapes, poses and an independent account of convex shapes for the collision tests: support
// functions and membership written down from the definitions of the shapes.
#pragma once

#include <gtest/gtest.h>
#include <stiction/shapes.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "geometry/collide.h"
#include "geometry/mesh.h"
#include "geometry/mesh_samples.h"

namespace stiction {

struct NamedShape {
  std::string name;
  Shape shape;
};

inline Shape convex_mesh(const TriangleMesh& mesh) {
  Shape shape = ConvexMesh{std::make_shared<const TriangleMesh>(convex_hull(mesh))};
  prepare_for_collision(shape);
  return shape;
}

inline std::vector<NamedShape> convex_shapes() {
  return {{"sphere", Sphere{0.4}},
          {"capsule", Capsule{0.2, 0.5}},
          {"cylinder", Cylinder{0.35, 0.4}},
          {"box", Box{Eigen::Vector3d(0.3, 0.5, 0.4)}},
          {"ellipsoid", Ellipsoid{Eigen::Vector3d(0.3, 0.6, 0.4)}},
          {"brick", convex_mesh(box_mesh({0.4, 0.3, 0.5}, {0.1, -0.2, 0.05}))},
          {"ball", convex_mesh(sphere_mesh(3))}};
}

struct Reach {
  Eigen::Vector3d d;
  double operator()(const Plane&) const { return 0; }
  double operator()(const Sphere& s) const { return s.radius * d.norm(); }
  double operator()(const Capsule& c) const {
    return c.radius * d.norm() + c.half_length * std::abs(d[2]);
  }
  double operator()(const Cylinder& c) const {
    return c.radius * std::hypot(d[0], d[1]) + c.half_length * std::abs(d[2]);
  }
  double operator()(const Box& b) const { return b.half_size.dot(d.cwiseAbs()); }
  double operator()(const Ellipsoid& e) const { return e.radii.cwiseProduct(d).norm(); }
  double operator()(const ConvexMesh& m) const {
    double reach = -std::numeric_limits<double>::infinity();
    for (const Eigen::Vector3d& v : m.mesh->vertices) reach = std::max(reach, d.dot(v));
    return reach;
  }
  double operator()(const HeightField&) const { return 0; }
  double operator()(const MeshSurface&) const { return 0; }
  double operator()(const SdfSolid&) const { return 0; }
};

/// Of shape b from shape a along the unit n.
inline double separation_of(const Shape& a, const Frame& X_WA, const Shape& b, const Frame& X_WB,
                            const Eigen::Vector3d& n) {
  return n.dot(X_WB.p - X_WA.p) - std::visit(Reach{X_WA.R.transpose() * n}, a) -
         std::visit(Reach{-X_WB.R.transpose() * n}, b);
}

/// How far a point is outside, roughly: zero on the surface, negative inside, and at least the
/// distance over the shape's aspect ratio outside.
struct Outside {
  Eigen::Vector3d p;
  double operator()(const Plane&) const { return p[2]; }
  double operator()(const Sphere& s) const { return p.norm() - s.radius; }
  double operator()(const Capsule& c) const {
    const double z = std::clamp(p[2], -c.half_length, c.half_length);
    return (p - Eigen::Vector3d(0, 0, z)).norm() - c.radius;
  }
  double operator()(const Cylinder& c) const {
    return std::max(std::hypot(p[0], p[1]) - c.radius, std::abs(p[2]) - c.half_length);
  }
  double operator()(const Box& b) const { return (p.cwiseAbs() - b.half_size).maxCoeff(); }
  double operator()(const Ellipsoid& e) const {
    return (p.cwiseQuotient(e.radii).norm() - 1) * e.radii.minCoeff();
  }
  double operator()(const ConvexMesh& m) const {  // the test's meshes are their own hulls
    double out = -std::numeric_limits<double>::infinity();
    for (const Eigen::Vector3i& t : m.mesh->triangles) {
      const Eigen::Vector3d& a = m.mesh->vertices[t[0]];
      const Eigen::Vector3d n =
          (m.mesh->vertices[t[1]] - a).cross(m.mesh->vertices[t[2]] - a).normalized();
      out = std::max(out, n.dot(p - a));
    }
    return out;
  }
  double operator()(const HeightField&) const { return 0; }
  double operator()(const MeshSurface&) const { return 0; }
  double operator()(const SdfSolid&) const { return 0; }
};

inline double outside(const Shape& shape, const Frame& X_WS, const Eigen::Vector3d& p_W) {
  return std::visit(Outside{X_WS.R.transpose() * (p_W - X_WS.p)}, shape);
}

inline Eigen::Vector3d random_vector(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  const double x = normal(rng), y = normal(rng), z = normal(rng);
  return {x, y, z};
}

inline Eigen::Vector3d random_direction(std::mt19937& rng) {
  return random_vector(rng).normalized();
}

inline Eigen::Matrix3d random_rotation(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  const double w = normal(rng);
  const Eigen::Vector3d v = random_vector(rng);
  return Eigen::Quaterniond(w, v[0], v[1], v[2]).normalized().toRotationMatrix();
}

inline Frame moved(const Frame& X_MW, const Frame& X_WS) {
  return {X_MW.R * X_WS.R, X_MW.R * X_WS.p + X_MW.p};
}

inline std::vector<ContactPoint> contacts_of(const Shape& a, const Frame& X_WA, const Shape& b,
                                             const Frame& X_WB, double margin) {
  std::vector<ContactPoint> contacts;
  EXPECT_TRUE(collide(a, X_WA, b, X_WB, margin, contacts));
  return contacts;
}

inline const ContactPoint& deepest(const std::vector<ContactPoint>& contacts) {
  return *std::min_element(
      contacts.begin(), contacts.end(),
      [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; });
}

}  // namespace stiction
