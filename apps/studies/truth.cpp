// Scenes on which other engines show their artifacts, with what they did there and what is right.
#include <cmath>

#include "scenes/scene.h"
#include "studies/measure.h"
#include "studies/study.h"

namespace stiction::studies {
namespace {

struct TruthRow {
  std::string scene;
  std::string quantity;  ///< with its unit
  std::string right;     ///< the right answer
  std::string others;    ///< what others did
  double other = 0;      ///< the best of MuJoCo's figures, for the picture
  double ours = 0;
  double limit = 0;  ///< ours must not exceed it
};

Simulation simulation_of(Model model) {
  const bool starts = model.keyframe_index("start") >= 0;
  Simulation simulation(std::move(model));
  if (starts) simulation.reset_to_keyframe("start");
  return simulation;
}

void run(Simulation& simulation, double seconds) {
  const auto steps = std::lround(seconds / simulation.timestep());
  for (long k = 0; k < steps; ++k) simulation.step();
}

Eigen::Vector3d place(const Simulation& simulation, const char* body) {
  return simulation.body_pose(simulation.model().body_index(body)).p;
}

// Distance that a box creeps down a slope below its friction angle, mm in 10 s.
double slope_creep(double degrees, double seconds) {
  Model model = find_scene("slope")->make();
  const double angle = degrees * M_PI / 180;
  model.options.gravity = 9.81 * Eigen::Vector3d(std::sin(angle), 0, -std::cos(angle));
  Simulation simulation = simulation_of(std::move(model));
  const Eigen::Vector3d before = place(simulation, "box");
  run(simulation, seconds);
  return 1e3 * (place(simulation, "box") - before).norm();
}

// Speed at which a held cube sinks through the fingers, mm/s.
double grasp_creep(double seconds) {
  Simulation simulation = simulation_of(find_scene("grasp")->make());
  run(simulation, 0.5);
  const double before = place(simulation, "cube").z();
  run(simulation, seconds);
  return 1e3 * std::abs(place(simulation, "cube").z() - before) / seconds;
}

struct Slide {
  double lift = 0;   ///< mm
  double error = 0;  ///< mm, of the distance
};

Slide slide() {
  Simulation simulation = simulation_of(find_scene("slide")->make());
  const Eigen::Vector3d before = place(simulation, "box");
  Slide result;
  for (int k = 0; k < 240; ++k) {
    simulation.step();
    result.lift = std::max(result.lift, 1e3 * (place(simulation, "box").z() - before.z()));
  }
  // v0^2 / (2 mu g) - v0 h / 2: the discrete sum of the closed form.
  const double right = 9 / (2 * 0.5 * 9.81) - 3 * simulation.timestep() / 2;
  result.error = 1e3 * std::abs(place(simulation, "box").x() - before.x() - right);
  return result;
}

// How far the top of a stack sinks or strays, mm.
double top_moves(Model model, const char* top, double seconds) {
  Simulation simulation = simulation_of(std::move(model));
  const Eigen::Vector3d before = place(simulation, top);
  run(simulation, seconds);
  return 1e3 * (place(simulation, top) - before).norm();
}

Model heavier_stack() {
  Model model = find_scene("stack")->make();
  Body& top = model.bodies[model.body_index("box3")];
  top.mass *= 10;
  top.inertia *= 10;
  return model;
}

// Deepest penetration while 216 balls settle, mm.
double granular_depth(double seconds, const Setup& setup) {
  Simulation simulation = simulation_of(find_scene("granular")->make());
  double deepest = 0;
  const auto steps = std::lround(seconds / simulation.timestep());
  for (long k = 0; k < steps; ++k) {
    deepest = std::max(deepest, simulation.step().max_penetration);
    setup.progress(0.4 + 0.6 * static_cast<double>(k) / static_cast<double>(steps), "granular");
  }
  return 1e3 * deepest;
}

std::vector<TruthRow> measure(const Setup& setup) {
  const double seconds = setup.quick ? 2 : 10;
  std::vector<TruthRow> rows;
  setup.progress(0, "slopes");
  rows.push_back({"box on a slope of 20°, mu 0.5", "creep in " + text(seconds) + " s, mm", "0",
                  "MuJoCo 18.0 / 9.8 in 10 s", 9.8, slope_creep(20, seconds), 0.01});
  rows.push_back({"the same at 26° (friction angle 26.57°)", "creep in " + text(seconds) + " s, mm",
                  "0", "MuJoCo 193 / 16.4 in 10 s", 16.4, slope_creep(26, seconds), 0.01});
  setup.progress(0.1, "grasp");
  rows.push_back({"cube of 1 kg between two fingers", "creep, mm/s", "0",
                  "MuJoCo 16.5 / 8.2, falls out", 8.2, grasp_creep(0.5 * seconds), 0.01});
  setup.progress(0.2, "slide");
  const Slide slid = slide();
  rows.push_back(
      {"box launched at 3 m/s", "lift, mm", "0", "MuJoCo 12.8 / 12.4", 12.4, slid.lift, 0.01});
  rows.push_back({"the same", "error of the distance, mm", "0 (0.9112 m)",
                  "MuJoCo stops at 0.911 m", kInfinity, slid.error, 0.1});
  setup.progress(0.3, "stacks");
  rows.push_back({"three boxes of 0.1 kg under 5 kg", "top moves, mm", "< 0.05",
                  "MuJoCo 2.8 / 15.2, its PGS topples", 2.8,
                  top_moves(find_scene("stack")->make(), "box3", 0.5 * seconds), 0.05});
  rows.push_back({"the same under 50 kg", "top moves, mm", "stands", "MuJoCo topples", kInfinity,
                  top_moves(heavier_stack(), "box3", 0.5 * seconds), 0.05});
  rows.push_back({"tower of ten, top one 50 times heavier", "top moves, mm", "stands",
                  "MuJoCo Newton 48; Bullet, ODE, Jolt (10, 50) and DART PGS drop it", 48,
                  top_moves(find_scene("tower")->make(), "cube9", setup.quick ? 1 : 5), 0.05});
  if (!setup.quick) {
    rows.push_back({"216 balls poured into a box", "deepest penetration, mm", "0",
                    "MuJoCo 0.6 / 2.5", 0.6, granular_depth(0.35, setup), 0.6});
  }
  return rows;
}

PlotPanel draw(const std::vector<TruthRow>& rows) {
  PlotPanel panel{"", "deviation from the right answer [mm, mm/s]", false, true, {}};
  PlotLine others{"MuJoCo 3.12, the better of its two cones", {}, {}};
  PlotLine ours{"Stiction, Grip (below 1e-6 drawn at 1e-6)", {}, {}};
  others.color = "#999999";
  ours.color = solver_color("grip");
  others.style = ours.style = PlotStyle::kBars;
  const char* const names[] = {"slope 20", "slope 26",  "grasp",    "lift",    "distance",
                               "stack",    "stack 500", "tower 50", "granular"};
  for (size_t k = 0; k < rows.size(); ++k) {
    panel.x_names.push_back(names[k]);
    others.x.push_back(static_cast<double>(k));
    others.y.push_back(rows[k].other);
    ours.x.push_back(static_cast<double>(k));
    ours.y.push_back(std::max(rows[k].ours, 1e-6));
  }
  panel.lines = {others, ours};
  panel.y_range = {1e-7, 1e3};
  return panel;
}

}  // namespace

Result run_truth(const Setup& setup) {
  const std::vector<TruthRow> rows = measure(setup);
  Result result;
  result.pictures.push_back(
      {"What is right, what others do, what we do",
       "Creep, lift, error of the sliding distance, motion of the top of a stack, penetration: 0 "
       "is right. No bar: the stack fell over, or there is no figure. Figures of MuJoCo 3.12 with "
       "its defaults, h = 1/240 "
       "s, pyramidal or elliptic cone, whichever was better.",
       {draw(rows)}});
  Table table{"All scenes",
              {"scene", "quantity", "right", "others (MuJoCo: pyramidal / elliptic cone)", "here"},
              {}};
  result.data.columns = {"scene", "quantity", "ours"};
  for (const TruthRow& row : rows) {
    table.rows.push_back({row.scene, row.quantity, row.right, row.others, text(row.ours)});
    result.data.rows.push_back(
        {"\"" + row.scene + "\"", "\"" + row.quantity + "\"", text(row.ours)});
    result.claims.push_back(
        {row.scene + ": " + row.quantity, row.others, text(row.ours),
         verdict(row.ours <= row.limit, "more than " + text(row.limit) + " is not exact enough")});
  }
  result.tables.push_back(table);
  result.method =
      "Scenes of our own with the same masses, friction and time step of 1/240 s, Grip with its "
      "defaults, nothing tuned. The figures of other engines were measured on such scenes as MJCF "
      "files with MuJoCo 3.12 (native, default solref and solimp), Bullet, ODE, Jolt and DART. "
      "Quadrupeds, pouring and panelled bowls of that collection are not repeated here.";
  return result;
}

}  // namespace stiction::studies
