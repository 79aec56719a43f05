#include "sim/warm_start.h"

#include <algorithm>

namespace stiction {

using Eigen::Vector3d;

void load_warm_start(const State& state, const std::vector<ConstraintSource>& sources,
                     const std::vector<ContactForce>& contacts, const Problem& problem,
                     Solution& solution) {
  solution.v = state.qvel;
  solution.lambda.setZero(problem.n_c());
  solution.warm = false;
  const auto less = [](const auto& entry, std::uint64_t id) { return entry.first < id; };
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto found =
        std::lower_bound(state.impulses.begin(), state.impulses.end(), sources[i].id, less);
    if (found == state.impulses.end() || found->first != sources[i].id) continue;
    const Constraint& constraint = problem.constraints[i];
    Vector3d impulse = found->second;
    if (sources[i].kind == SourceKind::kContact) {
      impulse = contacts[sources[i].index].R_CW * impulse;
    }
    solution.lambda.segment(constraint.row_begin, constraint.rows) = impulse.head(constraint.rows);
    solution.warm = true;
  }
}

void store_warm_start(const Solution& solution, const std::vector<ConstraintSource>& sources,
                      const std::vector<ContactForce>& contacts, const Problem& problem,
                      State& state) {
  state.impulses.clear();
  // Impulses of a regularised problem may be huge and wrong: never start from them.
  if (solution.report.status == Status::kRegularized) return;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Constraint& constraint = problem.constraints[i];
    Vector3d impulse = Vector3d::Zero();
    impulse.head(constraint.rows) = solution.lambda.segment(constraint.row_begin, constraint.rows);
    if (sources[i].kind == SourceKind::kContact) {
      impulse = contacts[sources[i].index].R_CW.transpose() * impulse;
    }
    state.impulses.emplace_back(sources[i].id, impulse);
  }
  std::sort(state.impulses.begin(), state.impulses.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

}  // namespace stiction
