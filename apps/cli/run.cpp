// stiction run FILE|SCENE: simulate, and say how exact every step was.
#include "run.h"

#include <stiction/error.h>
#include <stiction/files.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "interrupt.h"
#include "options.h"
#include "progress.h"
#include "repeat.h"
#include "run_checks.h"
#include "run_files.h"
#include "run_summary.h"
#include "scenes/scene.h"
#include "states.h"
#include "text.h"

namespace stiction::cli {
namespace {

constexpr char kRunExamples[] =
    "Examples:\n"
    "  stiction run tower                          a scene by name (stiction demo --list)\n"
    "  stiction run robot.xml --key home --duration 5 --report out.json\n"
    "  stiction run slide.xml --set qvel='3 0 0 0 0 0' --solver canal --tol 1e-10\n"
    "  stiction run robot.xml --budget 500us --record a.h5     then the same with --repeat a.h5\n"
    "  stiction run tower --record out.h5 --plot energy,residual --plot-file out.png\n"
    "  stiction run robot.xml --dump-worst 3       then: stiction solve robot-step-17.h5 --warm\n";

TroublePolicy policy_of(const std::string& name) {
  for (const TroublePolicy policy : {TroublePolicy::kWarn, TroublePolicy::kThrow,
                                     TroublePolicy::kRetry, TroublePolicy::kFallback}) {
    if (name == to_string(policy)) return policy;
  }
  throw InputError("--on-trouble is '" + name + "', expected warn, throw, retry or fallback");
}

std::vector<char> switches(const Eigen::VectorXd& values) {
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    if (values[k] == 0 || values[k] == 1) continue;
    char text[64];
    std::snprintf(text, sizeof text, "--set eq_active[%d] is %g, expected 0 or 1",
                  static_cast<int>(k), values[k]);
    throw InputError(text);
  }
  return {values.begin(), values.end()};
}

// "qvel=3 0 0 0 0 0": the whole of one array of the state or of ctrl, whose name is returned.
std::string apply_setting(const std::string& setting, Simulation& simulation) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos) {
    throw InputError("--set '" + setting +
                     "': expected NAME=NUMBERS, NAME qpos, qvel, act, eq_active " + "or ctrl");
  }
  const std::string name = setting.substr(0, equals);
  const std::vector<double> numbers = parse_numbers(setting.substr(equals + 1), "--set " + name);
  const Eigen::VectorXd values =
      Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  State state = simulation.state();
  if (name == "qpos") {
    state.qpos = values;
  } else if (name == "qvel") {
    state.qvel = values;
  } else if (name == "act") {
    state.act = values;
  } else if (name == "eq_active") {
    state.eq_active = switches(values);
  } else if (name == "ctrl") {
    if (values.size() != simulation.ctrl().size()) {
      throw InputError("--set ctrl has " + std::to_string(values.size()) + " numbers, expected " +
                       std::to_string(simulation.ctrl().size()));
    }
    simulation.ctrl() = values;
    return name;
  } else {
    throw InputError("--set '" + name +
                     "' is unknown, expected qpos, qvel, act, eq_active or ctrl");
  }
  simulation.set_state(state);
  return name;
}

void warn_unsupported(const Simulation& simulation) {
  const auto pairs = simulation.unsupported_pairs();
  if (pairs.empty()) return;
  static const char* const kShapes[] = {
      "plane",     "sphere",      "capsule",      "cylinder",     "box",
      "ellipsoid", "convex mesh", "height field", "mesh surface", "signed distance"};
  std::set<std::string> kinds;
  for (const auto& [a, b] : pairs) {
    const auto& geoms = simulation.model().geoms;
    kinds.insert(std::string(kShapes[geoms[a].shape.index()]) + " - " +
                 kShapes[geoms[b].shape.index()]);
  }
  std::string list;
  for (const std::string& kind : kinds) list += (list.empty() ? "" : ", ") + kind;
  std::cerr << "stiction: " << pairs.size() << " pairs of geoms came close without a contact "
            << "function and pass through each other: " << list << '\n';
}

// How a run ended; what was simulated until then is not lost.
struct Ending {
  bool complete = false;
  std::string refused;     ///< why a step was
  std::string unrecorded;  ///< why the recording could not be written
};

// What was refused in `work`, or empty.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Steps to the end of the run, or until a signal. `repetition` and `recorder` may be null.
Ending simulate(Simulation& simulation, const RunRequest& request, Repetition* repetition,
                const InterruptGuard& interrupt, RunSummary& summary, Recorder* recorder,
                WorstSteps& worst) {
  const long steps =
      repetition ? repetition->steps() : step_count(*request.duration, simulation.timestep());
  Progress progress(request.title, static_cast<double>(steps));
  const auto start = std::chrono::steady_clock::now();
  Ending ending;
  long k = 0;
  while (k < steps && !interrupt.signal()) {
    ending.refused =
        refusal_of([&] { repetition ? repetition->step(simulation) : simulation.step(); });
    if (!ending.refused.empty()) break;
    summary.add(simulation);
    worst.add(simulation);
    ++k;
    if (recorder) ending.unrecorded = refusal_of([&] { recorder->add(simulation); });
    if (!ending.unrecorded.empty()) break;
    const StepReport& report = simulation.report();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    char note[128];
    std::snprintf(note, sizeof note, "t = %.2f s   %.1f x real time   %d contacts   residual %.1e",
                  report.time, simulation.timestep() * static_cast<double>(k) / wall.count(),
                  report.contacts, report.solve.residual.scaled);
    progress.update(static_cast<double>(k), note);
  }
  if (recorder && ending.unrecorded.empty()) {
    ending.unrecorded = refusal_of([&] { recorder->finish(); });
  }
  ending.complete = k == steps;
  return ending;
}

