// A picture of contacts: two views of the geoms' outlines with contact points and normals.
#pragma once

#include <stiction/simulation.h>

#include <string>
#include <vector>

namespace stiction::cli {

/// SVG, seen from above (x, y) and from the side (x, z) at one scale. `poses` are the bodies', in
/// which the contacts were found.
std::string draw_contacts(const std::string& title, const Model& model,
                          const std::vector<Pose>& poses,
                          const std::vector<ContactForce>& contacts);

/// The SVG as PNG, by rsvg-convert. Throws InputError if that is missing or fails.
void write_png(const std::string& path, const std::string& svg);

}  // namespace stiction::cli
