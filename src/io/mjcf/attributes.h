// The attributes of an element as MuJoCo sees them: those of its default class first, from the
// outermost class inwards, then its own. A later value replaces an earlier one; of a list it
// replaces only as many numbers as it has, so size="0.1" in an element keeps the second number of
// a default size="0.2 0.3".
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/mjcf/coverage.h"
#include "io/xml.h"

namespace stiction::mjcf {

struct Layer {
  XmlElement element;
  Kind* kind;
};

class Attributes {
 public:
  explicit Attributes(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  /// The element itself.
  const XmlElement& element() const { return layers_.back().element; }
  const std::vector<Layer>& layers() const { return layers_; }

  bool given(const char* name) const;
  /// Fails where the attribute is given, in the element or in a default.
  [[noreturn]] void refuse(const char* name, const std::string& expected) const {
    giver(name).refuse(name, expected);
  }
  std::optional<std::string> text(const char* name) const;
  std::string required_text(const char* name) const;

  /// Each leaves `value` alone and returns false if the attribute is nowhere given.
  bool read(const char* name, double& value) const;
  /// Likewise, and refuses negative numbers.
  bool read_not_negative(const char* name, double& value) const;
  bool read(const char* name, int& value) const;
  bool read(const char* name, bool& value) const;
  bool read(const char* name, std::string& value) const;
  /// Between min_count and values.size() numbers.
  bool read(const char* name, Eigen::Ref<Eigen::VectorXd> values, size_t min_count) const;
  bool read(const char* name, Eigen::Ref<Eigen::VectorXd> values) const {
    return read(name, values, static_cast<size_t>(values.size()));
  }

  template <typename Value>
  using Keywords = std::vector<std::pair<const char*, Value>>;
  template <typename Value>
  bool read_keyword(const char* name, Value& value, const Keywords<Value>& keywords) const {
    const std::optional<std::string> word = text(name);
    if (!word) return false;
    std::string expected;
    for (const auto& [keyword, meaning] : keywords) {
      if (*word == keyword) {
        value = meaning;
        return true;
      }
      expected += (expected.empty() ? "" : ", ") + std::string(keyword);
    }
    refuse(name, "one of " + expected);
  }

 private:
  void ask_for_numbers(const char* name) const;
  /// The innermost element that has the attribute.
  const XmlElement& giver(const char* name) const;

  std::vector<Layer> layers_;
};

/// limited="true|false|auto" with its range.
enum class Limited { kFalse, kTrue, kAuto };
void read_limited(const Attributes& attributes, const char* name, Limited& limited);

}  // namespace stiction::mjcf
