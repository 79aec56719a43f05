#include "sim/servo_law.h"

#include <algorithm>

namespace stiction {
namespace {

// The piece at u of the line within its range; slope >= 0.
ServoPiece clamped(const ServoPiece& line, const Range& range, double u, bool begins) {
  ServoPiece piece = line;
  if (line.slope == 0) {
    piece.f0 = std::clamp(line.f0, range.lower, range.upper);
    return piece;
  }
  const auto is_before = [&](double end) { return begins ? u < end : u <= end; };
  const double at_upper = (line.f0 - range.upper) / line.slope;
  const double at_lower = (line.f0 - range.lower) / line.slope;
  if (is_before(at_upper)) {
    return {line.begin, std::min(line.end, at_upper), range.upper, 0};
  }
  if (!is_before(at_lower)) {
    return {std::max(line.begin, at_lower), line.end, range.lower, 0};
  }
  piece.begin = std::max(line.begin, at_upper);
  piece.end = std::min(line.end, at_lower);
  return piece;
}

// What reaches the joint.
Range geared(const Range& range, double gear) {
  const double one = gear * range.lower;
  const double other = gear * range.upper;
  return {std::min(one, other), std::max(one, other)};
}

}  // namespace

double ServoLaw::Part::force(double u) const {
  return std::clamp(f0 - slope * gear * u, range.lower, range.upper);
}

bool ServoLaw::falls() const {
  if (!(slope > 0)) return false;
  return !parts_limited ||
         std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.slope >= 0; });
}

ServoPiece ServoLaw::piece(double u, bool begins) const {
  ServoPiece sum{.f0 = f0, .slope = slope};
  if (parts_limited) {
    sum.f0 = sum.slope = 0;
    for (const Part& part : parts) {
      if (part.gear == 0) continue;
      const ServoPiece line{.f0 = part.gear * part.f0, .slope = part.gear * part.gear * part.slope};
      const ServoPiece own = clamped(line, geared(part.range, part.gear), u, begins);
      sum.begin = std::max(sum.begin, own.begin);
      sum.end = std::min(sum.end, own.end);
      sum.f0 += own.f0;
      sum.slope += own.slope;
    }
  }
  ServoPiece piece = clamped(sum, range, u, begins);
  // It falls: beyond, it stays at the limit.
  if (piece.slope == 0 && piece.f0 == range.upper) piece.begin = -kInfinity;
  if (piece.slope == 0 && piece.f0 == range.lower) piece.end = kInfinity;
  return piece;
}

bool ServoLaw::approach(double u, double slack, ServoPiece& piece) const {
  const ServoPiece before = piece;
  const double margin = slack / slope;
  while (u > piece.end + margin && piece.same_line(before)) piece = this->piece(piece.end, true);
  while (u < piece.begin - margin && piece.same_line(before)) {
    piece = this->piece(piece.begin, false);
  }
  return !piece.same_line(before);
}

}  // namespace stiction
