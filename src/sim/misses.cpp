#include "sim/misses.h"

#include <stiction/error.h>

#include <cstdio>
#include <string>

namespace stiction {
namespace {

// "5.1e-04 of 1e-08 m/s (iteration limit), worst: contact 'floor' - 'box'".
std::string residual_details(const Simulation::Impl& sim) {
  const SolveReport& solve = sim.solution.report;
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "%.2g of %.2g m/s (%s)", solve.residual.scaled,
                sim.options.budget.tolerance, to_string(solve.status));
  const int worst = solve.residual.worst_constraint;
  if (worst < 0) return numbers;
  return std::string(numbers) +
         ", worst: " + constraint_name(sim.model, sim.contacts, sim.sources[worst]);
}

}  // namespace

const char* to_string(Miss miss) {
  switch (miss) {
    case Miss::kResidual:
      return "residual above the tolerance";
    case Miss::kReach:
      return "contacts and limits that come up within the step do not settle";
    case Miss::kForceLimits:
      return "force limits of actuators do not settle";
    case Miss::kEnergy:
      return "energy is not finite";
    case Miss::kEquality:
      return "equalities come open";
  }
  return "";
}

void find_misses(Simulation::Impl& sim) {
  sim.misses.clear();
  const bool reached = sim.solution.report.residual.scaled <= sim.options.budget.tolerance;
  if (!reached) sim.misses.push_back(Miss::kResidual);
  if (!sim.reach_settled) sim.misses.push_back(Miss::kReach);
  if (!sim.servos_settled) sim.misses.push_back(Miss::kForceLimits);
}

void refuse_missed(const Simulation::Impl& sim) {
  std::string text = "step " + std::to_string(sim.state.step + 1);
  for (const Miss miss : sim.misses) {
    text += (miss == sim.misses.front() ? ": " : "; ") + std::string(to_string(miss));
    if (miss == Miss::kResidual) text += ": " + residual_details(sim);
  }
  throw InputError(text);
}

}  // namespace stiction
