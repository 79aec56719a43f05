#include "io/mjcf/shapes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace stiction::mjcf {
namespace {

/// Axes of inertia with the largest moment first, so that z is the longest axis.
Eigen::Matrix3d principal_axes(const Eigen::Matrix3d& inertia, Eigen::Vector3d& moments) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
  moments = solver.eigenvalues().reverse();
  Eigen::Matrix3d R = solver.eigenvectors().rowwise().reverse();
  if (R.determinant() < 0) R.col(0) = -R.col(0);
  return R;
}

/// Half sides of the box of unit density with these moments and volume.
Eigen::Vector3d inertia_box(const Eigen::Vector3d& moments, double volume) {
  const double sum = moments.sum();
  return ((sum / 2 - moments.array()).max(0) * 3 / volume).sqrt();
}

}  // namespace

ShapeType read_shape_type(const Attributes& attributes) {
  ShapeType type = ShapeType::kSphere;
  attributes.read_keyword<ShapeType>("type", type,
                                     {{"plane", ShapeType::kPlane},
                                      {"hfield", ShapeType::kHeightField},
                                      {"sphere", ShapeType::kSphere},
                                      {"capsule", ShapeType::kCapsule},
                                      {"ellipsoid", ShapeType::kEllipsoid},
                                      {"cylinder", ShapeType::kCylinder},
                                      {"box", ShapeType::kBox},
                                      {"mesh", ShapeType::kMesh},
                                      {"sdf", ShapeType::kSdf}});
  return type;
}

void apply_fromto(const Attributes& attributes, ShapeType type, Pose& pose, Eigen::Vector3d& size) {
  Eigen::Matrix<double, 6, 1> fromto;
  if (!attributes.read("fromto", fromto)) return;
  const bool round = type == ShapeType::kCapsule || type == ShapeType::kCylinder;
  if (!round && type != ShapeType::kBox && type != ShapeType::kEllipsoid) {
    attributes.refuse("fromto", "none: it is for capsules, cylinders, boxes and ellipsoids");
  }
  if (!pose.p.isZero(0)) attributes.refuse("pos", "none beside fromto");
  const Eigen::Vector3d from = fromto.head<3>(), to = fromto.tail<3>();
  const double length = (from - to).norm();
  if (!is_direction(length / 2)) attributes.refuse("fromto", "two points apart from each other");
  pose.p = (from + to) / 2;
  pose.q = rotation_to((from - to) / length);
  if (round) {
    size[1] = length / 2;
  } else {
    size = {size[0], size[0], length / 2};
  }
}

Shape primitive(const Attributes& attributes, ShapeType type, const Eigen::Vector3d& size) {
  const auto need = [&](int count) {
    for (int i = 0; i < count; ++i) {
      if (size[i] > 0) continue;
      const std::string expected =
          count == 1 ? "a number > 0" : std::to_string(count) + " numbers > 0";
      if (!attributes.given("size")) {
        attributes.element().fail("attribute size is missing, expected " + expected);
      }
      attributes.refuse("size", expected);
    }
  };
  switch (type) {
    case ShapeType::kSphere:
      need(1);
      return Sphere{size[0]};
    case ShapeType::kCapsule:
      need(2);
      return Capsule{size[0], size[1]};
    case ShapeType::kCylinder:
      need(2);
      return Cylinder{size[0], size[1]};
    case ShapeType::kBox:
      need(3);
      return Box{size};
    case ShapeType::kEllipsoid:
      need(3);
      return Ellipsoid{size};
    case ShapeType::kPlane:
      if (size[0] < 0 || size[1] < 0) attributes.refuse("size", "half sides >= 0 of a plane");
      return Plane{size.head<2>()};
    default:
      attributes.refuse("type", "another one here");
  }
}

Fit fit_primitive(const XmlElement& element, ShapeType type, const MeshAsset& mesh, bool fitaabb) {
  const VolumeProperties& volume = mesh.volume_properties(element);
  Eigen::Vector3d moments;
  const Eigen::Matrix3d R = principal_axes(volume.inertia, moments);
  Fit fit{{volume.center, Eigen::Quaterniond(R)}, inertia_box(moments, volume.volume)};
  if (fitaabb) {
    Eigen::Vector3d low = Eigen::Vector3d::Constant(kInfinity), high = -low;
    for (const Eigen::Vector3d& vertex : mesh.mesh->vertices) {
      const Eigen::Vector3d v = R.transpose() * (vertex - volume.center);
      low = low.cwiseMin(v);
      high = high.cwiseMax(v);
    }
    fit.X_MF.p += R * (low + high) / 2;
    fit.size = (high - low) / 2;
  }
  const Eigen::Vector3d s = fit.size;
  switch (type) {
    case ShapeType::kSphere:
      fit.size[0] = fitaabb ? s.maxCoeff() : s.mean();
      break;
    case ShapeType::kCapsule:
      fit.size[0] = fitaabb ? std::max(s[0], s[1]) : (s[0] + s[1]) / 2;
      fit.size[1] = std::max(0.0, fitaabb ? s[2] - fit.size[0] : s[2] - fit.size[0] / 2);
      break;
    case ShapeType::kCylinder:
      fit.size[0] = fitaabb ? std::max(s[0], s[1]) : (s[0] + s[1]) / 2;
      fit.size[1] = s[2];
      break;
    case ShapeType::kBox:
    case ShapeType::kEllipsoid:
      break;
    default:
      element.fail("this type cannot be fitted to a mesh");
  }
  return fit;
}

}  // namespace stiction::mjcf
