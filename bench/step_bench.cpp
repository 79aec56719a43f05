// A whole time step: Stiction against MuJoCo's C library on the same files, in one run. The engines
// run the scene by turns, each alone from start to end as its users do, so that neither finds the
// other's data in the caches; of several rounds every step counts with its best time, by the
// thread's CPU clock. MuJoCo runs with the file's settings and, for its fastest, with every solver
// and cone. Beside the times: what the steps of ours were worth, and where their time went.
//
// What falls into a heap is chaotic, and one heap jams more than another, in one engine and not in
// the other: with --starts N every engine runs N times, from velocities that differ by up to 2 cm/s
// (rad/s) from the file's but in the first, and all steps count together.
//
//   step_bench [--solver NAME] [--tol R] [--seconds T] [--rounds N] [--starts N] [FILE...]
// default: the drops of ../shared/scenes, 1e-8 m/s, 1 s, 3 rounds, 1 start
#include <mujoco/mujoco.h>
#include <stiction/files.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
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

constexpr double kPush = 0.02;  // m/s or rad/s

// What start `number` adds to the velocities, the same for every engine.
std::vector<double> push(int number, int dofs) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::vector<double> velocities(dofs, 0);
  for (double& v : velocities)
    v = number > 0 ? kPush * (2.0 * static_cast<double>(random()) / 4294967295.0 - 1) : 0;
  return velocities;
}

// The step times of one engine with one setting, microseconds: each step's best of all rounds,
// since every round takes the same steps.
struct Times {
  std::vector<double> best;

  void add(size_t step, double time) {
    if (step == best.size()) best.push_back(time);
    best[step] = std::min(best[step], time);
  }
};

// MuJoCo with one solver and cone.
struct Peer {
  std::string name;
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data{nullptr, mj_deleteData};
  Times times;

  void run(int start, int steps) {
    mj_resetData(model.get(), data.get());
    if (model->nkey > 0) mj_resetDataKeyframe(model.get(), data.get(), 0);
    const std::vector<double> more = push(start, static_cast<int>(model->nv));
    for (size_t d = 0; d < more.size(); ++d) data->qvel[d] += more[d];
    for (int k = 0; k < steps; ++k) {
      const double begin = cpu_microseconds();
      mj_step(model.get(), data.get());
      times.add(static_cast<size_t>(start * steps + k), cpu_microseconds() - begin);
    }
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
      peers.push_back(std::move(peer));
    }
  }
  return peers;
}

struct Ours {
  std::string solver;
  double tolerance = 1e-8;
  Times times;
  std::vector<double> residuals;
  stiction::StageTimes stages;  ///< seconds, sums of the last round

  void run(const stiction::Model& model, int start, int steps);
};

void Ours::run(const stiction::Model& model, int start, int steps) {
  stiction::SimulationOptions options;
  options.solver = solver;
  options.budget.tolerance = tolerance;
  stiction::Simulation simulation(model, options);
  if (!model.keyframes.empty()) simulation.reset_to_keyframe(model.keyframes[0].name);
  stiction::State state = simulation.state();
  const std::vector<double> more = push(start, static_cast<int>(state.qvel.size()));
  for (size_t d = 0; d < more.size(); ++d) state.qvel[d] += more[d];
  simulation.set_state(state);
  stages = {};
  for (int k = 0; k < steps; ++k) {
    const double begin = cpu_microseconds();
    const stiction::StepReport& report = simulation.step();
    times.add(static_cast<size_t>(start * steps + k), cpu_microseconds() - begin);
    residuals.push_back(report.solve.residual.scaled);
    stages.kinematics += report.seconds.kinematics;
    stages.contacts += report.seconds.contacts;
    stages.dynamics += report.seconds.dynamics;
    stages.assemble += report.seconds.assemble;
    stages.solve += report.seconds.solve;
    stages.integrate += report.seconds.integrate;
    stages.certify += report.seconds.certify;
  }
}

void print_times(const char* engine, const Times& times) {
  std::printf("  %-10s mean %8.0f us   median %8.0f us   p99 %8.0f us   ", engine, mean(times.best),
              quantile(times.best, 0.5), quantile(times.best, 0.99));
}

void compare(const std::string& path, const std::string& solver, double tolerance, double seconds,
             int rounds, int starts) {
  const stiction::Model model = stiction::load_model(path).model;
  const int steps = static_cast<int>(std::lround(seconds / model.options.timestep));
  Ours ours;
  ours.solver = solver;
  ours.tolerance = tolerance;
  std::vector<Peer> peers = make_peers(path);
  for (int start = 0; start < starts; ++start) {
    for (int round = 0; round < rounds; ++round) {
      ours.run(model, start, steps);
      for (Peer& peer : peers) peer.run(start, steps);
    }
  }
  const Peer& fastest = *std::min_element(
      peers.begin(), peers.end(),
      [](const Peer& a, const Peer& b) { return mean(a.times.best) < mean(b.times.best); });
  std::printf("%s, %d x %d steps%s%s\n", path.c_str(), starts, steps, solver.empty() ? "" : ", ",
              solver.c_str());
  print_times("Stiction", ours.times);
  std::printf("residual median %.1e p99 %.1e m/s\n", quantile(ours.residuals, 0.5),
              quantile(ours.residuals, 0.99));
  for (const Peer& peer : peers) {
    print_times("MuJoCo", peer.times);
    std::printf("%s%s\n", peer.name.c_str(), &peer == &fastest ? ", its fastest" : "");
  }
  const auto print_ratios = [&](const char* name, double (*middle)(const Times&)) {
    std::printf("  ratio      %s %.2f to its default, %.2f to its fastest\n", name,
                middle(ours.times) / middle(peers[0].times),
                middle(ours.times) / middle(fastest.times));
  };
  print_ratios("of means  ", [](const Times& times) { return mean(times.best); });
  print_ratios("of medians", [](const Times& times) { return quantile(times.best, 0.5); });
  const double scale = 1e6 / steps;
  const stiction::StageTimes& stages = ours.stages;
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
  double tolerance = 1e-8;
  double seconds = 1;
  int rounds = 3;
  int starts = 1;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const bool has_value = k + 1 < argc;
    if (argument == "--solver" && has_value) {
      solver = argv[++k];
    } else if (argument == "--seconds" && has_value) {
      seconds = std::atof(argv[++k]);
    } else if (argument == "--tol" && has_value) {
      tolerance = std::atof(argv[++k]);
    } else if (argument == "--rounds" && has_value) {
      rounds = std::max(1, std::atoi(argv[++k]));
    } else if (argument == "--starts" && has_value) {
      starts = std::max(1, std::atoi(argv[++k]));
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
    for (const std::string& file : files) compare(file, solver, tolerance, seconds, rounds, starts);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "step_bench: %s\n", error.what());
    return 1;
  }
}
