#include "text.h"

#include <stiction/error.h>

#include <cmath>
#include <cstdlib>

namespace stiction::cli {

std::vector<double> parse_numbers(const std::string& text, const std::string& what) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  while (true) {
    while (*at == ' ' || *at == ',' || *at == '\t') ++at;
    if (*at == '\0') return numbers;
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) {
      throw InputError(what + ": '" + at + "' is not a finite number");
    }
    numbers.push_back(value);
    at = end;
  }
}

double parse_seconds(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 0;
  if (end == text.c_str() || scale == 0 || !(value > 0) || !std::isfinite(value)) {
    throw InputError("'" + text + "' is not a duration, expected one like 500us, 2ms or 10s");
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
  budget.max_seconds = parse_seconds(text);
  return budget;
}

}  // namespace stiction::cli
