// type, size, fromto and mesh of geoms and sites.
#pragma once

#include <stiction/shapes.h>

#include "io/mjcf/spec.h"

namespace stiction::mjcf {

enum class ShapeType {
  kPlane,
  kHeightField,
  kSphere,
  kCapsule,
  kEllipsoid,
  kCylinder,
  kBox,
  kMesh,
  kSdf
};

ShapeType read_shape_type(const Attributes& attributes);

/// Replaces pose and size by those between two points, if fromto is given.
void apply_fromto(const Attributes& attributes, ShapeType type, Pose& pose, Eigen::Vector3d& size);

/// A primitive of this size; throws if a size that matters is not positive.
Shape primitive(const Attributes& attributes, ShapeType type, const Eigen::Vector3d& size);

/// Size and pose (in the mesh's frame) of the primitive that stands for a mesh: it has the mesh's
/// inertia, or (fitaabb) encloses its vertices along the principal axes.
struct Fit {
  Pose X_MF;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
};
Fit fit_primitive(const XmlElement& element, ShapeType type, const MeshAsset& mesh, bool fitaabb);

}  // namespace stiction::mjcf
