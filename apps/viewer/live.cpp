#include "live.h"

#include <stiction/error.h>
#include <stiction/files.h>

#include <algorithm>

#include "record.h"
#include "temporary_file.h"

namespace stiction::viewer {
namespace {

using namespace std::chrono_literals;

constexpr auto kFrame = std::chrono::microseconds(16667);  // 60 per second
constexpr double kLate = 0.1;       // s behind the clock after which the clock gives in
constexpr double kPatience = 3;     // s for one solver of a freeze
constexpr int kIterations = 20000;  // for one solver of a freeze
constexpr size_t kMostCommands = 1000;
constexpr size_t kMostRecorded = 256 << 20;  // bytes
constexpr char kProblem[] = "problem.hdf5";
constexpr char kRecording[] = "recording.h5";

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Live::Live(Simulation simulation, const LiveOptions& options)
    : simulation_(std::move(simulation)),
      start_(simulation_.state()),
      start_ctrl_(simulation_.ctrl()),
      scene_(scene_message(options.title, options.sentence, options.hint,
                           scene_json(simulation_.model()))),
      duration_(options.duration),
      wait_(options.wait) {
  control_ = {.paused = options.paused,
              .speed = options.speed,
              .solver = simulation_.options().solver,
              .iterations = simulation_.options().budget.max_iterations,
              .tolerance = simulation_.options().budget.tolerance,
              .error = ""};
  state_text_ = state_message(control_);
}

Handlers Live::handlers() {
  Handlers handlers;
  handlers.welcome = [this]() -> std::vector<std::string> {
    const std::lock_guard lock(mutex_);
    newcomer_ = true;
    wake_.notify_one();
    return {scene_, state_text_};
  };
  handlers.message = [this](const std::string& text) {
    post(parse_command(text, simulation_.model()));
  };
  handlers.download = [this](const std::string& name, Reply reply) {
    return post(Download{name, std::move(reply)});
  };
  return handlers;
}

void Live::post(Command command) {
  const std::lock_guard lock(mutex_);
  if (commands_.size() >= kMostCommands) commands_.pop_front();
  commands_.push_back(std::move(command));
  work_ = true;
  wake_.notify_one();
}

bool Live::post(Download download) {
  if (download.name != kProblem && download.name != kRecording) return false;
  const std::lock_guard lock(mutex_);
  if (!open_) return false;
  downloads_.push_back(std::move(download));
  work_ = true;
  wake_.notify_one();
  return true;
}

void Live::run(Server& server, const std::atomic<bool>& stop) {
  server_ = &server;
  {
    const std::lock_guard lock(mutex_);
    open_ = true;
  }
  while (wait_ && !newcomer_ && !stop) rest(Clock::now() + 50ms);
  restart_clock();
  while (!stop && simulation_.state().time < duration_) {
    take_commands();
    if (newcomer_.exchange(false)) shown_ = false;
    if (!told_) tell();
    if (!control_.paused) {
      advance_for_a_frame();
    } else if (!shown_) {
      publish();
    } else if (!to_solve_.empty()) {
      solve_next();
    } else {
      rest(Clock::now() + 50ms);
    }
  }
  const std::lock_guard lock(mutex_);
  open_ = false;
  downloads_.clear();
}

void Live::take_commands() {
  if (!work_) return;
  std::deque<Command> commands;
  std::deque<Download> downloads;
  {
    const std::lock_guard lock(mutex_);
    commands.swap(commands_);
    downloads.swap(downloads_);
    work_ = false;
  }
  for (const Command& command : commands) obey(command);
  for (const Download& download : downloads) serve(download);
}

void Live::obey(const Command& command) {
  shown_ = false;
  switch (command.kind) {
    case CommandKind::kPause:
      control_.paused = true;
      break;
    case CommandKind::kRun:
      control_.paused = false;
      control_.error.clear();
      to_solve_.clear();
      restart_clock();
      break;
    case CommandKind::kStep:
      control_.paused = true;
      step();
      break;
    case CommandKind::kReset:
      drag_ = {};
      simulation_.set_state(start_);
      simulation_.ctrl() = start_ctrl_;
      control_.error.clear();
      to_solve_.clear();
      stats_ = {};
      steps_ = 0;
      recorded_.clear();
      recorded_bytes_ = 0;
      restart_clock();
      break;
    case CommandKind::kSpeed:
      control_.speed = command.speed;
      restart_clock();
      break;
    case CommandKind::kSolver: {
      Budget budget = simulation_.options().budget;
      budget.max_iterations = command.iterations;
      budget.tolerance = command.tolerance;
      simulation_.set_solver(command.solver, budget);
      control_.solver = command.solver;
      control_.iterations = command.iterations;
      control_.tolerance = command.tolerance;
      break;
    }
    case CommandKind::kDrag:
      if (drag_.body != command.body) {
        if (drag_.body != 0) simulation_.apply_wrench(drag_.body, Vector6d::Zero());
        drag_.mass = mass_at(simulation_, command.body, command.point);
      }
      drag_.body = command.body;
      drag_.point = command.point;
      drag_.target = command.target;
      return;
    case CommandKind::kRelease:
      if (drag_.body != 0) simulation_.apply_wrench(drag_.body, Vector6d::Zero());
      drag_ = {};
      return;
    case CommandKind::kFreeze:
      control_.paused = true;
      if (simulation_.state().step == start_.step) step();
      to_solve_ = solver_names();
      server_->send_text(freeze_message(simulation_));
      break;
  }
  told_ = false;
}

void Live::step() {
  if (drag_.body != 0) simulation_.apply_wrench(drag_.body, drag_wrench(simulation_, drag_));
  try {
    const StepReport& report = simulation_.step();
    if (steps_ == 0) stats_ = {.real_time_factor = stats_.real_time_factor};
    ++steps_;
    stats_.residual = std::max(stats_.residual, report.solve.residual.scaled);
    stats_.penetration = std::max(stats_.penetration, report.max_penetration);
    stats_.iterations = std::max(stats_.iterations, report.solve.iterations);
    for (const Miss miss : report.misses) stats_.missed_by |= 1u << static_cast<unsigned>(miss);
    stats_.solve_seconds += (report.seconds.solve - stats_.solve_seconds) / steps_;
    stats_.step_seconds += (report.seconds.total() - stats_.step_seconds) / steps_;
  } catch (const InputError& error) {
    control_.paused = true;
    control_.error = error.what();
    told_ = false;
  }
  shown_ = false;
}

void Live::advance_for_a_frame() {
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end = begin + kFrame;
  const bool paced = control_.speed > 0;
  double target = kInfinity;
  if (paced) {
    target = clock_time_ + control_.speed * seconds_between(clock_start_, begin);
    if (target - simulation_.state().time > control_.speed * kLate) {
      restart_clock();
      target = simulation_.state().time + control_.speed * seconds_between(begin, end);
    }
  }
  target = std::min(target, duration_);
  while (simulation_.state().time < target && !control_.paused && !work_ && Clock::now() < end) {
    step();
  }
  const double window = seconds_between(factor_start_, Clock::now());
  if (window > 0.5) {
    stats_.real_time_factor = (simulation_.state().time - factor_time_) / window;
    factor_time_ = simulation_.state().time;
    factor_start_ = Clock::now();
  }
  if (!shown_) publish();
  if (paced) rest(end);
}

void Live::restart_clock() {
  clock_start_ = factor_start_ = Clock::now();
  clock_time_ = factor_time_ = simulation_.state().time;
}

void Live::publish() {
  shown_ = true;
  if (server_->clients() > 0) {
    server_->send_frame(encode_frame(simulation_, stats_));
    record();
  }
  steps_ = 0;
}

void Live::record() {
  const auto bytes = [](const RecordingFrame& frame) {
    return sizeof frame + frame.bodies.size() * sizeof(Pose) + 40 * frame.qpos.size() +
           8 * frame.sensordata.size() + 8 * frame.equality_force.size() +
           frame.contacts.size() * sizeof(RecordedContact);
  };
  if (!recorded_.empty() && simulation_.state().time <= recorded_.back().time) return;
  recorded_.emplace_back();
  fill_frame(simulation_, recorded_.back());
  recorded_bytes_ += bytes(recorded_.back());
  while (recorded_bytes_ > kMostRecorded) {
    recorded_bytes_ -= bytes(recorded_.front());
    recorded_.pop_front();
  }
}

void Live::tell() {
  told_ = true;
  const std::string text = state_message(control_);
  {
    const std::lock_guard lock(mutex_);
    state_text_ = text;
  }
  server_->send_text(text);
}

// One solver on the problem of the last step, from nothing: warm starts would hide the beginning.
void Live::solve_next() {
  const std::string solver = to_solve_.front();
  to_solve_.erase(to_solve_.begin());
  Budget budget;
  budget.tolerance = 1e-12;
  budget.max_iterations = kIterations;
  budget.max_seconds = kPatience;
  Solution solution;
  solve(simulation_.problem(), solver, budget, true, solution);
  server_->send_text(curve_message(solver, solution.report));
}

void Live::serve(const Download& download) {
  const TemporaryFile file(".h5");
  try {
    if (download.name == kRecording) {
      RecordingWriter writer(file.path(), recording_header(simulation_));
      for (const RecordingFrame& frame : recorded_) writer.add(frame);
    } else if (simulation_.state().step > start_.step) {
      write_problem(file.path(), simulation_.problem(), ProblemForm::kGlobal,
                    &simulation_.solution());
    }
  } catch (const InputError& error) {
    control_.error = error.what();
    told_ = false;
  }
  download.reply(file.read());
}

void Live::rest(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, until, [this] { return work_ || newcomer_; });
}

}  // namespace stiction::viewer
