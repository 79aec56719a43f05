// stiction contacts FILE|SCENE: where a model touches at one state, as a table and as a picture.
#include <stiction/error.h>
#include <stiction/files.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "contact_picture.h"
#include "options.h"
#include "outputs.h"
#include "run.h"
#include "scenes/scene.h"
#include "states.h"
#include "text.h"

namespace stiction::cli {
namespace {

using nlohmann::json;

struct ContactsArguments {
  std::string file;
  std::string key;
  std::string state;
  std::string svg;
  std::string png;
  int max_points = ContactOptions{}.max_points;
  bool floating = false;
  bool json = false;
};

Model load(ContactsArguments& arguments) {
  if (const Scene* scene = find_scene(arguments.file)) {
    refuse_floating_scene(arguments.file, arguments.floating);
    Model model = scene->make();
    if (arguments.key.empty() && arguments.state.empty() && model.keyframe_index("start") >= 0) {
      arguments.key = "start";
    }
    return model;
  }
  return load_file(arguments.file, arguments.floating).model;
}

NamedState choose_state(const ContactsArguments& arguments, const Model& model) {
  if (!arguments.key.empty()) return key_state(arguments.file, arguments.key, model);
  if (arguments.state.empty()) return reference_state(model);
  const std::vector<NamedState> states = read_states(arguments.state, model);
  if (states.size() != 1) {
    throw InputError(arguments.state + ": holds " + std::to_string(states.size()) +
                     " states, expected one");
  }
  return states.front();
}

std::string geom_name(const Model& model, int geom) {
  const std::string& name = model.geoms[geom].name;
  return name.empty() ? "geom " + std::to_string(geom) : name;
}

std::string body_name(const Model& model, int body) {
  const std::string& name = model.bodies[body].name;
  return name.empty() ? "body " + std::to_string(body) : name;
}

std::string hexadecimal(std::uint64_t id) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
  return text;
}

constexpr const char* kContactStates[] = {"open", "stick", "slip"};

json to_json(const Model& model, const std::vector<ContactForce>& contacts) {
  json list = json::array();
  for (const ContactForce& c : contacts) {
    const auto row = [&c](int k) { return json{c.R_CW(k, 0), c.R_CW(k, 1), c.R_CW(k, 2)}; };
    list.push_back({{"id", hexadecimal(c.id)},
                    {"geom1", geom_name(model, c.geom1)},
                    {"geom2", geom_name(model, c.geom2)},
                    {"body1", body_name(model, c.body1)},
                    {"body2", body_name(model, c.body2)},
                    {"point", {c.p_W[0], c.p_W[1], c.p_W[2]}},
                    {"normal", row(2)},
                    {"frame", {row(0), row(1), row(2)}},
                    {"state", kContactStates[static_cast<int>(c.state)]},
                    {"gap", c.gap},
                    {"mu", c.mu},
                    {"restitution", c.restitution},
                    {"force", {c.force_W[0], c.force_W[1], c.force_W[2]}}});
  }
  return list;
}

void print_table(const Model& model, const std::vector<ContactForce>& contacts) {
  const std::vector<std::string> header = {"geom 1", "geom 2", "body 1", "body 2"};
  std::vector<std::vector<std::string>> names;
  std::vector<size_t> widths;
  for (const std::string& title : header) widths.push_back(title.size());
  for (const ContactForce& c : contacts) {
    names.push_back({geom_name(model, c.geom1), geom_name(model, c.geom2),
                     body_name(model, c.body1), body_name(model, c.body2)});
    for (size_t k = 0; k < widths.size(); ++k) {
      widths[k] = std::max(widths[k], names.back()[k].size());
    }
  }
  const auto print_names = [&](const std::vector<std::string>& row) {
    for (size_t k = 0; k < row.size(); ++k) {
      std::printf("%-*s  ", static_cast<int>(widths[k]), row[k].c_str());
    }
  };
  print_names(header);
  std::printf("%28s  %23s  %10s  %6s  %9s  %s\n", "point (m)          ", "normal        ",
              "gap (mm)", "mu", "force (N)", "id");
  for (size_t k = 0; k < contacts.size(); ++k) {
    const ContactForce& c = contacts[k];
    print_names(names[k]);
    std::printf("%8.4f  %8.4f  %8.4f  %7.4f %7.4f %7.4f  %10.4g  %6.3g  %9.4g  %s\n", c.p_W[0],
                c.p_W[1], c.p_W[2], c.R_CW(2, 0), c.R_CW(2, 1), c.R_CW(2, 2), 1e3 * c.gap, c.mu,
                c.force_W.norm(), hexadecimal(c.id).c_str());
  }
}

void show_contacts(ContactsArguments arguments) {
  check_files({{"FILE", file_or_scene(arguments.file)}, {"--state", arguments.state}},
              {{"--svg", arguments.svg}, {"--png", arguments.png}});
  Model model = load(arguments);
  const NamedState chosen = choose_state(arguments, model);
  SimulationOptions options;
  options.contact.max_points = arguments.max_points;
  Simulation simulation(std::move(model), options);
  State state = simulation.state();
  state.qpos = chosen.qpos;
  state.qvel = chosen.qvel;
  state.act = chosen.act;
  simulation.set_state(state);
  simulation.ctrl() = chosen.ctrl;
  std::vector<Pose> poses;
  const int bodies = static_cast<int>(simulation.model().bodies.size());
  for (int b = 0; b < bodies; ++b) poses.push_back(simulation.body_pose(b));
  simulation.step();  // its contacts are those of the state that it starts from

  const std::vector<ContactForce>& contacts = simulation.contacts();
  const std::string title = arguments.file + (chosen.name.empty() ? "" : ", " + chosen.name) +
                            ": " + std::to_string(contacts.size()) + " contacts";
  if (!arguments.svg.empty() || !arguments.png.empty()) {
    const std::string svg = draw_contacts(title, simulation.model(), poses, contacts);
    if (!arguments.svg.empty()) write_file(arguments.svg, svg);
    if (!arguments.png.empty()) write_png(arguments.png, svg);
  }
  if (arguments.json) {
    const json result = {{"file", arguments.file},
                         {"state", chosen.name},
                         {"contacts", to_json(simulation.model(), contacts)}};
    std::cout << result.dump(2) << '\n';
    return;
  }
  std::printf("%s\n", title.c_str());
  if (!contacts.empty()) print_table(simulation.model(), contacts);
  std::fflush(stdout);
}

}  // namespace

