// A loop over independent pieces of work, on one or more threads. Which thread does what never
// changes the result, because no piece writes what another reads.
#pragma once

namespace stiction {

template <class Work>
void parallel_for(int count, int threads, const Work& work) {
  if (threads <= 1) {  // OpenMP would allocate a team even for one thread
    for (int k = 0; k < count; ++k) work(k);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int k = 0; k < count; ++k) work(k);
}

}  // namespace stiction
