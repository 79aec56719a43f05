// Memory of one step stays with the process for the next.
#pragma once

namespace stiction {

/// Once per process, with glibc: a step of many bodies takes some megabytes and frees them all, and
/// malloc would hand them back to the system every time; a fifth of the step of 27 quadrupeds went
/// into page faults. Up to 64 MB stay instead.
void keep_memory();

}  // namespace stiction
