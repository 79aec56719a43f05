#include "interrupt.h"

#include <signal.h>

namespace stiction::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

volatile sig_atomic_t caught = 0;

void set_handler(void (*handler)(int)) {
  for (const int number : kSignals) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;  // files are written on as if nothing had happened
    sigaction(number, &action, nullptr);
  }
}

void on_signal(int number) {
  caught = number;
  set_handler(SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  caught = 0;
  set_handler(on_signal);
}

InterruptGuard::~InterruptGuard() { set_handler(SIG_DFL); }

int InterruptGuard::signal() const { return caught; }

std::string InterruptGuard::signal_name() const {
  return caught == SIGINT ? "SIGINT" : caught == SIGTERM ? "SIGTERM" : "";
}

}  // namespace stiction::cli
