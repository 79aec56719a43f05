// A solve from guess to certificate, and the memory that the next one of the same bodies uses
// again.
#pragma once

#include <stiction/solve.h>

#include <vector>

#include "contact/certificate.h"
#include "contact/dynamics.h"
#include "contact/islands.h"
#include "contact/solvers.h"

namespace stiction {

class ProblemSolver {
 public:
  /// Everything in the problem may change between two solves but its subsystems, and parents and
  /// dofs of bodies. With `leave_out`, contacts that the guess says to be open are not given to the
  /// solver (decided.h): for simulations, not where solvers are compared.
  ProblemSolver(const Problem& problem, bool leave_out);
  ProblemSolver(const ProblemSolver&) = delete;  // its parts refer to each other
  ProblemSolver& operator=(const ProblemSolver&) = delete;

  /// As `solve` of <stiction/solve.h>, with options.
  void solve(const SolverOptions& options, const Budget& budget, bool record_history,
             Solution& solution);

 private:
  const Problem& problem_;
  const bool leave_out_;
  DynamicsFactor factor_;
  Certificate certificate_;
  std::vector<Island> islands_;
  bool solved_before_ = false;
};

}  // namespace stiction
