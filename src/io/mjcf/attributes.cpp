#include "io/mjcf/attributes.h"

#include <cmath>

#include "model/checks.h"

namespace stiction::mjcf {

bool Attributes::given(const char* name) const {
  bool found = false;
  for (const Layer& layer : layers_) {
    layer.kind->asked.insert(name);
    found |= layer.element.has(name);
  }
  return found;
}

const XmlElement& Attributes::giver(const char* name) const {
  for (size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i].element.has(name)) return layers_[i].element;
  }
  return element();
}

std::optional<std::string> Attributes::text(const char* name) const {
  if (!given(name)) return std::nullopt;
  return giver(name).text(name);
}

std::string Attributes::required_text(const char* name) const {
  std::optional<std::string> value = text(name);
  if (!value) element().fail(std::string("attribute ") + name + " is missing");
  return *std::move(value);
}

void Attributes::ask_for_numbers(const char* name) const {
  for (const Layer& layer : layers_) layer.kind->numbers.insert(name);
}

bool Attributes::read(const char* name, double& value) const {
  ask_for_numbers(name);
  if (!given(name)) return false;
  value = *giver(name).number(name);
  if (std::abs(value) > kLargest) refuse(name, kLargestText);
  return true;
}

bool Attributes::read_not_negative(const char* name, double& value) const {
  if (!read(name, value)) return false;
  if (value < 0) refuse(name, ">= 0");
  return true;
}

bool Attributes::read(const char* name, int& value) const {
  ask_for_numbers(name);
  if (!given(name)) return false;
  value = *giver(name).integer(name);
  return true;
}

bool Attributes::read(const char* name, bool& value) const {
  return read_keyword<bool>(name, value, {{"true", true}, {"false", false}});
}

bool Attributes::read(const char* name, std::string& value) const {
  std::optional<std::string> given_text = text(name);
  if (!given_text) return false;
  value = *std::move(given_text);
  return true;
}

bool Attributes::read(const char* name, Eigen::Ref<Eigen::VectorXd> values,
                      size_t min_count) const {
  ask_for_numbers(name);
  bool found = false;
  for (const Layer& layer : layers_) {
    layer.kind->asked.insert(name);
    const auto numbers = layer.element.numbers(name, min_count, static_cast<size_t>(values.size()));
    if (!numbers) continue;
    found = true;
    for (size_t i = 0; i < numbers->size(); ++i)
      values[static_cast<Eigen::Index>(i)] = (*numbers)[i];
  }
  return found;
}

void read_limited(const Attributes& attributes, const char* name, Limited& limited) {
  attributes.read_keyword<Limited>(
      name, limited,
      {{"false", Limited::kFalse}, {"true", Limited::kTrue}, {"auto", Limited::kAuto}});
}

}  // namespace stiction::mjcf
