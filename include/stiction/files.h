// Contact problems in files, and plots.
#pragma once

#include <stiction/problem.h>
#include <stiction/solve.h>

#include <string>
#include <vector>

namespace stiction {

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
