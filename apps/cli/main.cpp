// The `stiction` program.
#include <stiction/error.h>

#include <iostream>

#include "commands.h"

int main(int argc, char** argv) {
  CLI::App app{"Stiction: robot simulation with exact contact", "stiction"};
  app.set_version_flag("--version", "stiction " STICTION_VERSION);
  app.require_subcommand(1);
  stiction::cli::add_check(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "stiction: " << error.what() << '\n';
    return 2;
  } catch (const stiction::InputError& error) {
    std::cerr << "stiction: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
