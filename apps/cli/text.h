// Numbers, durations and budgets as people type them. Each throws InputError with the text and what
// was expected.
#pragma once

#include <stiction/solve.h>

#include <string>
#include <vector>

namespace stiction::cli {

/// Numbers separated by blanks or commas.
std::vector<double> parse_numbers(const std::string& text, const std::string& what);

/// Of --budget: "200ns", "500us", "2ms", "10s" in seconds.
double parse_seconds(const std::string& text);

/// A duration, or a plain number of iterations; empty means no limit but the solver's own.
Budget parse_budget(const std::string& text);

/// Three digits and m, mm, um or nm.
std::string length_text(double meters);

/// The one that `name` may have been meant to be, or empty.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace stiction::cli
