// Options that several commands have, and what options take. What they refuse is told as "--dt: is
// 'x', expected a number > 0".
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace stiction::cli {

/// For options that take a file, or another name.
CLI::Validator not_empty(const std::string& expected = "the name of a file");

/// Finite, and in the range; `high` may be infinite.
CLI::Validator number_in(double low, double high);
CLI::Validator number_above(double low);
CLI::Validator integer_in(std::int64_t low, std::int64_t high);

void add_floating_flag(CLI::App& command, bool& floating);
/// --list, which all other options of the command would change nothing about.
void add_list_flag(CLI::App& command, bool& list, const std::string& help);

}  // namespace stiction::cli
