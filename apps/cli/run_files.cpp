#include "run_files.h"

#include <algorithm>
#include <filesystem>

#include "viewer/record.h"

namespace stiction::cli {

Recorder::Recorder(const std::string& path, double every, const Simulation& simulation)
    : writer_(path, viewer::recording_header(simulation)),
      every_(every),
      next_(simulation.state().time) {
  add(simulation);
}

void Recorder::add(const Simulation& simulation) {
  // Half a step of slack, so that rounding of the time does not skip a frame.
  if (simulation.state().time < next_ - 0.5 * simulation.timestep()) return;
  next_ += every_;
  viewer::fill_frame(simulation, frame_);
  writer_.add(frame_);
}

void Recorder::finish() { writer_.flush(); }

void WorstSteps::add(const Simulation& simulation) {
  const StepReport& report = simulation.report();
  const double residual = report.solve.residual.scaled;
  const bool full = static_cast<int>(entries_.size()) == count_;
  if (count_ == 0 || (full && residual <= entries_.back().residual)) return;
  Entry entry{residual, report.step, simulation.problem(), simulation.guess()};
  for (int i = 0; i < static_cast<int>(entry.problem.constraints.size()); ++i) {
    entry.problem.names.push_back(simulation.constraint_name(i));
  }
  if (full) entries_.pop_back();
  const auto at =
      std::upper_bound(entries_.begin(), entries_.end(), entry,
                       [](const Entry& a, const Entry& b) { return a.residual > b.residual; });
  entries_.insert(at, std::move(entry));
}

std::string dump_path(const std::string& folder, const std::string& title,
                      const std::string& step) {
  const std::string stem = std::filesystem::path(title).stem().string();
  return (std::filesystem::path(folder) / (stem + "-step-" + step + ".h5")).string();
}

std::vector<std::string> WorstSteps::write(const std::string& folder,
                                           const std::string& title) const {
  std::vector<std::string> paths;
  for (const Entry& entry : entries_) {
    paths.push_back(dump_path(folder, title, std::to_string(entry.step)));
    write_problem(paths.back(), entry.problem, ProblemForm::kGlobal,
                  entry.guess.warm ? &entry.guess : nullptr);
  }
  return paths;
}

}  // namespace stiction::cli
