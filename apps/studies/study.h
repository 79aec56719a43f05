// A study: one measurement of a paper, repeated here, with a verdict on each of its claims.
#pragma once

#include <stiction/files.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stiction::studies {

struct Claim {
  std::string name;
  std::string paper;    ///< what is claimed, and where
  std::string ours;     ///< what came out
  std::string verdict;  ///< "holds", "holds with ...", "does not hold here: ..."
  bool timed = false;   ///< depends on the machine
};

/// "holds" if it does, else "does not hold here: " and why.
std::string verdict(bool holds, const std::string& why_not);
bool holds(const Claim& claim);

struct Table {
  std::string title{};
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>> rows{};
};

struct Picture {
  std::string title;
  std::string caption;
  std::vector<PlotPanel> panels;
};

struct Result {
  std::vector<Claim> claims{};
  std::vector<Picture> pictures{};
  std::vector<Table> tables{};  ///< for readers
  Table data{};                 ///< for programs, as CSV
  std::string method{};         ///< Markdown: what was done, and how it differs from the paper
};

/// Thrown by Setup::progress after Ctrl-C.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Setup {
  bool quick = false;  ///< a few seconds, enough for what does not depend on the machine
  std::function<void(double share, const std::string& note)> progress{};
};

struct Study {
  std::string name;
  std::string sentence;
  std::string paper;  ///< figure or table
  Result (*run)(const Setup&) = nullptr;
};

/// All of them, in the order in which they are listed.
const std::vector<Study>& all_studies();
/// Throws InputError with the known names.
const Study& find_study(const std::string& name);

Result run_balls(const Setup& setup);
Result run_bolt_single(const Setup& setup);
Result run_dish_single(const Setup& setup);
Result run_dish_slide(const Setup& setup);
Result run_door(const Setup& setup);
Result run_friction(const Setup& setup);
Result run_inner_newton(const Setup& setup);
Result run_laikago(const Setup& setup);
Result run_panda_box(const Setup& setup);
Result run_scaling(const Setup& setup);
Result run_truth(const Setup& setup);

}  // namespace stiction::studies
