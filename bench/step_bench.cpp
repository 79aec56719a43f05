// A whole time step: Stiction against MuJoCo's C library on the same files, in one run, the two
// stepping in turn from the same start. Times are of the thread's CPU clock, per step; MuJoCo runs
// with the file's settings and, for its fastest, with every solver and cone. Beside the times: what
// the steps of ours were worth, and where their time went.
//
//   step_bench [--solver NAME] [--seconds T] [FILE...]    default: the drops of ../shared/scenes
#include <mujoco/mujoco.h>
#include <stiction/files.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu_time.h"

namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

// MuJoCo with one solver and cone.
struct Peer {
  std::string name;
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data{nullptr, mj_deleteData};
  std::vector<double> times;

  void step() {
    const double start = cpu_microseconds();
    mj_step(model.get(), data.get());
    times.push_back(cpu_microseconds() - start);
  }
};

std::vector<Peer> make_peers(const std::string& path) {
  const std::pair<const char*, int> solvers[] = {{"Newton", mjSOL_NEWTON}, {"CG", mjSOL_CG}};
  const std::pair<const char*, int> cones[] = {{"pyramidal", mjCONE_PYRAMIDAL},
                                               {"elliptic", mjCONE_ELLIPTIC}};
  std::vector<Peer> peers;
  for (const auto& [solver_name, solver] : solvers) {
    for (const auto& [cone_name, cone] : cones) {
      Peer peer;
      peer.name = std::string(solver_name) + " " + cone_name;
      char error[1000] = "";
      peer.model.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof(error)));
      if (!peer.model) throw std::runtime_error(path + ": " + error);
      peer.model->opt.solver = solver;
      peer.model->opt.cone = cone;
      peer.data.reset(mj_makeData(peer.model.get()));
      if (peer.model->nkey > 0) mj_resetDataKeyframe(peer.model.get(), peer.data.get(), 0);
      peers.push_back(std::move(peer));
    }
  }
  return peers;
}

void compare(const std::string& path, const std::string& solver, double seconds) {
  stiction::SimulationOptions options;
  options.solver = solver;
  stiction::Simulation simulation(stiction::load_model(path).model, options);
  const auto& keyframes = simulation.model().keyframes;
  if (!keyframes.empty()) simulation.reset_to_keyframe(keyframes[0].name);
  std::vector<Peer> peers = make_peers(path);
  std::vector<double> ours;
  std::vector<double> residuals;
  stiction::StageTimes stages;
  const int steps = static_cast<int>(std::lround(seconds / simulation.timestep()));
  for (int k = 0; k < steps; ++k) {
    const double start = cpu_microseconds();
    const stiction::StepReport& report = simulation.step();
    ours.push_back(cpu_microseconds() - start);
    residuals.push_back(report.solve.residual.scaled);
    stages.kinematics += report.seconds.kinematics;
    stages.contacts += report.seconds.contacts;
    stages.dynamics += report.seconds.dynamics;
    stages.assemble += report.seconds.assemble;
    stages.solve += report.seconds.solve;
    stages.integrate += report.seconds.integrate;
    stages.certify += report.seconds.certify;
    for (Peer& peer : peers) peer.step();
  }
  const Peer& fastest =
      *std::min_element(peers.begin(), peers.end(),
                        [](const Peer& a, const Peer& b) { return mean(a.times) < mean(b.times); });
  std::printf("%s, %d steps, %s\n", path.c_str(), steps, simulation.options().solver.c_str());
  std::printf(
      "  Stiction   mean %8.0f us   median %8.0f us   p99 %8.0f us   residual median %.1e "
      "p99 %.1e m/s\n",
      mean(ours), quantile(ours, 0.5), quantile(ours, 0.99), quantile(residuals, 0.5),
      quantile(residuals, 0.99));
  for (const Peer& peer : peers) {
    std::printf("  MuJoCo     mean %8.0f us   median %8.0f us   p99 %8.0f us   %s%s\n",
                mean(peer.times), quantile(peer.times, 0.5), quantile(peer.times, 0.99),
                peer.name.c_str(), &peer == &fastest ? ", its fastest" : "");
  }
  std::printf("  ratio      mean %.2f to its default, %.2f to its fastest\n",
              mean(ours) / mean(peers[0].times), mean(ours) / mean(fastest.times));
  const double scale = 1e6 / steps;
  std::printf(
      "  stages, us kinematics %.0f, contacts %.0f, dynamics %.0f, assemble %.0f, solve "
      "%.0f, integrate %.0f, certify %.0f\n",
      scale * stages.kinematics, scale * stages.contacts, scale * stages.dynamics,
      scale * stages.assemble, scale * stages.solve, scale * stages.integrate,
      scale * stages.certify);
}

}  // namespace

int main(int argc, char** argv) {
  std::string solver;
  double seconds = 1;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const bool has_value = k + 1 < argc;
    if (argument == "--solver" && has_value) {
      solver = argv[++k];
    } else if (argument == "--seconds" && has_value) {
      seconds = std::atof(argv[++k]);
    } else {
      files.push_back(argument);
    }
  }
  if (files.empty()) {
    for (const char* name : {"quad8", "quad27", "pour45", "granular216", "stack_boxes10"}) {
      files.push_back(std::string(STICTION_SHARED_DIR) + "/scenes/" + name + ".xml");
    }
  }
  try {
    std::printf("MuJoCo %s, one thread\n", mj_versionString());
    for (const std::string& file : files) compare(file, solver, seconds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_bench: %s\n", error.what());
    return 1;
  }
}
