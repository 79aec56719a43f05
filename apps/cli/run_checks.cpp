#include "run_checks.h"

#include <stiction/error.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "run_summary.h"

namespace stiction::cli {
namespace {

constexpr double kMostSteps = 1e12;  // a year of 30 us each

void check_plots(const RunRequest& request) {
  for (const std::string& name : request.plot) {
    const auto& names = RunSummary::plot_names();
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string list;
    for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
    throw InputError("--plot '" + name + "' is unknown, expected some of " + list);
  }
}

// A file can hold one thing; pipes and devices can hold several, one after the other.
void check_apart(const RunRequest& request) {
  std::vector<std::pair<std::string, std::string>> files = {
      {"--record", request.record}, {"--report", request.report}, {"--repeat", request.repeat}};
  if (!request.plot.empty()) files.emplace_back("--plot-file", request.plot_file);
  std::map<std::filesystem::path, std::string> taken;
  for (const auto& [flag, file] : files) {
    std::error_code error;
    if (file.empty()) continue;
    const std::filesystem::path path =
        std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
      continue;
    }
    const auto [other, is_new] = taken.emplace(path, flag);
    if (!is_new) throw InputError(other->second + " and " + flag + " are both '" + file + "'");
  }
}

void check_outputs(const RunRequest& request) {
  const auto folder_of = [](const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    return folder.empty() ? std::filesystem::path(".") : folder;
  };
  std::vector<std::pair<std::string, std::filesystem::path>> outputs;
  if (!request.report.empty()) outputs.emplace_back("--report", folder_of(request.report));
  if (!request.plot.empty()) outputs.emplace_back("--plot-file", folder_of(request.plot_file));
  if (request.dump_worst > 0) outputs.emplace_back("--dump-to", request.dump_to);
  for (const auto& [flag, folder] : outputs) {
    if (std::filesystem::is_directory(folder) && access(folder.c_str(), W_OK) == 0) continue;
    throw InputError(flag + ": folder '" + folder.string() + "' cannot be written");
  }
}

}  // namespace

void check_request(const RunRequest& request) {
  check_plots(request);
  check_outputs(request);
  check_apart(request);
}

long step_count(double duration, double h) {
  const double steps = std::round(duration / h);
  if (steps >= 1 && steps <= kMostSteps) return static_cast<long>(steps);
  char text[128];
  std::snprintf(text, sizeof text, "--duration %g is %.3g steps of %g s, expected 1 to %g",
                duration, duration / h, h, kMostSteps);
  throw InputError(text);
}

}  // namespace stiction::cli
