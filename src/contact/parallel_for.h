// A loop over independent pieces of work, on one or more threads. Which thread does what never
// changes the result, because no piece writes what another reads.
//
// Threads that have nothing to do sleep, after a few microseconds, and the caller never waits for
// one that has not begun: on a busy machine it does the work itself. (OpenMP's threads spin for
// milliseconds between loops, and every loop waits for all of them: a step under a time budget took
// fifty times as long where other programs had the cores.) A loop within a piece of another stays
// on its thread.
#pragma once

namespace stiction {

/// The pieces of one loop; calls work(context, k).
struct Pieces {
  void (*work)(const void* context, int k) noexcept;
  const void* context;
  int count;
};
/// On the caller's thread and up to threads - 1 others, which it keeps for its next loop.
void run_on_threads(const Pieces& pieces, int threads);

template <class Work>
void parallel_for(int count, int threads, const Work& work) {
  if (threads <= 1 || count <= 1) {
    for (int k = 0; k < count; ++k) work(k);
    return;
  }
  const auto call = [](const void* context, int k) noexcept {
    (*static_cast<const Work*>(context))(k);
  };
  run_on_threads({call, &work, count}, threads);
}

}  // namespace stiction
