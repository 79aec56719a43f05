#include "sim/warm_start.h"

#include <algorithm>

#include "contact/jacobian.h"

namespace stiction {

using Eigen::Vector3d;

void load_warm_start(const State& state, const std::vector<ConstraintSource>& sources,
                     const std::vector<ContactForce>& contacts, const Problem& problem,
                     Solution& solution) {
  solution.v = state.qvel;
  solution.lambda.setZero(problem.n_c());
  solution.warm = false;
  const auto less = [](const auto& entry, std::uint64_t id) { return entry.first < id; };
  const auto end = state.impulses.end();
  auto next = state.impulses.begin();  // where the one after the last is, where ids rise
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::uint64_t id = sources[i].id;
    const auto found = next != end && next->first == id
                           ? next
                           : std::lower_bound(state.impulses.begin(), end, id, less);
    if (found == end || found->first != id) continue;
    next = found + 1;
    const Constraint& constraint = problem.constraints[i];
    Vector3d impulse = found->second;
    if (sources[i].kind == SourceKind::kContact) {
      impulse = contacts[sources[i].index].R_CW * impulse;
    }
    set_rows(constraint, impulse, solution.lambda);
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
    Vector3d impulse = rows_of(constraint, solution.lambda);
    if (sources[i].kind == SourceKind::kContact) {
      impulse = contacts[sources[i].index].R_CW.transpose() * impulse;
    }
    state.impulses.emplace_back(sources[i].id, impulse);
  }
  // Contacts come first and have the smaller ids; those of the others mostly rise.
  const auto others = state.impulses.begin() + static_cast<std::ptrdiff_t>(contacts.size());
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(state.impulses.begin(), others, less);
  if (!std::is_sorted(others, state.impulses.end(), less)) {
    std::sort(others, state.impulses.end(), less);
  }
  // Ids of contacts hold hashes of their features: two may be the same.
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  state.impulses.erase(std::unique(state.impulses.begin(), state.impulses.end(), same),
                       state.impulses.end());
}

}  // namespace stiction
