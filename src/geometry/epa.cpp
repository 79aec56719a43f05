#include "geometry/epa.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace stiction {
namespace {

using Eigen::Vector3d;

// Enough for polyhedra of hundreds of faces that nearly coincide. Smooth cores, whose normals are
// refined afterwards, need fewer.
constexpr int kMaxVertices = 2048;
constexpr int kMaxSmoothVertices = 256;
constexpr double kConverged = 1e-11;  // relative to the size of the pair, as the two below
constexpr double kVisible = 1e-13;
constexpr double kFlatPair = 1e-10;

// Edge e runs from v[e] to v[e + 1], next to the face neighbor[e].
struct Face {
  std::array<int, 3> v;
  std::array<int, 3> neighbor;
  Vector3d n;       // outward, unit
  double distance;  // of its plane from the origin, negative if the origin is outside
  bool removed;
};

struct Edge {
  int face;
  int index;
};

// Its buffers are kept by the thread from one pair to the next.
class Polytope {
 public:
  void start(const std::array<DifferencePoint, 4>& points, double size) {
    visible_ = kVisible * size;
    vertices_.assign(points.begin(), points.end());
    faces_.clear();
    queue_.clear();
    add_face({0, 1, 2}, {1, 2, 3});
    add_face({0, 3, 1}, {3, 2, 0});
    add_face({1, 3, 2}, {1, 3, 0});
    add_face({2, 3, 0}, {2, 1, 0});
  }

  int vertex_count() const { return static_cast<int>(vertices_.size()); }
  const DifferencePoint& vertex(int k) const { return vertices_[k]; }
  const Face& face(int k) const { return faces_[k]; }

  int nearest_face() {
    while (faces_[queue_.front()].removed) pop();
    return queue_.front();
  }

  // Replaces the faces around `seed` that see the new vertex by a fan from their border. False if
  // the border is no simple ring, which rounding may bring about.
  bool expand(int seed, const DifferencePoint& p) {
    const int vertex = vertex_count();
    vertices_.push_back(p);
    remove_visible(seed, p.w);
    const int first = static_cast<int>(faces_.size());
    const int count = static_cast<int>(border_.size());
    next_.assign(vertex, -1);
    for (int k = 0; k < count; ++k) {
      const Edge& edge = border_[k];
      const int from = faces_[edge.face].v[(edge.index + 1) % 3];
      if (next_[from] >= 0) return false;
      next_[from] = first + k;
      add_face({from, faces_[edge.face].v[edge.index], vertex}, {edge.face, -1, -1});
      faces_[edge.face].neighbor[edge.index] = first + k;
    }
    for (int k = first; k < first + count; ++k) {
      const int next = next_[faces_[k].v[1]];
      if (next < 0) return false;
      faces_[k].neighbor[1] = next;
      faces_[next].neighbor[2] = k;
    }
    return true;
  }

 private:
  bool nearer(int i, int j) const { return faces_[i].distance > faces_[j].distance; }
  void pop() {
    std::pop_heap(queue_.begin(), queue_.end(), [this](int i, int j) { return nearer(i, j); });
    queue_.pop_back();
  }

  void add_face(const std::array<int, 3>& v, const std::array<int, 3>& neighbor) {
    const Vector3d& p = vertices_[v[0]].w;
    Vector3d n = (vertices_[v[1]].w - p).cross(vertices_[v[2]].w - p);
    const double length = n.norm();
    // A sliver keeps the surface closed, and is never the nearest nor seen.
    double distance = std::numeric_limits<double>::infinity();
    if (length > 0) {
      n /= length;
      distance = n.dot(p);
    }
    queue_.push_back(static_cast<int>(faces_.size()));
    faces_.push_back({v, neighbor, n, distance, false});
    std::push_heap(queue_.begin(), queue_.end(), [this](int i, int j) { return nearer(i, j); });
  }

  // Leaves in `border_` the edges of the faces that stay.
  void remove_visible(int seed, const Vector3d& w) {
    border_.clear();
    stack_.assign(1, seed);
    faces_[seed].removed = true;
    while (!stack_.empty()) {
      const int k = stack_.back();
      stack_.pop_back();
      for (const int other : faces_[k].neighbor) {
        Face& face = faces_[other];
        if (face.removed) continue;
        if (face.n.dot(w) - face.distance > visible_) {
          face.removed = true;
          stack_.push_back(other);
        }
      }
      removed_.push_back(k);
    }
    for (const int k : removed_) {
      for (const int other : faces_[k].neighbor) {
        if (faces_[other].removed) continue;
        const auto& back = faces_[other].neighbor;
        const int index = static_cast<int>(std::find(back.begin(), back.end(), k) - back.begin());
        border_.push_back({other, index});
      }
    }
    removed_.clear();
  }

  double visible_ = 0;
  std::vector<DifferencePoint> vertices_;
  std::vector<Face> faces_;
  std::vector<int> queue_;  // heap of faces, the nearest in front; removed ones leave it late
  std::vector<int> stack_;
  std::vector<int> removed_;
  std::vector<int> next_;  // the new face that starts at a vertex
  std::vector<Edge> border_;
};

// Of the supports along d and -d, the one whose component along d differs most from p's.
DifferencePoint widest(CorePair& pair, const Vector3d& d, const DifferencePoint& p) {
  const DifferencePoint plus = support(pair, d);
  const DifferencePoint minus = support(pair, -d);
  return d.dot(plus.w - p.w) >= d.dot(p.w - minus.w) ? plus : minus;
}

// Four points of A - B that span a volume. If A - B is flat, false, and `d` is its normal.
bool first_tetrahedron(CorePair& pair, std::array<DifferencePoint, 4>& p, Vector3d& d) {
  const double flat = kFlatPair * pair.size;
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
  static thread_local Polytope polytope;
  polytope.start(start, pair.size);
  const bool smooth = is_smooth(pair.a) || is_smooth(pair.b);
  const int most = smooth ? kMaxSmoothVertices : kMaxVertices;
  // Faces come and go; the direction that separated best is kept, whatever ends the search. Its
  // face may have been deep inside, so its points are those of the surface.
  const double converged = kConverged * pair.size;
  double reach = std::numeric_limits<double>::infinity();
  for (;; ++result.iterations) {
    const int nearest = polytope.nearest_face();
    const Face& face = polytope.face(nearest);
    const DifferencePoint p = support(pair, face.n);
    const double surface = face.n.dot(p.w);
    const bool on_surface = surface - face.distance <= converged;
    if (on_surface && surface <= reach + converged) {
      set_points(polytope, face, result);
      return result;
    }
    if (surface < reach) {
      reach = surface;
      result.n = face.n;
      result.a = p.a;
      result.b = p.b();
    }
    if (on_surface || polytope.vertex_count() >= most || !polytope.expand(nearest, p)) {
      return result;
    }
  }
}

}  // namespace stiction