void draw(const RunSummary& summary, const RunRequest& request, double tolerance) {
  std::vector<PlotPanel> panels;
  for (const std::string& name : request.plot) panels.push_back(summary.panel(name, tolerance));
  const auto has_band = [](const PlotPanel& panel) { return !panel.lines.front().low.empty(); };
  const bool thinned = std::any_of(panels.begin(), panels.end(), has_band);
  plot_png(request.plot_file, request.title, panels,
           thinned ? "Curves are medians of several steps, bands go from the least to the largest."
                   : "");
}

// A flag's value, or null.
nlohmann::json given(const std::string& value) {
  return value.empty() ? nlohmann::json() : nlohmann::json(value);
}

// All that it takes to repeat the run, by the names of its flags.
nlohmann::json settings_json(const Simulation& simulation, const RunRequest& request) {
  const SimulationOptions& options = simulation.options();
  nlohmann::json settings = {{"version", STICTION_VERSION},
                             {"file", request.title},
                             {"floating", request.floating},
                             {"key", given(request.key)},
                             {"set", request.set},
                             {"duration", nullptr},
                             {"solver", options.solver},
                             {"dt", options.timestep},
                             {"tol", options.budget.tolerance},
                             {"theta", options.theta},
                             {"budget", given(request.budget)},
                             {"threads", options.budget.threads},
                             {"on_trouble", to_string(options.on_trouble)}};
  if (request.repeat.empty()) settings["duration"] = *request.duration;
  if (!request.repeat.empty()) settings["repeat"] = request.repeat;
  return settings;
}

nlohmann::json report_json(const RunSummary& summary, const Simulation& simulation,
                           const RunRequest& request, const Ending& ending,
                           const InterruptGuard& interrupt) {
  nlohmann::json report = summary.json(simulation);
  report["settings"] = settings_json(simulation, request);
  if (!ending.refused.empty()) report["refused"] = ending.refused;
  if (!ending.unrecorded.empty()) report["recording_failed"] = ending.unrecorded;
  if (interrupt.signal()) {
    report["interrupted"] = {{"signal", interrupt.signal_name()},
                             {"time", simulation.state().time}};
  }
  return report;
}

// The files that a run leaves besides its recording.
struct Written {
  bool plot = false;
  std::vector<std::string> dumped;
  std::vector<std::string> failed;  ///< why some could not be written, which keeps no others
};

Written write_files(const RunSummary& summary, const Simulation& simulation,
                    const RunRequest& request, const nlohmann::json& report,
                    const WorstSteps& worst) {
  Written written;
  const auto write = [&written](const auto& work) {
    const std::string failed = refusal_of(work);
    if (!failed.empty()) written.failed.push_back(failed);
    return failed.empty();
  };
  if (!request.report.empty()) write([&] { write_file(request.report, report.dump(2) + '\n'); });
  if (!request.plot.empty() && !summary.empty()) {
    written.plot = write([&] { draw(summary, request, simulation.options().budget.tolerance); });
  }
  write([&] { written.dumped = worst.write(request.dump_to, request.title); });
  return written;
}

void print_ending(const Ending& ending, const InterruptGuard& interrupt, double time) {
  if (!ending.refused.empty()) std::cout << "  refused        a step at t = " << time << " s\n";
  if (interrupt.signal()) {
    std::cout << "  interrupted    by " << interrupt.signal_name() << " at t = " << time << " s\n";
  }
  const bool told = ending.complete || !ending.refused.empty() || interrupt.signal();
  if (!ending.unrecorded.empty() && !told) {
    std::cout << "  stopped        at t = " << time
              << " s, where the recording could not be written\n";
  }
}

bool sets_ctrl(const RunRequest& request) {
  return std::any_of(request.set.begin(), request.set.end(),
                     [](const std::string& setting) { return setting.starts_with("ctrl="); });
}

}  // namespace

