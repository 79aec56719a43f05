#include "browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stiction/error.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace stiction::viewer {
namespace {

using nlohmann::json;

constexpr int kPatience = 120000;  // ms for one answer: software rendering may be slow

std::string decode_base64(const std::string& text) {
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  for (char c : text) {
    const unsigned digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                           : c >= 'a' && c <= 'z' ? c - 'a' + 26
                           : c >= '0' && c <= '9' ? c - '0' + 52
                           : c == '+'             ? 62
                           : c == '/'             ? 63
                                                  : 64;
    if (digit == 64) break;
    group = group << 6 | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255);
  }
  return bytes;
}

std::vector<std::string> chromium_arguments(const std::string& program, const std::string& profile,
                                            int width, int height) {
  std::vector<std::string> arguments = {
      program,
      "--headless",
      "--remote-debugging-pipe",
      "--disable-gpu",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--hide-scrollbars",
      "--user-data-dir=" + profile,
      "--window-size=" + std::to_string(width) + "," + std::to_string(height)};
  if (geteuid() == 0) arguments.push_back("--no-sandbox");  // root has no sandbox to offer
  return arguments;
}

// Chromium reads commands from file 3 and answers on file 4.
[[noreturn]] void become_chromium(std::vector<std::string> arguments, int commands, int answers) {
  // Copies above 4 first: the pipes themselves may be 3 and 4.
  const int in = fcntl(commands, F_DUPFD, 10);
  const int out = fcntl(answers, F_DUPFD, 10);
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, 0);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  dup2(in, 3);
  dup2(out, 4);
  closefrom(5);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

std::string find_program(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  for (const char* name : names) {
    std::istringstream folders(path ? path : "/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string candidate = folder + "/" + name;
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
  }
  return "";
}

std::string find_chromium() {
  return find_program({"chromium", "chromium-browser", "google-chrome", "chrome"});
}

Browser::Browser(int width, int height) : profile_("") {
  const std::string program = find_chromium();
  if (program.empty()) {
    throw InputError("Chromium is missing (Debian: apt-get install chromium): no picture is drawn");
  }
  std::array<int, 2> commands{};
  std::array<int, 2> answers{};
  if (pipe2(commands.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0) {
    throw InputError("no pipe to Chromium: too many open files");
  }
  const auto arguments = chromium_arguments(program, profile_.path(), width, height);
  process_ = fork();
  if (process_ == 0) become_chromium(arguments, commands[0], answers[1]);
  close(commands[0]);
  close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  if (process_ < 0) throw InputError("Chromium cannot be started");
  signal(SIGPIPE, SIG_IGN);  // if it ends early, the answer that does not come says so
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ = call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
                 .at("sessionId")
                 .get<std::string>();
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

Browser::~Browser() {
  close(to_);
  close(from_);
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

json Browser::receive() {
  size_t end = 0;
  while ((end = buffer_.find('\0')) == std::string::npos) {
    pollfd ready{from_, POLLIN, 0};
    std::array<char, 65536> piece;
    const ssize_t count =
        poll(&ready, 1, kPatience) == 1 ? read(from_, piece.data(), piece.size()) : -1;
    if (count <= 0) throw InputError("Chromium does not answer: no picture is drawn");
    buffer_.append(piece.data(), static_cast<size_t>(count));
  }
  json message = json::parse(buffer_.substr(0, end));
  buffer_.erase(0, end + 1);
  return message;
}

json Browser::call(const std::string& method, const json& parameters) {
  json message = {{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(to_, text.data() + sent, text.size() - sent);
    if (count <= 0) throw InputError("Chromium has ended: no picture is drawn");
    sent += static_cast<size_t>(count);
  }
  for (;;) {
    const json answer = receive();
    if (answer.value("id", 0) != last_id_) continue;  // an event
    if (answer.contains("error")) {
      throw InputError("Chromium: " + answer["error"].value("message", "unknown error"));
    }
    return answer.value("result", json::object());
  }
}

void Browser::open(const std::string& url) {
  call("Page.navigate", {{"url", url}});
  run("new Promise((done) => document.readyState === 'complete' ? done()"
      " : addEventListener('load', () => done()))");
}

void Browser::run(const std::string& script) {
  const json result = call("Runtime.evaluate", {{"expression", script}, {"awaitPromise", true}});
  if (!result.contains("exceptionDetails")) return;
  const json& details = result["exceptionDetails"];
  const json thrown = details.value("exception", json::object());
  throw InputError("the page: " + thrown.value("description", details.value("text", "error")));
}

std::string Browser::picture(const std::string& format) {
  json parameters = {{"format", format}};
  if (format == "jpeg") parameters["quality"] = 92;
  return decode_base64(call("Page.captureScreenshot", parameters).at("data").get<std::string>());
}

}  // namespace stiction::viewer
