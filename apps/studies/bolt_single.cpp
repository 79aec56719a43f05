// [TRO25] Fig. 7: an M48 nut on its bolt, ten poses and ten wrenches each.
#include <cmath>

#include "scenes/scene.h"
#include "studies/single_step.h"

namespace stiction::studies {
namespace {

constexpr double kPitch = 0.005;  // m

// The nut on the thread at another height, turned accordingly, then left to itself for a moment.
State settled_pose(Simulation& simulation, int pose) {
  simulation.reset();
  State state = simulation.state();
  const double down = 0.0023 * pose;
  state.qpos[2] -= down;
  const double angle = -2 * M_PI * down / kPitch;
  state.qpos.segment<4>(3) << std::cos(angle / 2), 0, 0, std::sin(angle / 2);
  simulation.set_state(state);
  for (int step = 0; step < 40; ++step) simulation.step();
  return simulation.state();
}

}  // namespace

Result run_bolt_single(const Setup& setup) {
  Simulation simulation(find_scene("nut_holds")->make());
  const int poses = setup.quick ? 2 : 10;
  const int wrenches = setup.quick ? 4 : 10;
  std::mt19937 random(1);
  std::vector<Case> cases;
  for (int pose = 0; pose < poses; ++pose) {
    setup.progress(0.2 * pose / poses, "pose " + std::to_string(pose));
    const State state = settled_pose(simulation, pose);
    for (int k = 0; k < wrenches; ++k) {
      cases.push_back(wrench_case(simulation, state, {"nut"}, 20, 0.5, random));
    }
  }
  Result result = single_step_study(setup, cases, "Bolt and nut, single step",
                                    "An M48 nut of 0.98 kg on its bolt", "Fig. 7");
  result.method =
      "The scene `nut_holds` (mu 0.1): the nut is put at " + std::to_string(poses) +
      " heights on the thread and left to itself for 40 steps; then it gets a random force up to "
      "20 N and a random torque up to 0.5 N m, and the step is solved cold. The distance functions "
      "are exact ISO threads, not neural networks as in the paper. Fastest of three solves per "
      "case.";
  return result;
}

}  // namespace stiction::studies
