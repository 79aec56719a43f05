#include "text.h"

#include <stiction/error.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace stiction::cli {

std::vector<double> parse_numbers(const std::string& text, const std::string& what) {
  constexpr char kBetween[] = " ,\t";
  std::vector<double> numbers;
  size_t begin = text.find_first_not_of(kBetween);
  while (begin != std::string::npos) {
    const size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    char* rest = nullptr;
    const double value = std::strtod(entry.c_str(), &rest);
    if (*rest != '\0' || !std::isfinite(value)) {
      throw InputError(what + "[" + std::to_string(numbers.size()) + "] is '" + entry +
                       "', expected a finite number");
    }
    numbers.push_back(value);
    begin = text.find_first_not_of(kBetween, end);
  }
  return numbers;
}

double parse_seconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit == "s"    ? 1
                       : unit == "ms" ? 1e-3
                       : unit == "us" ? 1e-6
                       : unit == "ns" ? 1e-9
                                      : 0;
  if (end == text.c_str() || scale == 0 || !(value > 0) || !std::isfinite(value)) {
    throw InputError("--budget is '" + text +
                     "', expected a duration like 200ns, 500us, 2ms or 10s");
  }
  return scale * value;
}

Budget parse_budget(const std::string& text) {
  Budget budget;
  if (text.empty()) return budget;
  if (text.find_first_not_of("0123456789") == std::string::npos && text.size() < 9) {
    budget.max_iterations = std::atoi(text.c_str());
    if (budget.max_iterations > 0) return budget;
  }
  try {
    budget.max_seconds = parse_seconds(text);
  } catch (const InputError&) {
    throw InputError("--budget is '" + text +
                     "', expected a number of iterations, 1 or more, or a duration like 500us");
  }
  return budget;
}

std::string length_text(double meters) {
  const double size = std::abs(meters);
  const auto [unit, scale] = size >= 1      ? std::pair("m", 1.0)
                             : size >= 1e-3 ? std::pair("mm", 1e3)
                             : size >= 1e-6 ? std::pair("um", 1e6)
                                            : std::pair("nm", 1e9);
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", scale * meters, unit);
  return text;
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  std::string nearest;
  size_t least = name.size() / 3 + 2;  // mistakes from which on a name is another one
  for (const std::string& candidate : known) {
    // Levenshtein: row[k] changes turn the first letters of `name` into k of the candidate's.
    std::vector<size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= name.size(); ++i) {
      size_t diagonal = std::exchange(row[0], i);
      for (size_t k = 1; k <= candidate.size(); ++k) {
        const size_t replaced = diagonal + (name[i - 1] != candidate[k - 1]);
        diagonal = row[k];
        row[k] = std::min({replaced, row[k] + 1, row[k - 1] + 1});
      }
    }
    if (row.back() >= least) continue;
    least = row.back();
    nearest = candidate;
  }
  return nearest;
}

}  // namespace stiction::cli
