#include "io/mjcf/inertia.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "geometry/mesh.h"
#include "model/checks.h"
#include "model/inertia.h"

namespace stiction::mjcf {
namespace {

constexpr double kRounding = 1e-9;   // relative, of inertias written with nine digits
constexpr double kNoVolume = 1e-14;  // m^3

VolumeProperties properties_of(const GeomSpec& spec) {
  if (spec.mesh) return spec.mesh->volume_properties(spec.source);
  if (const auto* field = std::get_if<HeightField>(&spec.geom.shape)) {
    // MuJoCo takes a height field for a box around its frame.
    const HeightGrid& grid = *field->grid;
    return volume_properties(
        Box{{grid.half_extent.x(), grid.half_extent.y(), 0.25 * spec.elevation + 0.5 * grid.base}});
  }
  return spec.shell ? surface_properties(spec.geom.shape) : volume_properties(spec.geom.shape);
}

// Convex hulls do not mind which way triangles look, but volumes do.
void note_fault(const GeomSpec& spec, Coverage& coverage) {
  if (!spec.mesh || spec.mesh->inertia != MeshInertia::kLegacy) return;
  const std::string& fault = spec.mesh->fault_of_mesh();
  if (fault.empty()) return;
  coverage.note(Severity::kPhysics, spec.source,
                "mesh '" + spec.mesh->mesh->name + "' is " + fault +
                    ": its mass is that of tetrahedra between its triangles and its centre");
}

void add_geom_mass(const GeomSpec& spec, Body& body, Coverage& coverage) {
  if (spec.mass == 0.0 || (!spec.mass && spec.density == 0)) return;
  const VolumeProperties unit = properties_of(spec);
  if (unit.volume <= kNoVolume) return;
  note_fault(spec, coverage);
  const double density = spec.mass ? *spec.mass / unit.volume : spec.density;
  const Eigen::Matrix3d R = spec.geom.X_BG.q.toRotationMatrix();
  add_mass(body, density * unit.volume, spec.geom.X_BG.p + R * unit.center,
           density * (R * unit.inertia * R.transpose()));
}

/// boundmass, boundinertia and balanceinertia; refuses moments that no distribution of mass has.
void correct(const BodySpec& spec, Body& body) {
  const CompilerSettings& compiler = *spec.compiler;
  if (body.mass == 0 && !spec.inertial && spec.content.geoms.empty()) {
    body.com = body.X_PB.p;  // sic: MuJoCo puts the centre of an empty body there
  }
  body.mass = std::max(body.mass, compiler.boundmass);

  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(body.inertia);
  if (!body.inertia.allFinite() || !std::isfinite(body.mass)) {
    spec.source.fail("mass or inertia is too large for a number, expected finite ones");
  }
  Eigen::Vector3d moments = solver.eigenvalues();  // rising
  const bool too_small = moments[0] < compiler.boundinertia && compiler.boundinertia > 0;
  if (too_small) moments = moments.cwiseMax(compiler.boundinertia);
  const bool impossible = moments[0] + moments[1] < (1 - kRounding) * moments[2];
  if (impossible) {
    if (!compiler.balanceinertia) {
      spec.source.fail("principal inertias are " + text(moments[0]) + ", " + text(moments[1]) +
                       ", " + text(moments[2]) +
                       ", expected that no one exceeds the sum of the others; balanceinertia would "
                       "mend it");
    }
    moments.setConstant(moments.mean());
  }
  if (too_small || impossible) {
    const Eigen::Matrix3d& R = solver.eigenvectors();
    body.inertia = R * moments.asDiagonal() * R.transpose();
  }
}

}  // namespace

void set_inertia(const BodySpec& spec, Body& body, Coverage& coverage) {
  const CompilerSettings& compiler = *spec.compiler;
  body.mass = 0;
  body.com.setZero();
  body.inertia.setZero();
  const bool from_geoms = compiler.inertiafromgeom == InertiaFromGeom::kTrue ||
                          (compiler.inertiafromgeom == InertiaFromGeom::kAuto && !spec.inertial);
  if (from_geoms) {
    for (const GeomSpec& geom : spec.content.geoms) {
      const bool selected = geom.geom.group >= compiler.inertiagrouprange[0] &&
                            geom.geom.group <= compiler.inertiagrouprange[1];
      if (selected) add_geom_mass(geom, body, coverage);
    }
  } else if (spec.inertial) {
    const Eigen::Matrix3d R = spec.inertial->X_BI.q.toRotationMatrix();
    body.mass = spec.inertial->mass;
    body.com = spec.inertial->X_BI.p;
    body.inertia = R * spec.inertial->inertia * R.transpose();
  }
  correct(spec, body);
}

}  // namespace stiction::mjcf
