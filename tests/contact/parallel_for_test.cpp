// Loops on several threads do each piece once, whoever is late.
#include "contact/parallel_for.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace stiction {
namespace {

TEST(ParallelFor, DoesEveryPieceOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const int count : {0, 1, 2, 7, 1000}) {
      std::vector<int> done(count, 0);
      for (int round = 0; round < 50; ++round) {
        parallel_for(count, threads, [&](int k) { ++done[k]; });
      }
      EXPECT_EQ(done, std::vector<int>(count, 50)) << threads << " threads";
    }
  }
}

TEST(ParallelFor, UsesTheThreadsThatItMayAndNoMore) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for(4, 2, [&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen.size(), 2u);
}

TEST(ParallelFor, MayBeNestedAndCalledFromSeveralThreads) {
  std::atomic<int> done = 0;
  const auto loops = [&] {
    for (int round = 0; round < 20; ++round) {
      parallel_for(5, 3, [&](int) { parallel_for(7, 3, [&](int) { ++done; }); });
    }
  };
  std::thread other(loops);
  loops();
  other.join();
  EXPECT_EQ(done, 2 * 20 * 5 * 7);
}

TEST(ParallelFor, AForkedProcessWorksAloneAndEnds) {
  std::atomic<int> done = 0;
  parallel_for(8, 2, [&](int) { ++done; });
  const pid_t child = fork();
  if (child == 0) {
    parallel_for(8, 2, [&](int) { ++done; });
    std::exit(done == 16 ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A hundred loops with pauses of 2 ms: threads that spun until the next would cost all of them.
TEST(ParallelFor, ThreadsWithoutWorkSleep) {
  std::atomic<int> done = 0;
  const double before = processor_seconds();
  for (int round = 0; round < 100; ++round) {
    parallel_for(8, 4, [&](int) { ++done; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(done, 800);
  EXPECT_LT(processor_seconds() - before, 0.1);
}

}  // namespace
}  // namespace stiction
