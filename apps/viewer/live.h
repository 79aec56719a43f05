// A simulation that people watch: paced, paused, stepped, dragged and switched to another solver
// while it runs. `run` is the simulation's thread; the server's thread hands it commands.
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "drag.h"
#include "messages.h"
#include "server.h"

namespace stiction::viewer {

struct LiveOptions {
  std::string title;
  std::string sentence;
  std::string hint;  ///< what to try, or empty
  double speed = 1;  ///< simulated seconds per second; 0: as fast as possible
  bool paused = false;
  bool wait = true;             ///< for the first client, so that nobody misses the beginning
  double duration = kInfinity;  ///< s of simulated time after which `run` returns
};

class Live {
 public:
  /// The simulation stands where it shall start, and where a reset brings it back.
  Live(Simulation simulation, const LiveOptions& options);

  /// For the server; they may be called from its thread while `run` is on.
  Handlers handlers();

  /// Steps and sends until `stop` is set or the duration is over.
  void run(Server& server, const std::atomic<bool>& stop);

  const Simulation& simulation() const { return simulation_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Download {
    std::string name;
    Reply reply;
  };

  void post(Command command);
  bool post(Download download);
  void take_commands();
  void obey(const Command& command);
  void step();
  void advance_for_a_frame();
  void solve_next();
  void serve(const Download& download);
  void record();
  void publish();
  void tell();
  void rest(Clock::time_point until);
  void restart_clock();

  Simulation simulation_;
  State start_;
  Eigen::VectorXd start_ctrl_;
  std::string scene_;  ///< the first message to every client

  // The simulation's thread only.
  Server* server_ = nullptr;
  ControlState control_;
  bool told_ = false;   ///< clients know control_
  bool shown_ = false;  ///< clients have the frame of this state
  Drag drag_;
  std::vector<std::string> to_solve_;  ///< solvers that a freeze still has to try
  double duration_;
  bool wait_;
  // Pace: simulated time `clock_time_` belongs to wall time `clock_start_`.
  Clock::time_point clock_start_;
  double clock_time_ = 0;
  // Since the last frame.
  FrameStats stats_;
  int steps_ = 0;
  double factor_time_ = 0;
  Clock::time_point factor_start_;

  // What was watched, for download; the oldest goes when it becomes too large.
  std::deque<RecordingFrame> recorded_;
  size_t recorded_bytes_ = 0;

  // Shared.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Command> commands_;
  std::deque<Download> downloads_;
  std::atomic<bool> work_{false};      ///< commands_ or downloads_ hold something
  std::atomic<bool> newcomer_{false};  ///< somebody has seen no frame yet
  bool open_ = false;                  ///< run is on
  std::string state_text_;             ///< last state message, for those who come later
};

}  // namespace stiction::viewer
