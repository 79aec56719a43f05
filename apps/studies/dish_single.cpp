// [TRO25] Fig. 9: four stacked dishes, one step under random wrenches.
#include "studies/single_step.h"

namespace stiction::studies {

Result run_dish_single(const Setup& setup) {
  const std::vector<Case> cases = dish_cases(setup, setup.quick ? 8 : 100);
  double contacts = 0;
  for (const Case& one : cases) contacts += static_cast<double>(one.problem.constraints.size());
  contacts /= static_cast<double>(cases.size());
  Result result = single_step_result(
      single_step_histories(setup, cases), "Dish piling, single step",
      "Two bowls and a plate of 0.1 kg under a pot of 5 kg, " + text(contacts) + " contacts",
      "Fig. 9");
  result.method =
      "The scene `dishes` settles for 1 s by simulation; then every dish gets a random force up to "
      "5 N and a random torque up to 0.1 N m, and the step from the settled state is solved cold. "
      "The curves show the scaled residual (m/s); the last column of the table has the paper's, "
      "which presumes masses of 1 kg. Fastest of three solves per case and solver.";
  return result;
}

}  // namespace stiction::studies
