// Parts of MJCF that are not honoured, with the reason. Whatever is neither read nor listed here is
// unknown to us, and taken to change the physics.
#include <sstream>

#include "io/mjcf/coverage.h"

namespace stiction::mjcf {
namespace {

constexpr Severity kPhysics = Severity::kPhysics;
constexpr Severity kCosmetic = Severity::kCosmetic;

struct ElementRow {
  const char* tags;
  Severity severity;
  const char* text;
  const char* inside = "*";  ///< tags of the element around it
};

constexpr ElementRow kElements[] = {
    {"visual statistic", kCosmetic, "not used for drawing"},
    {"size", kCosmetic, "memory is allocated as needed"},
    {"custom", kCosmetic, "custom data is not kept, but for stiction:..."},
    {"texture layer", kCosmetic, "textures are not drawn"},
    {"skin", kCosmetic, "skins are not drawn"},
    {"lengthrange", kCosmetic, "only muscles use length ranges"},
    {"extension plugin", kPhysics, "plugins are not supported"},
    {"composite flexcomp", kPhysics, "composite objects are not supported; the bodies are missing"},
    {"deformable", kPhysics, "flexible bodies are not supported"},
    {"flex flexvert flexstrain", kPhysics, "flexible bodies are not supported"},
    {"option", kPhysics, "options of an attached model are not used; the main file's are"},
    {"contact distance normal fromto insidesite tactile user", kPhysics,
     "this sensor is not supported; left out", "sensor"},
    {"*", kPhysics, "this equality is not supported; left out", "equality"},
};

struct AttributeRow {
  const char* kinds;  ///< "*" for all
  const char* names;
  Severity severity;
  const char* text;
};

constexpr const char* kExact = "soft-contact parameter; constraints are exact here";
constexpr const char* kSolver = "setting of MuJoCo's solver; ours has its own";
constexpr const char* kNoTextures = "textures are not drawn";

constexpr AttributeRow kAttributes[] = {
    {"*", "solref solimp solreflimit solimplimit solreffriction solimpfriction solmix", kPhysics,
     kExact},
    {"option", "cone impratio o_margin o_solref o_solimp o_friction", kPhysics, kExact},
    {"option", "noslip_iterations noslip_tolerance", kPhysics, kSolver},
    {"option", "integrator", kPhysics, "ours is used instead"},
    {"option", "magnetic", kPhysics, "magnetometers are not supported"},
    {"option", "actuatorgroupdisable", kPhysics, "all actuators stay enabled"},
    {"option",
     "solver jacobian iterations ls_iterations tolerance ls_tolerance ccd_iterations ccd_tolerance "
     "sdf_iterations sdf_initpoints apirate sleep_tolerance mpr_iterations mpr_tolerance collision",
     kCosmetic, kSolver},
    {"flag", "override", kPhysics, kExact},
    {"flag", "refsafe", kCosmetic, kSolver},
    {"flag",
     "energy sensor autoreset fwdinv invdiscrete warmstart midphase nativeccd multiccd "
     "island eulerdamp sleep diagexact",
     kCosmetic, kSolver},
    {"compiler", "usethread saveinertial conflict convexhull", kCosmetic,
     "concerns MuJoCo's compiler"},
    {"compiler", "discardvisual", kCosmetic, "visual geoms are kept"},
    {"compiler", "fusestatic", kCosmetic, "static bodies are kept; the motion is the same"},
    {"compiler", "alignfree", kPhysics, "free bodies keep the frame of the file"},
    {"freejoint", "align", kPhysics, "the body keeps the frame of the file"},
    {"*", "user", kCosmetic, "user data is not kept"},
    {"joint freejoint actuator tendon fixed spatial light camera general motor position velocity "
     "intvelocity damper cylinder muscle adhesion",
     "group", kCosmetic, "not used for drawing"},
    {"body", "sleep simple", kCosmetic, "concerns MuJoCo's engine"},
    {"joint", "springdamper", kPhysics, "spring and damper are taken from stiffness and damping"},
    {"geom", "fluidshape fluidcoef", kPhysics,
     "the drag of the medium is that of the body's inertia box"},
    {"geom", "surfacevel adhesion", kPhysics, "not supported"},
    {"pair", "adhesion", kPhysics, "not supported"},
    {"mesh", "normal texcoord smoothnormal material", kCosmetic, "not used for drawing"},
    {"mesh", "maxhullvert", kPhysics, "the convex hull keeps all of its vertices"},
    {"mesh hfield model", "content_type", kCosmetic, "the file's ending says what it is"},
    {"material", "texture texrepeat texuniform metallic roughness", kCosmetic, kNoTextures},
    {"camera",
     "mode target ipd resolution output projection orthographic focal focalpixel principal "
     "principalpixel sensorsize",
     kCosmetic, "cameras are fixed to their body and have a field of view only"},
    {"light",
     "mode target castshadow active bulbradius intensity range attenuation cutoff softness "
     "exponent "
     "ambient diffuse specular texture",
     kCosmetic, "lights are fixed to their body and white"},
    {"site", "material", kCosmetic, "not used for drawing"},
    {"tendon fixed spatial", "width material rgba", kCosmetic, "tendons are not drawn"},
    {"general motor position velocity intvelocity damper cylinder muscle adhesion",
     "delay nsample interp", kPhysics, "controls act at once"},
    {"general motor position velocity intvelocity damper cylinder muscle adhesion",
     "armature damping", kPhysics, "not supported on actuators"},
    {"general motor position velocity intvelocity damper cylinder muscle adhesion", "lengthrange",
     kCosmetic, "only muscles use length ranges"},
    {"general", "actdim input velrange ffrange", kPhysics, "not supported"},
    {"muscle", "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax", kPhysics,
     "muscles are not supported; the actuator exerts no force"},
    {"sensor", "delay nsample interp interval", kPhysics, "sensors report the present state"},
    {"key", "mpos mquat", kPhysics, "mocap bodies stay where the file puts them"},
    {"spatial tendon",
     "limited range actuatorfrclimited actuatorfrcrange frictionloss springlength margin stiffness "
     "damping armature",
     kPhysics, "spatial tendons are not supported"},
};

bool lists(const char* words, const std::string& word) {
  std::istringstream stream(words);
  for (std::string candidate; stream >> candidate;) {
    if (candidate == word || candidate == "*") return true;
  }
  return false;
}

}  // namespace

Reason reason_for_element(const std::string& tag, const std::string& inside) {
  for (const ElementRow& row : kElements) {
    if (lists(row.tags, tag) && lists(row.inside, inside)) return {row.severity, row.text};
  }
  return {kPhysics, "unknown element, ignored"};
}

Reason reason_for_attribute(const std::string& kind, const std::string& name) {
  for (const AttributeRow& row : kAttributes) {
    if (lists(row.kinds, kind) && lists(row.names, name)) return {row.severity, row.text};
  }
  return {kPhysics, "unknown attribute, ignored"};
}

}  // namespace stiction::mjcf
