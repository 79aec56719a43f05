// The default solver at 1e-8 on the tower 1:50 and the dish stack of 100 contacts, cold and warm,
// beside 100 sweeps of our own Gauss-Seidel on the same problem; then the generated classes: how
// many of 50 fresh cases each Newton-type solver brings below 1e-8, and in how many factorizations.
#include <stiction/solve.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace stiction {
namespace {

constexpr int kRepeats = 200;
constexpr int kSweeps = 100;
constexpr int kCases = 50;
constexpr std::uint64_t kFirstSeed = 10000;

// Processor time of this thread: other programs on the machine count less.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> x) {
  const size_t middle = x.size() / 2;
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(middle), x.end());
  return x[middle];
}

struct Timed {
  double median = 0;
  double best = 0;
  Solution solution;
};

Timed timed(const Problem& problem, const std::string& solver, const Budget& budget,
            const Solution& start) {
  Timed result;
  std::vector<double> seconds;
  for (int k = 0; k < kRepeats; ++k) {
    Solution solution = start;
    const double begin = cpu_seconds();
    solve(problem, solver, budget, false, solution);
    seconds.push_back(cpu_seconds() - begin);
    result.solution = std::move(solution);
  }
  result.median = median(seconds);
  result.best = *std::min_element(seconds.begin(), seconds.end());
  return result;
}

void print_row(const char* kind, const char* what, const Timed& run, double reference) {
  std::printf("%-8s %-18s %10.0f %10.0f %8.2f %6d %10.1e\n", kind, what, 1e6 * run.median,
              1e6 * run.best, run.median / reference, run.solution.report.factorizations,
              run.solution.report.residual.scaled);
}

// Warm: the solution of the same problem with loads of one thousandth less, as from step to step.
void time_kind(const char* kind) {
  Problem problem = generate_problem(kind, 1);
  Solution cold_start;
  Solution previous;
  solve(problem, "grip", {}, false, previous);
  previous.warm = true;
  problem.b *= 1.001;
  const Timed pgs = timed(problem, "pgs", {.tolerance = 0, .max_iterations = kSweeps}, cold_start);
  const Timed cold = timed(problem, "grip", {}, cold_start);
  const Timed warm = timed(problem, "grip", {}, previous);
  print_row(kind, "pgs, 100 sweeps", pgs, pgs.median);
  print_row(kind, "grip, cold", cold, pgs.median);
  print_row(kind, "grip, warm", warm, pgs.median);
}

void count_class(const char* kind, const char* solver) {
  std::vector<double> factorizations;
  double sum = 0;
  for (int k = 0; k < kCases; ++k) {
    const Problem problem = generate_problem(kind, kFirstSeed + static_cast<std::uint64_t>(k));
    Solution solution;
    solve(problem, solver, {.max_seconds = 10}, false, solution);
    if (solution.report.residual.scaled > 1e-8) continue;
    factorizations.push_back(solution.report.factorizations);
    sum += factorizations.back();
  }
  const auto solved = factorizations.size();
  std::printf("%-8s %-10s %8zu of %d %10.0f %10.1f\n", kind, solver, solved, kCases,
              solved > 0 ? median(factorizations) : 0,
              solved > 0 ? sum / static_cast<double>(solved) : 0);
}

int run() {
  std::printf("%-8s %-18s %10s %10s %8s %6s %10s\n", "problem", "solver", "median us", "best us",
              "ratio", "fact.", "residual");
  for (const char* kind : {"tower", "dish"}) time_kind(kind);
  std::printf("\n%-8s %-10s %14s %10s %10s\n", "class", "solver", "solved", "median", "mean fact.");
  for (const char* kind : {"stack", "nut", "arm", "slide", "robot", "pile"}) {
    for (const char* solver : {"grip", "canal", "nnewton"}) {
      if (std::string(kind) == "pile" && std::string(solver) != "grip") continue;
      count_class(kind, solver);
    }
  }
  return 0;
}

}  // namespace
}  // namespace stiction

int main() { return stiction::run(); }
