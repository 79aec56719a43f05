#include "geometry/clip.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Edges of the face that clips, as opposed to those of the ring.
constexpr std::uint32_t kSideEdge = 1u << 11;

std::uint32_t crossing(std::uint32_t edge1, std::uint32_t edge2) {
  return ((edge1 + 1) << 12) + edge2 + 1;
}

// Keeps the part of a polygon with outward . p <= offset + slack.
void clip_to_side(const Vector3d& outward, double offset, double slack, std::uint32_t side,
                  const Ring& in, Ring& out) {
  out.count = 0;
  out.face = in.face;
  const RingVertex* from = &in.vertices[in.count - 1];
  double d0 = outward.dot(from->p) - offset;
  for (int k = 0; k < in.count; ++k) {
    const RingVertex& to = in.vertices[k];
    const double d1 = outward.dot(to.p) - offset;
    if ((d0 <= slack) != (d1 <= slack)) {
      const Vector3d p = from->p + d0 / (d0 - d1) * (to.p - from->p);
      const bool leaves = d0 <= slack;
      out.add(p, crossing(from->edge, side), leaves ? side : from->edge);
    }
    if (d1 <= slack) out.add(to.p, to.id, to.edge);
    from = &to;
    d0 = d1;
  }
}

// The part t0 .. t1 of a segment, 0 .. 1 being all of it.
void shorten(double t0, double t1, std::uint32_t side0, std::uint32_t side1, Ring& ring) {
  if (t0 > t1) {
    ring.count = 0;
    return;
  }
  const RingVertex p = ring.vertices[0];
  const Vector3d d = ring.vertices[1].p - p.p;
  if (t0 > 0) ring.vertices[0] = {p.p + t0 * d, crossing(0, side0), 0};
  if (t1 < 1) ring.vertices[1] = {p.p + t1 * d, crossing(1, side1), 1};
}

void clip_point(const Ring& sides, const Vector3d& n, double slack, Ring& ring) {
  for (int k = 0; k < sides.count; ++k) {
    const Vector3d& corner = sides.vertices[k].p;
    const Vector3d outward =
        (sides.vertices[(k + 1) % sides.count].p - corner).cross(n).normalized();
    if (outward.dot(ring.vertices[0].p - corner) > slack) ring.count = 0;
  }
}

void clip_segment(const Ring& sides, const Vector3d& n, double slack, Ring& ring) {
  const Vector3d p = ring.vertices[0].p;
  const Vector3d d = ring.vertices[1].p - p;
  double t0 = 0, t1 = 1;
  std::uint32_t side0 = 0, side1 = 0;
  for (int k = 0; k < sides.count; ++k) {
    const Vector3d& corner = sides.vertices[k].p;
    const Vector3d outward =
        (sides.vertices[(k + 1) % sides.count].p - corner).cross(n).normalized();
    const double start = outward.dot(p - corner) - slack;
    const double slope = outward.dot(d);
    if (std::abs(slope) <= slack) {
      if (start > 0 && start + slope > 0) t1 = -1;
    } else if (slope > 0 && -start / slope < t1) {
      t1 = -start / slope;
      side1 = kSideEdge + static_cast<std::uint32_t>(k);
    } else if (slope < 0 && -start / slope > t0) {
      t0 = -start / slope;
      side0 = kSideEdge + static_cast<std::uint32_t>(k);
    }
  }
  shorten(t0, t1, side0, side1, ring);
}

// Where p + t d, seen along z, crosses the circle; false if it does not.
bool cross_circle(const Vector3d& p, const Vector3d& d, double radius, double& t0, double& t1) {
  const double a = d.head<2>().squaredNorm();
  const double b = p.head<2>().dot(d.head<2>());
  const double c = p.head<2>().squaredNorm() - radius * radius;
  const double root = b * b - a * c;
  if (!(a > 0) || root < 0) return false;
  t0 = (-b - std::sqrt(root)) / a;
  t1 = (-b + std::sqrt(root)) / a;
  return true;
}

// Within the polygon seen along z, whichever way round it is.
bool inside(const Ring& ring, const Vector2d& p, double turn) {
  for (int k = 0; k < ring.count; ++k) {
    const Vector2d a = ring.vertices[k].p.head<2>();
    const Vector2d d = ring.vertices[(k + 1) % ring.count].p.head<2>() - a;
    const Vector2d r = p - a;
    if (turn * (d[0] * r[1] - d[1] * r[0]) < 0) return false;
  }
  return true;
}

void clip_polygon_to_disc(double radius, double slack, Ring& ring) {
  const Ring in = ring;
  const Vector3d& first = in.vertices[0].p;
  Vector3d normal = Vector3d::Zero();
  for (int k = 1; k + 1 < in.count; ++k) {
    normal += (in.vertices[k].p - first).cross(in.vertices[k + 1].p - first);
  }
  ring.count = 0;
  for (int k = 0; k < in.count; ++k) {
    const RingVertex& from = in.vertices[k];
    const Vector3d d = in.vertices[(k + 1) % in.count].p - from.p;
    if (from.p.head<2>().norm() <= radius + slack) ring.add(from.p, from.id, from.edge);
    double t0, t1;
    if (!cross_circle(from.p, d, radius, t0, t1)) continue;
    const double end = slack / d.norm();  // crossings at the corners are the corners
    for (const double t : {t0, t1}) {
      if (t <= end || t >= 1 - end) continue;
      ring.add(from.p + t * d, crossing(from.edge, kSideEdge + (t == t1)), from.edge);
    }
  }
  if (normal[2] == 0) return;
  for (std::uint32_t k = 0; k < 8; ++k) {
    const Vector2d rim(radius * std::cos(k * M_PI / 4), radius * std::sin(k * M_PI / 4));
    if (!inside(in, rim, normal[2] > 0 ? 1 : -1)) continue;
    const double height = first[2] - normal.head<2>().dot(rim - first.head<2>()) / normal[2];
    ring.add(Vector3d(rim[0], rim[1], height), crossing(kSideEdge + 2, k), 0);
  }
}

}  // namespace

void clip_to_face(const Ring& sides, const Vector3d& n, double slack, Ring& ring) {
  if (ring.count == 1) clip_point(sides, n, slack, ring);
  if (ring.count == 2) clip_segment(sides, n, slack, ring);
  if (ring.count < 3) return;
  Ring other;
  Ring* in = &ring;
  Ring* out = &other;
  for (int k = 0; k < sides.count && in->count > 0; ++k) {
    const Vector3d& corner = sides.vertices[k].p;
    const Vector3d outward =
        (sides.vertices[(k + 1) % sides.count].p - corner).cross(n).normalized();
    clip_to_side(outward, outward.dot(corner), slack, kSideEdge + static_cast<std::uint32_t>(k),
                 *in, *out);
    std::swap(in, out);
  }
  if (in != &ring) ring = *in;
}

void clip_to_disc(double radius, double slack, Ring& ring) {
  if (ring.count >= 3) {
    clip_polygon_to_disc(radius, slack, ring);
  } else if (ring.count == 2) {
    const Vector3d p = ring.vertices[0].p;
    const Vector3d d = ring.vertices[1].p - p;
    double t0, t1;
    if (cross_circle(p, d, radius + slack, t0, t1)) {
      shorten(std::max(t0, 0.0), std::min(t1, 1.0), kSideEdge, kSideEdge + 1, ring);
    } else if (p.head<2>().norm() > radius + slack) {
      ring.count = 0;
    }
  }
}

}  // namespace stiction
