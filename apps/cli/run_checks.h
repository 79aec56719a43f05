// What a run may not be asked for; throws InputError, before hours are spent on what cannot be
// kept.
#pragma once

#include "run.h"

namespace stiction::cli {

/// The request's plots, and the files that it wants written.
void check_request(const RunRequest& request);

/// Steps of h in the duration.
long step_count(double duration, double h);

}  // namespace stiction::cli
