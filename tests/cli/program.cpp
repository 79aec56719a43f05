#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace stiction::test {

namespace {

std::string take_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

// A shell command and where the program's words go.
struct Command {
  explicit Command(const std::string& arguments, const std::string& before = "") {
    // The redirections come first, so that `arguments` may redirect elsewhere.
    text = "cd '" STICTION_SOURCE_DIR "' && " + before + " >'" + out.string() + "' 2>'" +
           err.string() + "' </dev/null '" STICTION_PROGRAM "' " + arguments;
  }

  Outcome outcome(int status) const {
    Outcome run;
    if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
    run.out = take_file(out);
    run.err = take_file(err);
    return run;
  }

  std::filesystem::path stem =
      std::filesystem::temp_directory_path() / ("stiction_cli_" + std::to_string(getpid()));
  std::filesystem::path out = stem.string() + ".out";
  std::filesystem::path err = stem.string() + ".err";
  std::string text;
};

}  // namespace

Outcome run_program(const std::string& arguments) {
  const Command command(arguments);
  return command.outcome(std::system(command.text.c_str()));
}

Outcome interrupt_program(const std::string& arguments, const std::function<bool()>& ready,
                          int signal) {
  const Command command(arguments, "exec");  // the program takes the shell's place, and its signals
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.text.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  while (!ready()) {
    if (waitpid(child, &status, WNOHANG) == child) return command.outcome(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, signal);
  waitpid(child, &status, 0);
  return command.outcome(status);
}

}  // namespace stiction::test
