// Box against box: separating axes, then the incident face clipped against the reference face, or
// the closest points of two edges.
//
// Where two edges are nearest but a face is nearly level with them, as on a box that lands a little
// tilted on a rail, what is near is clipped to that face all the same, seen along the edges'
// normal: the two edges are one corner of the result, and the far end of the line is another, which
// may come down within the step.
//
// Of boxes that overlap the best of the 15 axes is the least depth. Of boxes apart it is a lower
// bound of the distance, and the distance if there are points as near as that: a clipped corner, or
// two points within the edges. If there are none, two boxes are nearest in a way that separating
// axes do not see, such as corner against corner, and the general way takes over.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/pairs.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Preferring faces over edges, and the first box over the second, by this much keeps the choice
// steady between steps.
constexpr double kFacePreference = 1e-7;
// A contact proves the axis if its gap is that of the axis within this share of the sizes, and what
// a face may be worse than the best axis.
constexpr double kProof = 1e-9;
// Cosine of the angle up to which a face is level with a normal.
constexpr double kLevel = 0.98;

struct Axis {
  double separation = -std::numeric_limits<double>::infinity();
  Vector3d n = Vector3d::Zero();  // from box 1 to box 2
  int face1 = -1;                 // axis of box 1 whose face is the reference
  int face2 = -1;
  int edge1 = -1;
  int edge2 = -1;
};

Axis best_axis(const Box& a, const Frame& X_WA, const Box& b, const Frame& X_WB) {
  const Vector3d d = X_WB.p - X_WA.p;
  const Matrix3d C = X_WA.R.transpose() * X_WB.R;
  const Matrix3d absC = C.cwiseAbs();
  const Vector3d d_A = X_WA.R.transpose() * d;
  const Vector3d d_B = X_WB.R.transpose() * d;
  const double bias = kFacePreference * (a.half_size.sum() + b.half_size.sum());
  Axis best;
  double score = best.separation;
  for (int i = 0; i < 3; ++i) {
    const double s = std::abs(d_A[i]) - a.half_size[i] - absC.row(i).dot(b.half_size);
    if (s + 2 * bias > score) {
      score = s + 2 * bias;
      best = {s, (d_A[i] >= 0 ? 1 : -1) * X_WA.R.col(i), i, -1, -1, -1};
    }
  }
  for (int i = 0; i < 3; ++i) {
    const double s = std::abs(d_B[i]) - b.half_size[i] - absC.col(i).dot(a.half_size);
    if (s + bias > score) {
      score = s + bias;
      best = {s, (d_B[i] >= 0 ? 1 : -1) * X_WB.R.col(i), -1, i, -1, -1};
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vector3d n = X_WA.R.col(i).cross(X_WB.R.col(j));
      const double length = n.norm();
      if (length < 1e-6) continue;
      n /= length;
      if (n.dot(d) < 0) n = -n;
      const double s = n.dot(d) - (X_WA.R.transpose() * n).cwiseAbs().dot(a.half_size) -
                       (X_WB.R.transpose() * n).cwiseAbs().dot(b.half_size);
      if (s > score) {
        score = s;
        best = {s, n, -1, -1, i, j};
      }
    }
  }
  return best;
}

// Lines of a clipped face: the edges of the incident face, then the sides of the reference face.
constexpr std::uint32_t kIncidentEdges = 4;
constexpr std::uint32_t kLines = 8;

struct ClipVertex {
  Vector3d p;
  std::uint32_t id = 0;    // the two lines that meet in it: no other vertex has the same
  std::uint32_t line = 0;  // that of the edge to the next vertex
};

struct Polygon {
  std::array<ClipVertex, 16> vertices;
  int count = 0;
  void add(const ClipVertex& vertex) {
    if (count < static_cast<int>(vertices.size())) vertices[count++] = vertex;
  }
};