Simulation make_simulation(Model model, const RunRequest& request) {
  SimulationOptions options;
  options.solver = request.solver;
  if (request.dt) options.timestep = *request.dt;
  options.theta = request.theta;
  options.budget = parse_budget(request.budget);
  if (request.tolerance) options.budget.tolerance = *request.tolerance;
  options.budget.threads = request.threads;
  options.on_trouble = policy_of(request.on_trouble);
  options.keep_guess = request.dump_worst > 0;
  const int key = request.key.empty() ? -1 : known_keyframe(request.title, request.key, model);
  Simulation simulation(std::move(model), options);
  if (key >= 0) simulation.reset_to_keyframe(key);
  std::set<std::string> names;
  for (const std::string& setting : request.set) {
    const std::string name = apply_setting(setting, simulation);
    if (!names.insert(name).second) throw InputError("--set " + name + " twice, expected once");
  }
  if (request.duration) step_count(*request.duration, simulation.timestep());
  return simulation;
}

void run_model(Model model, const RunRequest& request) {
  check_request(request);
  Simulation simulation = make_simulation(std::move(model), request);
  RunSummary summary(simulation);
  std::optional<Repetition> repetition;
  if (!request.repeat.empty()) repetition.emplace(request.repeat, simulation, sets_ctrl(request));
  const InterruptGuard interrupt;
  std::unique_ptr<Recorder> recorder;
  if (!request.record.empty()) {
    recorder = std::make_unique<Recorder>(request.record, request.record_every, simulation);
  }
  WorstSteps worst(request.dump_worst);
  const Ending ending = simulate(simulation, request, repetition ? &*repetition : nullptr,
                                 interrupt, summary, recorder.get(), worst);
  warn_unsupported(simulation);
  const nlohmann::json report = report_json(summary, simulation, request, ending, interrupt);
  const Written written = write_files(summary, simulation, request, report, worst);
  if (repetition && repetition->first_difference() >= 0) {
    throw InputError(request.repeat + ": step " + std::to_string(repetition->first_difference()) +
                     " ends in another state");
  }
  if (request.json) {
    std::cout << report.dump(2) << '\n';
  } else {
    const size_t bodies = simulation.model().bodies.size() - 1;
    std::cout << request.title << ": " << bodies << (bodies == 1 ? " body, " : " bodies, ")
              << simulation.model().nv << " dof\n";
    print_ending(ending, interrupt, simulation.state().time);
    summary.print(simulation, std::cout);
    if (repetition) {
      std::cout << "  repetition     the same bits in every step"
                << (ending.complete ? "" : " so far") << '\n';
    }
    if (recorder) {
      std::cout << "  recording      " << request.record
                << (ending.unrecorded.empty() ? "" : ", without the last steps") << '\n';
    }
    if (written.plot) std::cout << "  plot           " << request.plot_file << '\n';
    for (const std::string& path : written.dumped) {
      std::cout << "  worst problem  " << path << '\n';
    }
  }
  std::string failed = ending.refused;
  const auto add = [&failed](const std::string& other) {
    failed += (failed.empty() || other.empty() ? "" : "; ") + other;
  };
  add(ending.unrecorded);
  for (const std::string& other : written.failed) add(other);
  if (!failed.empty()) throw InputError(failed);
  if (interrupt.signal()) throw CLI::RuntimeError(interrupt.exit_code());
}

Model open_model(RunRequest& request) {
  if (const Scene* scene = find_scene(request.title)) {
    refuse_floating_scene(request.title, request.floating);
    Model model = scene->make();
    model.name = scene->name;
    if (request.key.empty() && model.keyframe_index("start") >= 0) request.key = "start";
    return model;
  }
  Loaded loaded = load_file(request.title, request.floating);
  size_t physics = 0;
  for (const Note& note : loaded.notes) physics += note.severity == Severity::kPhysics;
  if (physics > 0) {
    std::cerr << "stiction: " << physics
              << (physics == 1 ? " thing in the file changes" : " things in the file change")
              << " the physics and " << (physics == 1 ? "is" : "are")
              << " not honoured; stiction check " << request.title << " lists "
              << (physics == 1 ? "it" : "them") << '\n';
  }
  return std::move(loaded.model);
}

void refuse_floating_scene(const std::string& scene, bool floating) {
  if (!floating) return;
  throw InputError("--floating: '" + scene + "' is a scene, expected a URDF file");
}

Loaded load_file(const std::string& path, bool floating) {
  if (!std::filesystem::exists(path)) {
    std::vector<std::string> names;
    for (const Scene& scene : scenes()) names.push_back(scene.name);
    const std::string nearest = nearest_name(path, names);
    throw InputError(path + ": there is no such file or scene; " +
                     (nearest.empty() ? "" : "is '" + nearest + "' meant? ") +
                     "stiction demo --list names the scenes");
  }
  LoadOptions options;
  options.floating_base = floating;
  return load_model(path, options);
}

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Simulate a model, with a certificate every step");
  command->footer(kRunExamples);
  auto request = std::make_shared<RunRequest>();
  command->add_option("FILE", request->title, "MJCF or URDF file, or the name of a scene")
      ->required();
  add_run_options(*command, *request);
  command->callback([request] {
    const Scene* scene = find_scene(request->title);
    if (!request->duration && request->repeat.empty()) {
      request->duration = scene ? scene->duration : 2;
    }
    Model model = open_model(*request);
    run_model(std::move(model), *request);
  });
}

}  // namespace stiction::cli
