// Pieces that most scenes are made of.
#pragma once

#include <stiction/builder.h>

#include <string>

namespace stiction {

/// An unbounded level floor at height 0.
void add_floor(ModelBuilder& builder, double mu);

struct Part {
  std::string name;
  Shape shape;
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  double mass = 1;
  double mu = 0.5;
  double restitution = 0;
  Eigen::Vector4d rgba{0.35, 0.55, 0.75, 1};
};

/// A free body with one geom; returns the body.
int add_free_part(ModelBuilder& builder, const Part& part);

/// A file of models/, from where the program was installed or built. Throws InputError.
Model shipped_model(const std::string& file);

/// A geom that does not move.
void add_static_part(ModelBuilder& builder, const Part& part);

}  // namespace stiction
