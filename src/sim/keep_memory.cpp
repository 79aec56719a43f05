#include "sim/keep_memory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace stiction {
namespace {

#ifdef __GLIBC__
constexpr int kKeptBytes = 64 << 20;
constexpr int kFromHeapBytes = 32 << 20;  // the largest that malloc allows
#endif

bool set_limits() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_MMAP_THRESHOLD, kFromHeapBytes);
#endif
  return true;
}

}  // namespace

void keep_memory() { [[maybe_unused]] static const bool done = set_limits(); }

}  // namespace stiction
