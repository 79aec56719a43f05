// The small questions that validation asks; each throws InputError with the place and the number.
#pragma once

#include <stiction/error.h>
#include <stiction/model.h>

#include <string>

namespace stiction {

/// "body 'arm'", or "body 3" if it has no name.
std::string place(const char* kind, int index, const std::string& name);
/// Shortest usual text of a number.
std::string text(double value);

[[noreturn]] void refuse(const std::string& where, const std::string& what);

void check_finite(const std::string& where, const char* what, double value);
void check_finite(const std::string& where, const char* what,
                  const Eigen::Ref<const Eigen::VectorXd>& values);
void check_not_negative(const std::string& where, const char* what, double value);
/// 0 to 1.
void check_share(const std::string& where, const char* what, double value);
void check_positive(const std::string& where, const char* what, double value);
void check_range(const std::string& where, const char* what, const Range& range);
void check_pose(const std::string& where, const Pose& pose);
/// 0 <= index < count.
void check_index(const std::string& where, const char* what, int index, size_t count);
/// As check_index, and -1 for "none".
void check_optional_index(const std::string& where, const char* what, int index, size_t count);

void validate_inertias(const Model& model);
void validate_shape(const std::string& where, const Shape& shape);

}  // namespace stiction