// Keeps the part with n . p <= offset. A vertex beyond the plane by less than `slack` stays as it
// is: on equal boxes that lie flush, rounding would otherwise rename contacts from step to step.
Polygon clip(const Polygon& in, const Vector3d& n, double offset, double slack,
             std::uint32_t plane) {
  Polygon out;
  for (int k = 0; k < in.count; ++k) {
    const ClipVertex& from = in.vertices[k];
    const ClipVertex& to = in.vertices[(k + 1) % in.count];
    const double d0 = n.dot(from.p) - offset;
    const double d1 = n.dot(to.p) - offset;
    const Vector3d crossing = from.p + d0 / (d0 - d1) * (to.p - from.p);
    if (d0 <= slack) out.add({from.p, from.id, d0 >= 0 && d1 > slack ? plane : from.line});
    if (d0 < 0 && d1 > slack) out.add({crossing, kLines * from.line + plane, plane});
    if (d0 > slack && d1 < 0) out.add({crossing, kLines * plane + from.line, from.line});
  }
  return out;
}

// The face of the box that looks most against n.
Polygon incident_face(const Box& box, const Frame& X_W, const Vector3d& n, std::uint32_t& name) {
  const Vector3d n_B = X_W.R.transpose() * n;
  int axis;
  n_B.cwiseAbs().maxCoeff(&axis);
  const double side = n_B[axis] > 0 ? -1 : 1;
  const int u = (axis + 1) % 3;
  const int w = (axis + 2) % 3;
  const Vector3d center = X_W.p + side * box.half_size[axis] * X_W.R.col(axis);
  const Vector3d du = box.half_size[u] * X_W.R.col(u);
  const Vector3d dw = box.half_size[w] * X_W.R.col(w);
  name = static_cast<std::uint32_t>(2 * axis + (side > 0));
  const Vector3d corners[kIncidentEdges] = {center + du + dw, center - du + dw, center - du - dw,
                                            center + du - dw};
  Polygon face;
  for (std::uint32_t k = 0; k < kIncidentEdges; ++k) {
    face.add({corners[k], kLines * ((k + kIncidentEdges - 1) % kIncidentEdges) + k, k});
  }
  return face;
}

// `n` is outward from the reference box, the normal of its face or next to it; `sign` turns it into
// the contact normal. Gaps are along n.
void face_contacts(const Box& reference, const Frame& X_WR, int axis, const Vector3d& n,
                   const Box& incident, const Frame& X_WI, double sign, double margin,
                   Contacts& contacts) {
  std::uint32_t name = 0;
  Polygon polygon = incident_face(incident, X_WI, n, name);
  const Vector3d column = X_WR.R.col(axis);
  const Vector3d m = n.dot(column) > 0 ? column : Vector3d(-column);
  const Vector3d center = X_WR.p + reference.half_size[axis] * m;
  const double cosine = m.dot(n);
  for (int k = 1; k <= 2; ++k) {
    const int side = (axis + k) % 3;
    // At right angles to n, as the face's sides are when seen along it.
    const Vector3d t = X_WR.R.col(side) - X_WR.R.col(side).dot(n) / cosine * m;
    const double middle = t.dot(center);
    const double half = reference.half_size[side];
    const double slack = 1e-6 * half;
    const std::uint32_t line = kIncidentEdges + static_cast<std::uint32_t>(2 * k - 2);
    polygon = clip(polygon, t, middle + half, slack, line);
    polygon = clip(polygon, -t, half - middle, slack, line + 1);
  }
  for (int k = 0; k < polygon.count; ++k) {
    const ClipVertex& vertex = polygon.vertices[k];
    const double gap = m.dot(vertex.p - center) / cosine;
    if (gap >= margin) continue;
    const std::uint32_t feature = vertex.id + (static_cast<std::uint32_t>(axis) << 20) +
                                  (name << 24) + (sign > 0 ? 1u << 28 : 0);
    contacts.push_back({vertex.p - 0.5 * gap * n, sign * n, gap, feature});
  }
}

