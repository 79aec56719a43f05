// The force of a servo as a function of the rate u+ that the step ends with: falling, and linear in
// pieces. One actuator has three,
//
//   f(u) = clamp(f0 - slope u);
//
// several on one joint, each within its own limits and all of them within the joint's, have more,
//
//   f(u) = clamp(sum_i gear_i clamp_i(f0_i - slope_i gear_i u)).
#pragma once

#include <stiction/model.h>

#include <vector>

namespace stiction {

struct ServoPiece {
  double begin = -kInfinity;
  double end = kInfinity;
  double f0 = 0;  ///< of the line through the piece, at u = 0
  double slope = 0;

  double force(double u) const { return f0 - slope * u; }
  bool same_line(const ServoPiece& other) const { return f0 == other.f0 && slope == other.slope; }
};

struct ServoLaw {
  /// One of several actuators; its own force is clamp(f0 - slope gear u).
  struct Part {
    int actuator = 0;
    double gear = 1;
    double f0 = 0;
    double slope = 0;
    Range range{};

    double force(double u) const;
  };

  double f0 = 0;  ///< of all together, without limits; N or N m
  double slope = 0;
  std::vector<Part> parts{};   ///< empty for a single actuator
  bool parts_limited = false;  ///< some of them
  Range range{};               ///< of the sum

  /// Whether it falls, and nowhere rises.
  bool falls() const;
  /// The piece at u; of two that meet there, the one that begins at u, or else the one that ends.
  ServoPiece piece(double u, bool begins) const;
  /// Moves to the next piece on the way to u, if u is outside by more than what `slack` in the
  /// force is worth. Never further, or two laws that meet could swap for ever. True if the line
  /// changed.
  bool approach(double u, double slack, ServoPiece& piece) const;
};

}  // namespace stiction
