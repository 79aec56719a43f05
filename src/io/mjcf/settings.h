// <compiler> and <option>, and the orientations that <compiler> governs.
#pragma once

#include <stiction/model.h>

#include <array>
#include <string>

#include "io/mjcf/attributes.h"
#include "io/mjcf/mjcf_file.h"

namespace stiction::mjcf {

enum class InertiaFromGeom { kFalse, kTrue, kAuto };

struct CompilerSettings {
  bool degree = true;            ///< unit of angles in the file
  std::string eulerseq = "xyz";  ///< lower case: axes that move along; upper case: fixed axes
  bool autolimits = true;
  std::string meshdir;
  std::string assetdir;
  bool strippath = false;
  bool fitaabb = false;
  InertiaFromGeom inertiafromgeom = InertiaFromGeom::kAuto;
  std::array<int, 2> inertiagrouprange{0, 5};
  double boundmass = 0;
  double boundinertia = 0;
  bool balanceinertia = false;
  double settotalmass = -1;

  double angle(double value) const;  ///< in radians
};

/// Whether a vector of this length can be normalised.
bool is_direction(double length);

CompilerSettings read_compiler(MjcfFile& file, Coverage& coverage);
Options read_options(MjcfFile& file, Coverage& coverage);

/// quat, axisangle, euler, xyaxes or zaxis; identity if none is given. An alternative to quat wins
/// over quat, whichever layer has it.
Eigen::Quaterniond read_orientation(const Attributes& attributes, const CompilerSettings& compiler);
Eigen::Quaterniond euler_rotation(const Eigen::Vector3d& angles, const CompilerSettings& compiler);
/// The smallest rotation that takes z to this direction.
Eigen::Quaterniond rotation_to(const Eigen::Vector3d& z);
/// pos and orientation.
Pose read_pose(const Attributes& attributes, const CompilerSettings& compiler);

/// The range that holds, if it does; `limited` = auto means: if one is given.
Range resolve_range(const Attributes& attributes, const char* name, Limited limited,
                    const Eigen::Vector2d& range, const CompilerSettings& compiler,
                    Coverage& coverage);

}  // namespace stiction::mjcf
