#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace stiction::test {

namespace {

std::string take_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

}  // namespace

Outcome run_program(const std::string& arguments) {
  const auto scratch = std::filesystem::temp_directory_path();
  const auto stem = "stiction_cli_" + std::to_string(getpid());
  const auto out = scratch / (stem + ".out");
  const auto err = scratch / (stem + ".err");
  // The redirections come first, so that `arguments` may redirect elsewhere.
  const std::string command = "cd '" STICTION_SOURCE_DIR "' && >'" + out.string() + "' 2>'" +
                              err.string() + "' </dev/null '" STICTION_PROGRAM "' " + arguments;
  const int status = std::system(command.c_str());
  Outcome run;
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  run.out = take_file(out);
  run.err = take_file(err);
  return run;
}

}  // namespace stiction::test
