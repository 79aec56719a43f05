#include "geometry/epa.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kMaxVertices = 256;
constexpr int kMaxFaces = 2 * kMaxVertices;
constexpr double kConverged = 1e-11;  // relative to the size of the pair, as the two below
constexpr double kVisible = 1e-13;
constexpr double kFlat = 1e-10;

struct Face {
  std::array<int, 3> v;
  Vector3d n;       // outward, unit
  double distance;  // of its plane from the origin, negative if the origin is outside
};

class Polytope {
 public:
  explicit Polytope(double size) : visible_(kVisible * size) {}

  int add_vertex(const DifferencePoint& p) {
    vertices_[vertex_count_] = p;
    return vertex_count_++;
  }
  bool full() const { return vertex_count_ == kMaxVertices; }
  const DifferencePoint& vertex(int k) const { return vertices_[k]; }

  void add_face(int i, int j, int k) {
    if (face_count_ == kMaxFaces) return;
    const Vector3d& p = vertices_[i].w;
    Vector3d n = (vertices_[j].w - p).cross(vertices_[k].w - p);
    const double length = n.norm();
    // A sliver keeps the surface closed, and is never the nearest nor seen.
    double distance = std::numeric_limits<double>::infinity();
    if (length > 0) {
      n /= length;
      distance = n.dot(p);
    }
    faces_[face_count_++] = {{i, j, k}, n, distance};
  }

  const Face& nearest_face() const {
    int best = 0;
    for (int k = 1; k < face_count_; ++k) {
      if (faces_[k].distance < faces_[best].distance) best = k;
    }
    return faces_[best];
  }

  // Replaces the faces that see the new vertex by a fan from their border. False if there is none,
  // which rounding may bring about.
  bool expand(int vertex) {
    edge_count_ = 0;
    const Vector3d w = vertices_[vertex].w;
    for (int k = 0; k < face_count_;) {
      const Face face = faces_[k];
      if (face.n.dot(w) - face.distance <= visible_) {
        ++k;
        continue;
      }
      for (int e = 0; e < 3; ++e) toggle_edge(face.v[e], face.v[(e + 1) % 3]);
      faces_[k] = faces_[--face_count_];
    }
    for (int e = 0; e < edge_count_; ++e) add_face(edges_[e][0], edges_[e][1], vertex);
    return edge_count_ > 0;
  }

 private:
  // An edge between two removed faces is met once in each direction, and is not a border.
  void toggle_edge(int from, int to) {
    for (int e = 0; e < edge_count_; ++e) {
      if (edges_[e][0] != to || edges_[e][1] != from) continue;
      edges_[e] = edges_[--edge_count_];
      return;
    }
    edges_[edge_count_++] = {from, to};
  }

  double visible_;
  std::array<DifferencePoint, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<std::array<int, 2>, 3 * kMaxFaces> edges_;
  int vertex_count_ = 0;
  int face_count_ = 0;
  int edge_count_ = 0;
};

// Of the supports along d and -d, the one whose component along d differs most from p's.
DifferencePoint widest(CorePair& pair, const Vector3d& d, const DifferencePoint& p) {
  const DifferencePoint plus = support(pair, d);
  const DifferencePoint minus = support(pair, -d);
  return d.dot(plus.w - p.w) >= d.dot(p.w - minus.w) ? plus : minus;
}

// Four points of A - B that span a volume. If A - B is flat, false, and `d` is its normal.
bool first_tetrahedron(CorePair& pair, std::array<DifferencePoint, 4>& p, Vector3d& d) {
  const double flat = kFlat * pair.size;
  d = Vector3d::UnitX();
  p[0] = support(pair, d);
  p[1] = support(pair, -d);
  if (!(d.dot(p[0].w - p[1].w) > flat)) return false;
  const Vector3d edge = p[1].w - p[0].w;
  d = edge.unitOrthogonal();
  p[2] = widest(pair, d, p[0]);
  if (!(std::abs(d.dot(p[2].w - p[0].w)) > flat)) {
    d = d.cross(edge).normalized();
    p[2] = widest(pair, d, p[0]);
    if (!(std::abs(d.dot(p[2].w - p[0].w)) > flat)) return false;
  }
  d = edge.cross(p[2].w - p[0].w).normalized();
  p[3] = widest(pair, d, p[0]);
  const double height = d.dot(p[3].w - p[0].w);
  if (!(std::abs(height) > flat)) return false;
  if (height > 0) std::swap(p[1], p[2]);  // the face 0 1 2 looks away from 3
  return true;
}

// Deepest points: the origin's projection on the face in barycentric coordinates.
void set_points(const Polytope& polytope, const Face& face, EpaResult& result) {
  const DifferencePoint& p = polytope.vertex(face.v[0]);
  const DifferencePoint& q = polytope.vertex(face.v[1]);
  const DifferencePoint& r = polytope.vertex(face.v[2]);
  const Vector3d foot = face.distance * face.n;
  Vector3d weights(face.n.dot((q.w - foot).cross(r.w - foot)),
                   face.n.dot((r.w - foot).cross(p.w - foot)),
                   face.n.dot((p.w - foot).cross(q.w - foot)));
  weights = weights.cwiseMax(0);
  weights /= weights.sum();
  result.n = face.n;
  result.a = weights[0] * p.a + weights[1] * q.a + weights[2] * r.a;
  result.b = weights[0] * p.b() + weights[1] * q.b() + weights[2] * r.b();
}

}  // namespace

EpaResult epa(CorePair& pair) {
  EpaResult result;
  std::array<DifferencePoint, 4> start;
  if (!first_tetrahedron(pair, start, result.n)) {
    if (separation_along(pair, -result.n) > separation_along(pair, result.n)) result.n = -result.n;
    const DifferencePoint p = support(pair, result.n);
    result.a = p.a;
    result.b = p.b();
    return result;
  }
  Polytope polytope(pair.size);
  for (const DifferencePoint& p : start) polytope.add_vertex(p);
  polytope.add_face(0, 1, 2);
  polytope.add_face(0, 3, 1);
  polytope.add_face(1, 3, 2);
  polytope.add_face(2, 3, 0);
  // Faces come and go; the direction that separated best is kept, whatever ends the search.
  Face best = polytope.nearest_face();
  double reach = std::numeric_limits<double>::infinity();
  for (;; ++result.iterations) {
    const Face face = polytope.nearest_face();
    const DifferencePoint p = support(pair, face.n);
    const double surface = face.n.dot(p.w);
    if (surface < reach) {
      reach = surface;
      best = face;
    }
    if (surface - face.distance <= kConverged * pair.size || polytope.full() ||
        !polytope.expand(polytope.add_vertex(p))) {
      set_points(polytope, best, result);
      return result;
    }
  }
}

}  // namespace stiction
