// stiction inspect FILE: the dynamics of a model at given states, under MuJoCo's names.
#include <stiction/error.h>
#include <stiction/files.h>
#include <stiction/tree.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "options.h"
#include "outputs.h"
#include "states.h"

namespace stiction::cli {
namespace {

using nlohmann::json;

struct InspectArguments {
  std::string file;
  std::string states;
  std::string key;
  std::string out;
  bool floating = false;
};

template <typename Vector>
json to_json(const Vector& values) {
  json array = json::array();
  for (const double value : values) array.push_back(value);
  return array;
}

json lower_triangle(const Eigen::MatrixXd& M) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < M.rows(); ++i) rows.push_back(to_json(M.row(i).head(i + 1)));
  return rows;
}

json describe(const Model& model) {
  json bodies = json::array();
  for (const Body& body : model.bodies) {
    bodies.push_back({{"name", body.name}, {"parent", body.parent}, {"mass", body.mass}});
  }
  return {{"sizes",
           {{"nq", model.nq},
            {"nv", model.nv},
            {"nu", model.nu()},
            {"na", model.na},
            {"nbody", model.bodies.size()},
            {"njnt", model.joints.size()},
            {"ngeom", model.geoms.size()}}},
          {"total_mass", model.total_mass()},
          {"bodies", bodies}};
}

json evaluate(const Model& model, const NamedState& state, TreeData& data) {
  update_kinematics(model, state.qpos, data);
  update_velocity(model, state.qvel, data);
  compute_mass_matrix(model, data);
  factorize(data);
  compute_bias(model, data);
  compute_passive_forces(model, state.qpos, state.qvel, data);
  compute_actuator_forces(model, state.qpos, state.qvel, state.ctrl, state.act,
                          model.options.timestep, data);
  Eigen::VectorXd qacc = data.passive + data.actuation - data.bias;
  solve_in_place(data, qacc);
  if (!qacc.allFinite() || !data.M.allFinite()) {
    throw InputError("state '" + state.name + "': its numbers are too large, M or qacc overflows");
  }
  const Energy e = energy(model, state.qpos, state.qvel, data);
  const Eigen::MatrixXd M = dense_mass_matrix(data);

  json result = {{"name", state.name},
                 {"qpos", to_json(state.qpos)},
                 {"qvel", to_json(state.qvel)},
                 {"ctrl", to_json(state.ctrl)},
                 {"M", lower_triangle(M)},
                 {"M_diag", to_json(M.diagonal())},
                 {"qfrc_bias", to_json(data.bias)},
                 {"qfrc_passive", to_json(data.passive)},
                 {"qfrc_actuator", to_json(data.actuation)},
                 {"qacc_smooth", to_json(qacc)},
                 {"com", to_json(center_of_mass(model, data))},
                 {"energy", {e.potential, e.kinetic}},
                 {"xpos", json::array()},
                 {"xquat", json::array()}};
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const Eigen::Quaterniond& q = data.q_WB[b];
    result["xpos"].push_back(to_json(data.p_WB[b]));
    result["xquat"].push_back({q.w(), q.x(), q.y(), q.z()});
  }
  return result;
}

void inspect(const InspectArguments& arguments) {
  check_files({{"FILE", arguments.file}, {"--states", arguments.states}},
              {{"--out", arguments.out}});
  LoadOptions options;
  options.floating_base = arguments.floating;
  const Model model = load_model(arguments.file, options).model;
  std::vector<NamedState> states;
  if (!arguments.states.empty()) {
    states = read_states(arguments.states, model);
  } else if (!arguments.key.empty()) {
    states.push_back(key_state(arguments.file, arguments.key, model));
  } else {
    states.push_back(reference_state(model));
  }

  json result = describe(model);
  result["file"] = arguments.file;
  result["states"] = json::array();
  TreeData data(model);
  for (const NamedState& state : states) result["states"].push_back(evaluate(model, state, data));
  const std::string text = result.dump() + "\n";
  if (arguments.out.empty()) {
    std::cout << text;
  } else {
    write_file(arguments.out, text);
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("inspect", "Mass matrix, forces, poses and energy of a model, as JSON");
  auto arguments = std::make_shared<InspectArguments>();
  command->add_option("FILE", arguments->file, "MJCF or URDF file")->required();
  CLI::Option* states =
      command
          ->add_option("--states", arguments->states,
                       "JSON: a list of {\"qpos\", \"qvel\", \"ctrl\"}, or an object with it under "
                       "\"states\"")
          ->check(not_empty());
  command->add_option("--key", arguments->key, "A keyframe of the model instead, by name or index")
      ->check(not_empty("the name or index of a keyframe"))
      ->excludes(states);
  command->add_option("--out", arguments->out, "Write here instead of to the standard output")
      ->check(not_empty());
  add_floating_flag(*command, arguments->floating);
  command->footer(
      "For each state (qpos0 if none is given): M (lower triangle by rows), qfrc_bias,\n"
      "qfrc_passive, qfrc_actuator, qacc_smooth, com, energy (potential, kinetic), and xpos, "
      "xquat\n"
      "of the bodies, in MuJoCo's conventions.\n\n"
      "Examples:\n"
      "  stiction inspect models/box_on_slope.xml\n"
      "  stiction inspect robot.urdf --floating --states states.json --out dynamics.json");
  command->callback([arguments] { inspect(*arguments); });
}

}  // namespace stiction::cli
