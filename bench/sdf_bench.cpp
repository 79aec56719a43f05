// Contact detection of signed distance solids: time per step, per face that was minimised over and
// per contact, on consecutive states of the scenes. CPU time of the thread: of the fastest of
// several rounds for each state, since other programs disturb, the median over the states.
//
//   sdf_bench [SCENE...]      default: nut and dishes
#include <stiction/simulation.h>
#include <stiction/tree.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "cpu_time.h"
#include "geometry/sdf/surface_contacts.h"
#include "scenes/scene.h"
#include "sim/detect.h"

namespace {

constexpr int kFirstStep = 100;
constexpr int kStates = 200;
constexpr int kRounds = 10;

std::vector<stiction::State> states_of(const stiction::Scene& scene) {
  stiction::Simulation simulation(scene.make());
  std::vector<stiction::State> states;
  for (int k = 0; k < kFirstStep + kStates; ++k) {
    if (k >= kFirstStep) states.push_back(simulation.state());
    simulation.step();
  }
  return states;
}

bool measure(const std::string& name) {
  const stiction::Scene* scene = stiction::find_scene(name);
  if (!scene) {
    std::fprintf(stderr, "sdf_bench: no scene '%s'\n", name.c_str());
    return false;
  }
  const std::vector<stiction::State> states = states_of(*scene);
  const stiction::Model model = scene->make();
  const stiction::Structure structure(model);
  stiction::ContactDetector detector(model, structure, {});
  stiction::TreeData tree(model);
  std::vector<stiction::ContactForce> contacts;
  std::vector<double> times(states.size(), std::numeric_limits<double>::infinity());
  double count = 0;
  stiction::SurfaceWork work;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t k = 0; k < states.size(); ++k) {
      const stiction::State& state = states[k];
      stiction::update_kinematics(model, state.qpos, tree);
      stiction::update_velocity(model, state.qvel, tree);
      stiction::take_surface_work();
      const double start = cpu_microseconds();
      detector.detect(tree, model.options.timestep, contacts);
      times[k] = std::min(times[k], cpu_microseconds() - start);
      const stiction::SurfaceWork done = stiction::take_surface_work();
      work.faces += done.faces;
      work.candidates += done.candidates;
      count += static_cast<double>(contacts.size());
    }
  }
  const double steps = kRounds * kStates;
  const double time = median(times);
  const double faces = static_cast<double>(work.faces) / steps;
  std::printf(
      "%-10s %7.1f us per step   %6.1f faces, %.3f us each   %6.1f candidates, %5.1f contacts, "
      "%.2f us each\n",
      name.c_str(), time, faces, time / faces, static_cast<double>(work.candidates) / steps,
      count / steps, time * steps / count);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"nut", "dishes"};
  for (const std::string& name : names) {
    if (!measure(name)) return 2;
  }
  return 0;
}
