#include "run_checks.h"

#include <stiction/error.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "outputs.h"
#include "run_files.h"
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

// The step's number, which is not known yet, stands between.
bool may_be_dumped(const std::string& file, const RunRequest& request) {
  if (file.empty() || request.dump_worst == 0) return false;
  const std::filesystem::path path = std::filesystem::absolute(file);
  std::error_code error;
  if (!std::filesystem::equivalent(path.parent_path(), request.dump_to, error)) return false;
  const std::string name = path.filename().string();
  const std::string digits = "0123456789";
  const size_t begin = std::min(name.find_last_of('-') + 1, name.size());
  const size_t end = name.find_first_not_of(digits, begin);
  if (begin == end || end == std::string::npos) return false;
  const std::string step = name.substr(begin, end - begin);
  return name == std::filesystem::path(dump_path(request.dump_to, request.title, step)).filename();
}

void check_dumps(const std::vector<NamedFile>& files, const RunRequest& request) {
  for (const auto& [flag, path] : files) {
    if (!may_be_dumped(path, request)) continue;
    throw InputError(flag + " '" + path + "' may be a file of --dump-worst, expected another name");
  }
}

}  // namespace

void check_request(const RunRequest& request) {
  check_plots(request);
  const std::vector<NamedFile> inputs = {{"FILE", file_or_scene(request.title)},
                                         {"--repeat", request.repeat}};
  std::vector<NamedFile> outputs = {{"--record", request.record}, {"--report", request.report}};
  if (!request.plot.empty()) outputs.push_back({"--plot-file", request.plot_file});
  check_dumps(inputs, request);
  check_dumps(outputs, request);
  if (request.dump_worst > 0) {
    outputs.push_back({"--dump-to", dump_path(request.dump_to, request.title, "1")});
  }
  check_files(inputs, outputs);
  if (!request.plot.empty()) require_gnuplot(request.plot_file);
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
