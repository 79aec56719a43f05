// stiction check FILE: what was loaded, and what was not honoured.
#include <iostream>
#include <memory>

#include "commands.h"

namespace stiction::cli {

void add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "Load a model and say what was not honoured");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "MJCF or URDF file")->required();
  command->callback([file] { std::cout << *file << '\n'; });
}

}  // namespace stiction::cli
