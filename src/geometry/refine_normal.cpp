#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/features.h"
#include "geometry/separation.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Kind = ConvexCore::Kind;

constexpr int kNewtonSteps = 8;
// Edges this far from a right angle with n are tried; a bad guess only costs a support.
constexpr double kTryEdge = 0.5;
constexpr double kParallel = 1e-3;
constexpr double kOnEdge = 1e-7;     // a point is, relative to the size of the pair
constexpr double kRounding = 1e-14;  // of a separation, relative to the size of the pair

// Of the support function h(n) for a unit n, where it is smooth.
Matrix3d support_hessian(const ConvexCore& core, const Vector3d& n) {
  Matrix3d H = Matrix3d::Zero();
  if (core.kind == Kind::kEllipsoid) {  // h = |D n|
    const Vector3d square = core.size.cwiseAbs2();
    const Vector3d scaled = square.cwiseProduct(n);
    const double h = std::sqrt(scaled.dot(n));
    H = square.asDiagonal();
    H = (H - scaled * scaled.transpose() / (h * h)) / h;
  } else if (core.kind == Kind::kCylinder) {  // h = r |(n_x, n_y)| + l |n_z|
    const double rho = std::sqrt(n[0] * n[0] + n[1] * n[1]);
    if (rho > 0) {
      const Vector3d beside(-n[1] / rho, n[0] / rho, 0);
      H = core.size[0] / rho * beside * beside.transpose();
    }
  }
  return H;
}

struct Edge {
  bool exists = false;
  Vector3d p = Vector3d::Zero();  // one end, in the frame of A
  Vector3d u = Vector3d::Zero();  // unit
  double length = 0;
};

Edge edge_of(const ConvexCore& core, const Vector3d& n, int vertex, const Frame& X_AC) {
  std::array<Vector3d, 2> ends;
  if (!supporting_segment(core, n, vertex, kTryEdge, ends)) return {};
  const Vector3d d = X_AC.R * (ends[1] - ends[0]);
  const double length = d.norm();
  return {true, X_AC.R * ends[0] + X_AC.p, d / length, length};
}

// Takes a unit m in place of n if it separates no worse.
bool accept(CorePair& pair, const Vector3d& m, Separation& separation) {
  const double value = separation_along(pair, m);
  const double rounding = kRounding * (pair.size + std::abs(separation.value));
  if (!(value >= separation.value - rounding)) return false;
  separation.n = m;
  separation.value = value;
  return true;
}

// Those of A and B next to a contact whose normal is n.
std::array<Edge, 2> edges_at(const CorePair& pair, const Vector3d& n) {
  const Vector3d n_B = -pair.R_AB.transpose() * n;
  return {edge_of(pair.a, n, pair.hint_a, {}),
          edge_of(pair.b, n_B, pair.hint_b, {pair.R_AB, pair.p_AB})};
}

bool cross_edges(CorePair& pair, const Edge& edge_a, const Edge& edge_b, Separation& separation) {
  Vector3d m = edge_a.u.cross(edge_b.u);
  if (m.norm() < kParallel) return false;
  m *= (m.dot(separation.n) > 0 ? 1 : -1) / m.norm();
  if (!accept(pair, m, separation)) return false;
  // The lines' nearest points; a cylinder's line turned with n.
  const auto [a, b] = edges_at(pair, m);
  const double det = a.u.cross(b.u).squaredNorm();
  if (det < kParallel * kParallel) return true;
  const Vector3d r = b.p - a.p;
  const double c = a.u.dot(b.u);
  const double s = (a.u.dot(r) - c * b.u.dot(r)) / det;
  const double t = (c * a.u.dot(r) - b.u.dot(r)) / det;
  const double slack = kOnEdge * pair.size;
  if (std::min(s, t) < -slack || s > a.length + slack || t > b.length + slack) return true;
  separation.a = a.p + s * a.u;
  separation.b = b.p + t * b.u;
  return true;
}