void add_contacts(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("contacts", "Contacts of a model at one state: a table and a picture");
  auto arguments = std::make_shared<ContactsArguments>();
  command->add_option("FILE", arguments->file, "MJCF or URDF file, or the name of a scene")
      ->required();
  CLI::Option* key =
      command->add_option("--key", arguments->key, "At this keyframe, by name or index")
          ->check(not_empty("the name or index of a keyframe"));
  command
      ->add_option(
          "--state", arguments->state,
          "At the state of a JSON file: {\"qpos\", \"qvel\", \"ctrl\", \"act\"}, each optional")
      ->check(not_empty())
      ->excludes(key);
  command->add_option("--max-points", arguments->max_points, "Most points per pair of geoms")
      ->check(integer_in(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  command->add_option("--svg", arguments->svg, "Draw them to this file")->check(not_empty());
  command->add_option("--png", arguments->png, "The same as PNG")->check(not_empty());
  add_floating_flag(*command, arguments->floating);
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  command->footer(
      "Normals point from geom 1 to geom 2; a negative gap is an overlap. The id of a contact is\n"
      "the same from step to step. Forces are those of one time step from this state.\n"
      "JSON has the frame, too: rows t1, t2 and the normal, world axes; and stick, slip or "
      "open.\n\n"
      "Examples:\n"
      "  stiction contacts tower --png tower.png\n"
      "  stiction contacts robot.xml --key home --json");
  command->callback([arguments] { show_contacts(*arguments); });
}

}  // namespace stiction::cli
