// The small questions that validation asks; each throws PartError with the number.
#pragma once

#include <stiction/model.h>

#include <string>

#include "model/part_error.h"

namespace stiction {

/// Of any number but the ends of ranges: squares of larger ones make energies infinite.
constexpr double kLargest = 1e100;
constexpr const char* kLargestText = "at most 1e100 in size";

/// Shortest usual text of a number.
std::string text(double value);

[[noreturn]] void refuse(const Part& where, const std::string& what);

void check_finite(const Part& where, const char* what, double value);
void check_finite(const Part& where, const char* what,
                  const Eigen::Ref<const Eigen::VectorXd>& values);
void check_not_negative(const Part& where, const char* what, double value);
/// 0 to 1.
void check_share(const Part& where, const char* what, double value);
void check_positive(const Part& where, const char* what, double value);
void check_range(const Part& where, const char* what, const Range& range);
void check_pose(const Part& where, const Pose& pose);
/// 0 <= index < count.
void check_index(const Part& where, const char* what, int index, size_t count);
/// As check_index, and -1 for "none".
void check_optional_index(const Part& where, const char* what, int index, size_t count);

/// That joints come in the order of their bodies, and that offsets and sizes follow from it.
void validate_order(const Model& model);
void validate_joint(const Model& model, const Part& where, const Joint& joint);
void validate_inertias(const Model& model);
void validate_sensor(const Model& model, const Part& where, const Sensor& sensor);
void validate_shape(const Part& where, const Shape& shape);

}  // namespace stiction