bool contains(const Edge& edge, const Vector3d& p, double slack) {
  const double t = std::clamp(edge.u.dot(p - edge.p), 0.0, edge.length);
  return edge.exists && (edge.p + t * edge.u - p).norm() <= slack;
}

// Newton's method in the tangent plane, or along the part of it at right angles to `edge`.
void maximize(CorePair& pair, const Vector3d& edge, bool on_edge, Separation& separation) {
  for (int k = 0; k < kNewtonSteps; ++k) {
    const Vector3d n = separation.n;
    Eigen::Matrix<double, 3, 2> T;
    T.col(0) = on_edge ? Vector3d(n.cross(edge)) : n.unitOrthogonal();
    T.col(1) = n.cross(T.col(0));
    const Matrix3d H_B = support_hessian(pair.b, -pair.R_AB.transpose() * n);
    const Matrix3d H = support_hessian(pair.a, n) + pair.R_AB * H_B * pair.R_AB.transpose();
    Eigen::Matrix2d M = T.transpose() * H * T;
    M.diagonal().array() += separation.value;
    Eigen::Vector2d g = -T.transpose() * support(pair, n).w;
    if (on_edge) {
      M.row(1) << 0, 1;
      M(0, 1) = 0;
      g[1] = 0;
    }
    const double det = M.determinant();
    if (!(det > 0) || !(M(0, 0) > 0)) return;
    const Eigen::Vector2d t(M(1, 1) * g[0] - M(0, 1) * g[1], M(0, 0) * g[1] - M(1, 0) * g[0]);
    const double before = separation.value;
    if (!accept(pair, (n + T * (t / det)).normalized(), separation)) return;
    if (!(separation.value > before)) return;
  }
}

}  // namespace

bool separate_by_edges(CorePair& pair, const Vector3d& guess, Separation& separation) {
  // Which of the vertices of a hull that are level is found depends on where the search starts.
  if (pair.a.kind == Kind::kHull || pair.b.kind == Kind::kHull) return false;
  const auto [a, b] = edges_at(pair, guess);
  if (!a.exists || !b.exists) return false;
  separation = {separation_along(pair, guess), guess, Vector3d::Zero(), Vector3d::Zero(),
                ReferenceFace::kNone};
  separation.b = Vector3d::Constant(std::numeric_limits<double>::infinity());
  return cross_edges(pair, a, b, separation);
}

void refine_normal(CorePair& pair, Separation& separation) {
  separation.value = separation_along(pair, separation.n);
  const auto [a, b] = edges_at(pair, separation.n);
  if (a.exists && b.exists && cross_edges(pair, a, b, separation)) return;
  const bool smooth = is_smooth(pair.a) || is_smooth(pair.b);
  for (const Edge* edge : {&a, &b}) {
    if (!edge->exists) continue;
    const Vector3d m = separation.n - edge->u.dot(separation.n) * edge->u;
    if (!accept(pair, m.normalized(), separation)) continue;
    if (smooth) maximize(pair, edge->u, true, separation);
    // Of two parallel edges the points first found are as good as any.
    if (a.exists && b.exists && a.u.cross(b.u).norm() < kParallel) return;
    const DifferencePoint p = support(pair, separation.n);
    const bool of_a = edge == &a;
    const Vector3d foot = of_a ? Vector3d(p.b() - separation.value * separation.n)
                               : Vector3d(p.a + separation.value * separation.n);
    const std::array<Edge, 2> edges = edges_at(pair, separation.n);
    if (!contains(edges[of_a ? 0 : 1], foot, kOnEdge * pair.size)) return;
    separation.a = of_a ? foot : p.a;
    separation.b = of_a ? p.b() : foot;
    return;
  }
  if (!smooth) return;
  const double before = separation.value;
  maximize(pair, Vector3d::Zero(), false, separation);
  if (!(separation.value > before)) return;
  const DifferencePoint p = support(pair, separation.n);
  separation.a = p.a;
  separation.b = p.b();
}

}  // namespace stiction