// Midpoint of the edge of the box that is extreme along n, and runs along `axis`.
Vector3d edge_middle(const Box& box, const Frame& X_W, const Vector3d& n, int axis) {
  Vector3d p = X_W.p;
  for (int k = 0; k < 3; ++k) {
    if (k == axis) continue;
    const Vector3d t = X_W.R.col(k);
    p += (t.dot(n) > 0 ? 1 : -1) * box.half_size[k] * t;
  }
  return p;
}

// False if the lines are nearest beyond the ends of the edges.
bool edge_contact(const Box& a, const Frame& X_WA, const Box& b, const Frame& X_WB,
                  const Axis& axis, double slack, Contacts& contacts) {
  const Vector3d p1 = edge_middle(a, X_WA, axis.n, axis.edge1);
  const Vector3d p2 = edge_middle(b, X_WB, -axis.n, axis.edge2);
  const Vector3d u1 = X_WA.R.col(axis.edge1);
  const Vector3d u2 = X_WB.R.col(axis.edge2);
  const Vector3d r = p2 - p1;
  const double c = u1.dot(u2);
  const double det = 1 - c * c;
  const double s = (u1.dot(r) - c * u2.dot(r)) / det;
  const double t = (c * u1.dot(r) - u2.dot(r)) / det;
  if (std::abs(s) > a.half_size[axis.edge1] + slack) return false;
  if (std::abs(t) > b.half_size[axis.edge2] + slack) return false;
  const std::uint32_t feature =
      (1u << 30) + static_cast<std::uint32_t>(3 * axis.edge1 + axis.edge2);
  contacts.push_back({0.5 * (p1 + s * u1 + p2 + t * u2), axis.n, axis.separation, feature});
  return true;
}

// The axis of the box whose face looks most along n, and its cosine.
int level_axis(const Frame& X_W, const Vector3d& n, double& cosine) {
  int axis;
  cosine = (X_W.R.transpose() * n).cwiseAbs().maxCoeff(&axis);
  return axis;
}

// Of the contacts from `first` on, one is near enough.
bool proves(const Contacts& contacts, size_t first, double enough) {
  for (size_t k = first; k < contacts.size(); ++k) {
    if (contacts[k].gap <= enough) return true;
  }
  return false;
}

}  // namespace

void box_box(const Box& a, const Frame& X_WA, const Box& b, const Frame& X_WB, double margin,
             Contacts& contacts) {
  const Axis axis = best_axis(a, X_WA, b, X_WB);
  if (axis.separation >= margin) return;
  const double size = a.half_size.sum() + b.half_size.sum();
  const double enough = axis.separation + (kProof + kFacePreference) * size;
  const size_t first = contacts.size();
  if (axis.face1 >= 0) {
    face_contacts(a, X_WA, axis.face1, axis.n, b, X_WB, 1, margin, contacts);
    if (proves(contacts, first, enough)) return;
  } else if (axis.face2 >= 0) {
    face_contacts(b, X_WB, axis.face2, -axis.n, a, X_WA, -1, margin, contacts);
    if (proves(contacts, first, enough)) return;
  } else {
    double cosine_a, cosine_b;
    const int face_a = level_axis(X_WA, axis.n, cosine_a);
    const int face_b = level_axis(X_WB, axis.n, cosine_b);
    if (cosine_a > kLevel && cosine_a + kFacePreference >= cosine_b) {
      face_contacts(a, X_WA, face_a, axis.n, b, X_WB, 1, margin, contacts);
    } else if (cosine_b > kLevel) {
      face_contacts(b, X_WB, face_b, -axis.n, a, X_WA, -1, margin, contacts);
    }
    // What was kept beyond a side by rounding is no nearer than the edges.
    for (size_t k = first; k < contacts.size(); ++k) {
      contacts[k].gap = std::max(contacts[k].gap, axis.separation);
    }
    if (proves(contacts, first, enough)) return;
    contacts.resize(first);
    if (edge_contact(a, X_WA, b, X_WB, axis, kProof * size, contacts)) return;
  }
  contacts.resize(first);
  convex_convex(a, X_WA, b, X_WB, margin, contacts);
}

}  // namespace stiction
