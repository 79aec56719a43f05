#include "contact/parallel_for.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace stiction {
namespace {

constexpr int kYields = 50;           // before a thread sleeps; about 1 us each
constexpr int kSharesPerThread = 4;   // so that a slow one does not hold the others up
thread_local bool t_is_busy = false;  // this thread works on a piece of a loop

// Yields while `wait` holds, and says whether it still does after that.
template <class Wait>
bool yield_while(const Wait& wait) {
  for (int k = 0; k < kYields && wait(); ++k) std::this_thread::yield();
  return wait();
}

// The threads of one caller.
class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      places_ = static_cast<int>(threads_.size());
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(const Pieces& pieces, int threads) {
    while (static_cast<int>(threads_.size()) < threads - 1) {
      threads_.emplace_back([this] { wait_for_work(); });
    }
    {
      const std::lock_guard lock(mutex_);
      pieces_ = pieces;
      share_ = std::max(1, pieces.count / (kSharesPerThread * threads));
      next_ = 0;
      places_ = threads - 1;
    }
    begin_.notify_all();
    t_is_busy = true;
    work();
    t_is_busy = false;
    {
      const std::lock_guard lock(mutex_);
      places_ = 0;  // who has not begun by now need not
    }
    if (!yield_while([this] { return working_ > 0; })) return;
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return working_ == 0; });
  }

 private:
  void work() {
    for (int begin = next_.fetch_add(share_); begin < pieces_.count;
         begin = next_.fetch_add(share_)) {
      const int end = std::min(begin + share_, pieces_.count);
      for (int k = begin; k < end; ++k) pieces_.work(pieces_.context, k);
    }
  }

  void wait_for_work() {
    t_is_busy = true;
    for (;;) {
      yield_while([this] { return places_ == 0; });
      {
        std::unique_lock lock(mutex_);
        begin_.wait(lock, [this] { return places_ > 0; });
        --places_;
        if (ended_) return;
        ++working_;
      }
      work();
      const std::lock_guard lock(mutex_);
      if (--working_ == 0) end_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;  ///< of all below but next_; places_ and working_ are also looked at without
  std::condition_variable begin_;
  std::condition_variable end_;
  Pieces pieces_{};
  int share_ = 1;                 ///< pieces that a thread takes at a time
  std::atomic<int> next_ = 0;     ///< piece that nobody has taken
  std::atomic<int> places_ = 0;   ///< threads that may still begin
  std::atomic<int> working_ = 0;  ///< threads that have begun, without the caller's
  bool ended_ = false;
};

// A process that was forked has its parent's crew without the threads: there is nobody to wait for.
struct Owned {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (!is_mine()) static_cast<void>(crew.release());
  }
  bool is_mine() const { return getpid() == process; }

  std::unique_ptr<Crew> crew = std::make_unique<Crew>();
  pid_t process = getpid();
};

}  // namespace

void run_on_threads(const Pieces& pieces, int threads) {
  thread_local Owned owned;  // callers on several threads do not get in each other's way
  if (t_is_busy || !owned.is_mine()) {
    for (int k = 0; k < pieces.count; ++k) pieces.work(pieces.context, k);
    return;
  }
  owned.crew->run(pieces, std::min(threads, pieces.count));
}

}  // namespace stiction
