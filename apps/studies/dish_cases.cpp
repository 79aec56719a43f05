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

}  // namespace stiction::studies
