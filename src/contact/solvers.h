// All solvers, by options: one std::variant picks the solver and is visited once per solve.
//
// Every solver is one file with one function
//
//   void solve_x(const Problem&, const DynamicsFactor&, const XOptions&, const Start&, Monitor&);
//
// that iterates until the monitor says stop. It allocates before its loop and never inside.
#pragma once

#include <stiction/solve.h>

#include <string>
#include <variant>

#include "contact/canal.h"
#include "contact/convex.h"
#include "contact/dampedsn.h"
#include "contact/fadmm.h"
#include "contact/grip.h"
#include "contact/implicit.h"
#include "contact/nnewton.h"
#include "contact/pgs.h"
#include "contact/pj.h"
#include "contact/subadmm.h"
#include "contact/trdogleg.h"

namespace stiction {

using SolverOptions =
    std::variant<GripOptions, CanalOptions, ConvexOptions, SubAdmmOptions, PgsOptions, PjOptions,
                 FadmmOptions, ImplicitOptions, NNewtonOptions, TrDoglegOptions, DampedSnOptions>;

/// Default options of a solver by its name; throws InputError naming the known ones.
SolverOptions solver_options(const std::string& name);

/// As `solve` of <stiction/solve.h>, with options. Validates nothing: the caller has.
void solve_with(const Problem& problem, const SolverOptions& options, const Budget& budget,
                bool record_history, Solution& solution);

}  // namespace stiction
