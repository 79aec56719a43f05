// What a run leaves behind besides its report: the recording and the problems of its worst steps.
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>

#include <string>
#include <vector>

namespace stiction::cli {

/// Records every frame, or those at least `every` seconds apart.
class Recorder {
 public:
  Recorder(const std::string& path, double every, const Simulation& simulation);
  void add(const Simulation& simulation);
  void finish();  ///< throws InputError if the last frames cannot be written

 private:
  RecordingWriter writer_;
  double every_;
  double next_;  ///< time of the next frame, s
  RecordingFrame frame_;
};

/// FOLDER/NAME-step-STEP.h5, NAME that of the model's file or scene, `title`.
std::string dump_path(const std::string& folder, const std::string& title, const std::string& step);

/// Keeps the problems of the steps with the largest residuals, and what their solves started from.
class WorstSteps {
 public:
  explicit WorstSteps(int count) : count_(count) {}
  void add(const Simulation& simulation);
  /// Writes their dump_path, as FCLIB files; returns these paths, worst first.
  std::vector<std::string> write(const std::string& folder, const std::string& title) const;

 private:
  struct Entry {
    double residual = 0;
    std::int64_t step = 0;
    Problem problem;
    Solution guess;  ///< what the step's solve started from
  };

  int count_;
  std::vector<Entry> entries_;  ///< by falling residual
};

}  // namespace stiction::cli
