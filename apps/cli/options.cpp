#include "options.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace stiction::cli {
namespace {

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// CLI11 takes an empty text for zero, and what is no number for one out of range.
CLI::Validator number_that(const std::function<bool(double)>& fits, const std::string& expected) {
  return CLI::Validator(
      [fits, expected](const std::string& text) -> std::string {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && std::isfinite(value) && fits(value)) return "";
        return "is '" + text + "', expected " + expected;
      },
      "");
}

}  // namespace

CLI::Validator not_empty(const std::string& expected) {
  return CLI::Validator(
      [expected](const std::string& text) {
        return text.empty() ? "is empty, expected " + expected : std::string();
      },
      "");
}

CLI::Validator number_in(double low, double high) {
  const std::string expected =
      std::isfinite(high) ? digits(low) + " to " + digits(high) : "a number >= " + digits(low);
  return number_that([low, high](double value) { return value >= low && value <= high; }, expected);
}

CLI::Validator number_above(double low) {
  return number_that([low](double value) { return value > low; }, "a number > " + digits(low));
}

CLI::Validator integer_in(std::int64_t low, std::int64_t high) {
  return CLI::Validator(
      [low, high](const std::string& text) -> std::string {
        std::int64_t value = 0;
        const char* last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        if (error == std::errc() && end == last && value >= low && value <= high) return "";
        return "is '" + text + "', expected an integer, " + std::to_string(low) + " to " +
               std::to_string(high);
      },
      "");
}

void add_floating_flag(CLI::App& command, bool& floating) {
  command.add_flag("--floating", floating, "URDF: the root link floats");
}

void add_list_flag(CLI::App& command, bool& list, const std::string& help) {
  const std::vector<CLI::Option*> others = command.get_options();
  CLI::Option* flag = command.add_flag("--list", list, help);
  for (CLI::Option* other : others) flag->excludes(other);
}

}  // namespace stiction::cli
