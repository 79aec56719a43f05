// From a simulation to the frames of a recording.
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>

namespace stiction::viewer {

RecordingHeader recording_header(const Simulation& simulation);
/// The state now, and the contacts and the certificate of the step that led here.
void fill_frame(const Simulation& simulation, RecordingFrame& frame);

}  // namespace stiction::viewer
