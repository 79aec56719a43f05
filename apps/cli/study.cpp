// stiction study NAME: a measurement of the papers, repeated, with verdicts and a picture.
#include "studies/study.h"

#include <stiction/error.h>
#include <stiction/files.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "interrupt.h"
#include "options.h"
#include "progress.h"
#include "studies/write_result.h"

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;
using studies::Result;
using studies::Study;

constexpr char kIndexTitle[] = "# Studies";

struct StudyArguments {
  std::string name;
  std::string out = "study-results";
  bool quick = false;
  bool all = false;
  bool list = false;
  bool json = false;
};

// A folder in that of the results in which they are made, so that they appear whole or not at all.
class Workshop {
 public:
  explicit Workshop(const std::string& out)
      : out_(out), folder_(out_ / (".part" + std::to_string(getpid()))), new_(!fs::exists(out_)) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw InputError(out + ": cannot be written: " + error.message());
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    if (new_) fs::remove(out_, ignored);  // fails, as it should, if there are results
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::string folder() const { return folder_.string(); }
  void deliver(const std::vector<std::string>& names) const {
    for (const std::string& name : names) fs::rename(folder_ / name, out_ / name);
  }

 private:
  fs::path out_;
  fs::path folder_;
  bool new_;  ///< the folder of the results
};

Result run_study(const Study& study, const StudyArguments& arguments, const Workshop& workshop,
                 const InterruptGuard& interrupt) {
  Progress progress(study.name, 1);
  studies::Setup setup;
  setup.quick = arguments.quick;
  setup.progress = [&](double share, const std::string& note) {
    if (interrupt.signal()) throw studies::Interrupted("interrupted");
    progress.update(share, note);
  };
  Result result = study.run(setup);
  setup.progress(1, "writing");
  const auto names = studies::write_result(study, result, arguments.quick, workshop.folder());
  setup.progress(1, "done");
  workshop.deliver(names);
  return result;
}

nlohmann::ordered_json as_json(const Study& study, const Result& result) {
  nlohmann::ordered_json claims = nlohmann::ordered_json::array();
  for (const studies::Claim& claim : result.claims) {
    claims.push_back({{"name", claim.name},
                      {"paper", claim.paper},
                      {"ours", claim.ours},
                      {"verdict", claim.verdict},
                      {"timed", claim.timed}});
  }
  return {{"study", study.name}, {"paper", study.paper}, {"claims", claims}};
}

void print_claims(const Study& study, const Result& result, const std::string& out) {
  std::cout << study.name << ": " << study.sentence << " (" << study.paper << ")\n";
  for (const studies::Claim& claim : result.claims) {
    std::cout << "  " << claim.name << "\n      paper: " << claim.paper
              << "\n      here:  " << claim.ours << "\n      " << claim.verdict << '\n';
  }
  std::cout << "  " << (fs::path(out) / (study.name + ".md")).string() << "\n\n";
}

// --all writes an index; it must not overwrite somebody's README.
void check_index(const std::string& out) {
  std::ifstream file(fs::path(out) / "README.md");
  std::string first;
  if (std::getline(file, first) && first != kIndexTitle) {
    throw InputError(out +
                     "/README.md: is not an index of studies and would be overwritten; "
                     "choose another --out");
  }
}

void run_studies(const StudyArguments& arguments, const InterruptGuard& interrupt) {
  std::vector<const Study*> chosen;
  if (arguments.all) {
    check_index(arguments.out);
    for (const Study& study : studies::all_studies()) chosen.push_back(&study);
  } else {
    chosen.push_back(&studies::find_study(arguments.name));
  }
  const Workshop workshop(arguments.out);
  std::vector<std::pair<const Study*, Result>> results;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Study* study : chosen) {
    results.emplace_back(study, run_study(*study, arguments, workshop, interrupt));
    if (arguments.json) {
      list.push_back(as_json(*study, results.back().second));
    } else {
      print_claims(*study, results.back().second, arguments.out);
    }
  }
  if (arguments.json) std::cout << (arguments.all ? list : list[0]).dump(2) << '\n';
  if (!arguments.all) return;
  write_file(workshop.folder() + "/README.md", studies::index_text(results));
  workshop.deliver({"README.md"});
}

void list_studies() {
  for (const Study& study : studies::all_studies()) {
    std::cout << "  " << std::left << std::setw(14) << study.name << study.sentence << "  ("
              << study.paper << ")\n";
  }
}

void study_command(const StudyArguments& arguments) {
  if (arguments.list) return list_studies();
  if (arguments.all == !arguments.name.empty()) {
    throw InputError("study: expected either a NAME or --all; stiction study --list");
  }
  const InterruptGuard interrupt;
  try {
    run_studies(arguments, interrupt);
  } catch (const std::exception&) {
    if (!interrupt.signal()) throw;
    std::cerr << "stiction: interrupted; the study that was running has written nothing\n";
    throw CLI::RuntimeError(interrupt.exit_code());
  }
}

}  // namespace

void add_study(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("study", "Repeat a measurement of the papers: table, picture, verdicts");
  auto arguments = std::make_shared<StudyArguments>();
  command->add_option("NAME", arguments->name, "Study");
  command->add_flag("--all", arguments->all, "All of them, and an index README.md");
  command->add_flag("--quick", arguments->quick, "A few seconds, fewer cases");
  command->add_option("--out", arguments->out, "Folder for NAME.md, NAME.csv and NAME.png")
      ->check(not_empty("the name of a folder"))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the claims as JSON");
  add_list_flag(*command, arguments->list, "The studies, with a sentence each");
  command->footer(
      "Examples:\n  stiction study --list\n  stiction study friction --quick\n"
      "  stiction study laikago --out results --json\n");
  command->callback([arguments] { study_command(*arguments); });
}

}  // namespace stiction::cli
