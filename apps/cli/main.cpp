// The `stiction` program: its subcommands, and what every one of them shares. Bad input of any
// kind is one line on stderr and exit code 2.
#include <stiction/error.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "commands.h"
#include "text.h"

namespace {

constexpr char kMainExamples[] =
    "Examples:\n"
    "  stiction demo                              a scene worth seeing, live in the browser\n"
    "  stiction run tower --solver canal          simulate a scene or a model file\n"
    "  stiction view tower                        watch it in the browser\n"
    "  stiction check models/box_on_slope.xml     what a file holds, and what is not honoured\n"
    "  stiction inspect models/box_on_slope.xml   its mass matrix, forces, poses and energy\n"
    "  stiction contacts tower                    where it touches; --png draws it\n"
    "  stiction solve --generate tower            a contact problem, and how well it is solved\n"
    "  stiction study --list                      the papers' measurements, one command each\n"
    "  stiction train-sdf --help                  networks that know the shape of a solid\n"
    "  stiction check --help                      the options of one command\n";

// CLI11 would say that a command is required, and not what is wrong with this one.
void check_command(const CLI::App& app, const std::string& name) {
  if (name.starts_with('-')) return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  throw stiction::InputError("there is no command '" + name + "', expected one of " + known);
}

// CLI11 would list all that it did not expect, the values before the option that is mistyped.
[[noreturn]] void refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  const auto option = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& text) { return text.starts_with('-'); });
  const std::string extra = option != extras.end() ? *option : extras.front();
  const std::string name = extra.substr(0, extra.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* other : command.get_options()) {
    for (const std::string& long_name : other->get_lnames()) known.push_back("--" + long_name);
  }
  const std::string nearest =
      option != extras.end() ? stiction::cli::nearest_name(name, known) : std::string();
  throw stiction::InputError("'" + name + "' is not expected; " +
                             (nearest.empty() ? "" : "is '" + nearest + "' meant? ") + "stiction " +
                             command.get_name() + " --help lists the options");
}

void run(CLI::App& app, int argc, char** argv) {
  check_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    for (const CLI::App* command : app.get_subcommands()) {
      if (command->remaining_size() > 0) refuse_extras(*command);
    }
    throw;
  }
  // A full disk or a closed file must not look like success.
  if (!std::cout.flush()) throw std::runtime_error("cannot write to the standard output");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Stiction: robot simulation with exact contact", "stiction"};
  app.set_version_flag("--version", "stiction " STICTION_VERSION);
  app.require_subcommand(1);
  app.footer(kMainExamples);
  stiction::cli::add_demo(app);
  stiction::cli::add_run(app);
  stiction::cli::add_view(app);
  stiction::cli::add_replay(app);
  stiction::cli::add_render(app);
  stiction::cli::add_check(app);
  stiction::cli::add_inspect(app);
  stiction::cli::add_contacts(app);
  stiction::cli::add_solve(app);
  stiction::cli::add_study(app);
  stiction::cli::add_train_sdf(app);

  if (argc == 1) {
    std::cout << app.help();
    return 0;
  }
  try {
    run(app, argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();
  } catch (const std::exception& error) {
    std::cerr << "stiction: " << error.what() << '\n';
    std::cout.flush();
    std::fflush(nullptr);
    std::_Exit(2);  // not by the end of HDF5, which crashes where a disk failed under it
  }
  return 0;
}
