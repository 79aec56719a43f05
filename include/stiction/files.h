// Files in and out: models, contact problems, plots. Bad files throw InputError with file, line and
// element, or the dataset; nothing is dropped silently: whatever a model file holds that is not
// honoured comes back as a Note.
#pragma once

#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/solve.h>

#include <string>
#include <vector>

namespace stiction {

enum class Severity { kPhysics, kCosmetic };

/// An element or attribute of the file that the model does not honour.
struct Note {
  Severity severity = Severity::kPhysics;
  std::string file{};
  int line = 0;
  std::string element{};  ///< as in the file: "joint 'hip'", "option"
  std::string message{};  ///< what is ignored, and what happens instead
};

struct Loaded {
  Model model{};
  std::vector<Note> notes{};
};

struct LoadOptions {
  bool floating_base = false;  ///< URDF: free joint at the root link instead of a fixed base
  std::vector<std::string> package_paths{};  ///< URDF: where package://NAME/ may be found
};

/// MJCF or URDF, told apart by the root element.
Loaded load_model(const std::string& path, const LoadOptions& options = {});

/// A problem with a guess or solution that the file may hold.
struct StoredProblem {
  Problem problem;
  bool has_guess = false;
  Solution guess;  ///< v and lambda, `warm` set
};

/// Reads FCLIB's HDF5 form, global or local, or ours. A global problem's dofs are grouped into
/// bodies, so their order may differ from the file's. Throws InputError naming the dataset.
StoredProblem read_problem(const std::string& path);

enum class ProblemForm { kGlobal, kLocal };

/// Writes the problem, exactly, and beside it what FCLIB's readers understand: M, H, f, w, mu (or
/// W, q, mu) if all constraints are contacts, G and b if some are equalities. `guess` may be null.
void write_problem(const std::string& path, const Problem& problem, ProblemForm form,
                   const Solution* guess);

struct PlotLine {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

struct PlotPanel {
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<PlotLine> lines;
};

/// Draws panels side by side with gnuplot, one legend for all. Points that a logarithmic axis
/// cannot show are left out. Throws InputError if gnuplot is missing or the file cannot be written.
void plot_png(const std::string& path, const std::string& title,
              const std::vector<PlotPanel>& panels);

}  // namespace stiction
