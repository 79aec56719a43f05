// [TRO25] Fig. 9: four stacked dishes, one step under random wrenches.
#include "scenes/scene.h"
#include "studies/single_step.h"

namespace stiction::studies {

std::vector<Case> dish_cases(const Setup& setup, int count) {
  Simulation simulation(find_scene("dishes")->make());
  constexpr int kSettle = 240;
  for (int step = 0; step < kSettle; ++step) {
    if (step % 10 == 0) setup.progress(0.2 * step / kSettle, "dishes settle");
    simulation.step();
  }
  const State settled = simulation.state();
  std::mt19937 random(1);
  std::vector<Case> cases;
  for (int k = 0; k < count; ++k) {
    cases.push_back(
        wrench_case(simulation, settled, {"bowl0", "bowl1", "plate", "pot"}, 5, 0.1, random));
  }
  return cases;
}

Result run_dish_single(const Setup& setup) {
  const std::vector<Case> cases = dish_cases(setup, setup.quick ? 8 : 100);
  Result result =
      single_step_study(setup, cases, "Dish piling, single step",
                        "Two bowls and a plate of 0.1 kg under a pot of 5 kg", "Fig. 9");
  result.method =
      "The scene `dishes` settles for 1 s by simulation; then every dish gets a random force up to "
      "5 N and a random torque up to 0.1 N m, and the step from the settled state is solved cold. "
      "The curves show the scaled residual (m/s); the last column of the table has the paper's, "
      "which presumes masses of 1 kg. Fastest of three solves per case and solver.";
  return result;
}

}  // namespace stiction::studies
