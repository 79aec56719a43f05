// stiction check FILE: what was loaded, and what was not honoured.
#include <stiction/files.h>

#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "options.h"

namespace stiction::cli {
namespace {

struct CheckOptions {
  std::string file;
  bool floating = false;
  bool json = false;
};

const char* severity_name(Severity severity) {
  return severity == Severity::kPhysics ? "physics" : "cosmetic";
}

nlohmann::json as_json(const CheckOptions& options, const Loaded& loaded) {
  const Model& model = loaded.model;
  nlohmann::json notes = nlohmann::json::array();
  for (const Note& note : loaded.notes) {
    notes.push_back({{"severity", severity_name(note.severity)},
                     {"file", note.file},
                     {"line", note.line},
                     {"element", note.element},
                     {"message", note.message}});
  }
  return {{"file", options.file},
          {"name", model.name},
          {"nq", model.nq},
          {"nv", model.nv},
          {"nu", model.nu()},
          {"nbody", model.bodies.size()},
          {"njnt", model.joints.size()},
          {"ngeom", model.geoms.size()},
          {"mass", model.total_mass()},
          {"notes", notes}};
}

/// Notes that differ in their place only are told once, with the first place and the count.
void print_notes(const std::vector<Note>& notes, Severity severity, const char* title) {
  struct Group {
    const Note* first;
    int count = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Group> groups;
  int total = 0;
  for (const Note& note : notes) {
    if (note.severity != severity) continue;
    ++total;
    const std::string tag = note.element.substr(0, note.element.find(' '));
    const std::string key = note.file + '\n' + tag + '\n' + note.message;
    const auto [group, is_new] = groups.emplace(key, Group{&note});
    if (is_new) order.push_back(key);
    ++group->second.count;
  }
  std::cout << '\n' << title << ": ";
  if (total == 0) {
    std::cout << "nothing\n";
    return;
  }
  std::cout << total << '\n';
  for (const std::string& key : order) {
    const Group& group = groups.at(key);
    const Note& note = *group.first;
    std::cout << "  " << note.file << ':' << note.line << ": " << note.element << ": "
              << note.message;
    if (group.count > 1) std::cout << "  (and " << group.count - 1 << " more alike)";
    std::cout << '\n';
  }
}

void print_text(const CheckOptions& options, const Loaded& loaded) {
  const Model& model = loaded.model;
  std::cout << options.file << ": " << (model.name.empty() ? "unnamed" : model.name) << '\n'
            << "  nq " << model.nq << "  nv " << model.nv << "  nu " << model.nu() << '\n'
            << "  " << model.bodies.size() << " bodies (the world included)  "
            << model.joints.size() << " joints  " << model.geoms.size() << " geoms\n"
            << "  mass " << std::setprecision(9) << model.total_mass() << " kg\n";
  print_notes(loaded.notes, Severity::kPhysics, "Not honoured, changes the physics");
  print_notes(loaded.notes, Severity::kCosmetic, "Not honoured, cosmetic");
}

void run_check(const CheckOptions& options) {
  LoadOptions load_options;
  load_options.floating_base = options.floating;
  const Loaded loaded = load_model(options.file, load_options);
  if (options.json) {
    std::cout
        << as_json(options, loaded).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
        << '\n';
  } else {
    print_text(options, loaded);
  }
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "Load a model and say what was not honoured");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->file, "MJCF or URDF file")->required();
  add_floating_flag(*command, options->floating);
  command->add_flag("--json", options->json, "print one JSON object, notes one by one");
  command->footer("Example: stiction check robot.xml --json");
  command->callback([options] { run_check(*options); });
}

}  // namespace stiction::cli
