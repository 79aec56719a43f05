// Restitution: of what turns, under the theta rule, and with friction.
//
// The velocity that an impact turns round is that of the free motion without weight and other
// forces, A v- = A v - h (inertial forces of the step): a spinning body has another v_n at the end
// of the step than at its start. The midpoint rule keeps the kinetic energy from v to v-, and so
// does an elastic bounce of it without friction, J v+ = -J v-. With v instead it would lose a
// hundredth or so. Where v_n is not more than these forces and weight do within the step, nothing
// hits but rolls, and v counts.
//
// A bounce sets the new speed v+ of a contact to -e times the old one, and the step then moves on
// by h v+. In free flight [TRO25] (2) keeps, for an acceleration a along the normal,
//
//   I = v^2 / 2 - a z + (1/2 - theta) h a v,
//
// and that is kept by an elastic bounce, to O(h^2), if v+ is larger by 2 theta h a: with theta = 0
// by nothing, with theta = 1/2 by the speed that gravity gives in a step. Otherwise every bounce
// adds the energy of the way h v+ (a fiftieth of a drop from 1 m at h = 1/240 s).
//
// Newton's rule, v_n+ = -e v_n, knows nothing of friction, which turns the body within the impact
// and may so leave it with more energy than it had (Kane's paradox). Constraints add
//
//   sum_i lambda_i^T J_i (v+ + v_free) / 2,   A v_free = b,
//
// and where that is more than nothing, all that bounces in the island bounces less, with the
// largest share of its restitution that adds nothing, to 1/256. Up to 1e-6 of what constraints
// exchange counts as nothing, and so does what forces have taken within the step: a ball that
// weight pulls away from a ceiling has lost h g of its speed in v_free, and may have it back. So
// there is no more kinetic energy after a bounce than before it or without it, whichever is more.
// This is the one rule for all bounces, those that follow each other within a step included
// (impacts.h).
#pragma once

#include <stiction/problem.h>
#include <stiction/solve.h>

#include <Eigen/Core>
#include <vector>

#include "contact/islands.h"
#include "sim/simulation_impl.h"

namespace stiction {

/// Whether a contact bounces in this step, however slowly.
bool any_bounce(const Simulation::Impl& sim);

/// Slower than what weight does in a step, nothing bounces that a step could show, m/s.
double least_impact(const Simulation::Impl& sim);

/// Gives contacts that hit now e of their bounce, and sim.approach the velocities v-. True if with
/// theta > 0 their bodies take the step with theta = 0 from now on: then it is to be done again.
bool set_bounces(Simulation::Impl& sim);

/// Corrects e of contacts that bounce, if theta > 0; after set_bounces.
void correct_bounces(Simulation::Impl& sim);

/// Finds the share of every island's restitution with which its bounces add no energy, by
/// bisection: solve, `adjust`, assemble and solve again, and so on until it returns false. Then
/// `restore`.
class BounceLimit {
 public:
  explicit BounceLimit(const Simulation::Impl& sim);

  /// Sets the restitution of the contacts of `problem`, which `solution` is of. False if it can
  /// stay as it is.
  bool adjust(const Solution& solution, const Problem& problem,
              std::vector<ContactForce>& contacts);
  /// Gives the contacts all their restitution back.
  void restore(std::vector<ContactForce>& contacts) const;

 private:
  std::vector<char> find_gains(const Solution& solution, const Problem& problem) const;

  IslandLabels islands_;
  Eigen::VectorXd v_free_;
  std::vector<double> taken_;        ///< per island: what forces have taken, J
  std::vector<double> restitution_;  ///< of every contact
  std::vector<double> low_;          ///< per island: a share that adds no energy
  std::vector<double> high_;         ///< and one that does, or 1
  std::vector<double> share_;        ///< the present one
  int rounds_ = 0;
};

}  // namespace stiction
