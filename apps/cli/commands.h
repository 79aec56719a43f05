// The subcommands of `stiction`. Each file adds one to the program; the callback does the work and
// throws InputError on bad input, which main turns into one line on stderr and exit code 2.
#pragma once

#include <CLI/CLI.hpp>

namespace stiction::cli {

void add_check(CLI::App& app);
void add_contacts(CLI::App& app);
void add_demo(CLI::App& app);
void add_inspect(CLI::App& app);
void add_render(CLI::App& app);
void add_replay(CLI::App& app);
void add_run(CLI::App& app);
void add_solve(CLI::App& app);
void add_study(CLI::App& app);
void add_train_sdf(CLI::App& app);
void add_view(CLI::App& app);

}  // namespace stiction::cli
