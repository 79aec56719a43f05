#include "states.h"

#include <stiction/error.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace stiction::cli {
namespace {

using nlohmann::json;

json parse_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path + ": cannot be opened");
  try {
    return json::parse(file);
  } catch (const json::exception& error) {
    throw InputError(path + ": not JSON: " + error.what());
  }
}

/// The numbers under `name`, or `otherwise` if there is nothing under it.
Eigen::VectorXd read_vector(const std::string& where, const json& object, const char* name,
                            const Eigen::VectorXd& otherwise) {
  const auto found = object.find(name);
  if (found == object.end()) return otherwise;
  const auto expected = std::to_string(otherwise.size());
  if (!found->is_array() || static_cast<Eigen::Index>(found->size()) != otherwise.size()) {
    const std::string got = found->is_array() ? std::to_string(found->size()) : found->type_name();
    throw InputError(where + ": " + name + " has size " + got + ", expected " + expected +
                     " numbers");
  }
  Eigen::VectorXd values(otherwise.size());
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const json& value = (*found)[static_cast<size_t>(i)];
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      throw InputError(where + ": " + name + "[" + std::to_string(i) + "] is " + value.dump() +
                       ", expected a number");
    }
    values[i] = value.get<double>();
  }
  return values;
}

void check_quaternions(const std::string& where, const Model& model, const NamedState& state) {
  for (const Joint& joint : model.joints) {
    if (joint.nq() < 4) continue;
    if (state.qpos.segment<4>(joint.qpos_begin + joint.nq() - 4).norm() < 1e-10) {
      throw InputError(where + ": quaternion of " + model.joint_label(joint) + " is zero");
    }
  }
}

constexpr const char* kStateKeys[] = {"name", "qpos", "qvel", "ctrl", "act"};

void check_keys(const std::string& where, const json& state) {
  for (const auto& entry : state.items()) {
    std::string known;
    bool found = false;
    for (const char* key : kStateKeys) {
      known += (known.empty() ? "" : ", ") + std::string(key);
      found |= entry.key() == key;
    }
    if (!found) {
      throw InputError(where + ": '" + entry.key() + "' is unknown, expected some of " + known);
    }
  }
}

}  // namespace

NamedState reference_state(const Model& model) {
  return {"qpos0", model.qpos0, Eigen::VectorXd::Zero(model.nv), Eigen::VectorXd::Zero(model.nu()),
          Eigen::VectorXd::Zero(model.na)};
}

std::vector<NamedState> read_states(const std::string& path, const Model& model) {
  const json root = parse_file(path);
  // What oracles have beside the states, and in them, is their own.
  const bool of_oracle = root.is_object() && root.contains("states");
  const json list = of_oracle ? root["states"] : root.is_object() ? json::array({root}) : root;
  if (!list.is_array()) throw InputError(path + ": expected a list of states, or one state");
  std::vector<NamedState> states;
  const NamedState rest = reference_state(model);
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string where = path + ": state " + std::to_string(i);
    const json& item = list[i];
    if (!item.is_object()) throw InputError(where + ": expected an object with qpos, qvel, ctrl");
    if (!of_oracle) check_keys(where, item);
    NamedState state;
    if (item.contains("name") && item["name"].is_string()) state.name = item["name"];
    state.qpos = read_vector(where, item, "qpos", rest.qpos);
    state.qvel = read_vector(where, item, "qvel", rest.qvel);
    state.ctrl = read_vector(where, item, "ctrl", rest.ctrl);
    state.act = read_vector(where, item, "act", rest.act);
    check_quaternions(where, model, state);
    states.push_back(std::move(state));
  }
  return states;
}

int known_keyframe(const std::string& file, const std::string& name, const Model& model) {
  const int index = model.keyframe_index(name);
  if (index >= 0) return index;
  const size_t count = model.keyframes.size();
  const bool is_number =
      !name.empty() && name.size() < 9 && name.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && std::stoul(name) < count) return std::stoi(name);
  std::string known;
  for (size_t k = 0; k < count; ++k) {
    const std::string& other = model.keyframes[k].name;
    known += (k == 0 ? "" : ", ") + (other.empty() ? "#" + std::to_string(k) : other);
  }
  const std::string expected = "expected one of its " + std::to_string(count) + ": " + known +
                               "; or a number below " + std::to_string(count);
  throw InputError(file + ": has no keyframe '" + name + "', " +
                   (count == 0 ? "and no other" : expected));
}

NamedState key_state(const std::string& file, const std::string& name, const Model& model) {
  const Keyframe& key = model.keyframes[known_keyframe(file, name, model)];
  return {name, key.qpos, key.qvel, key.ctrl, key.act};
}

}  // namespace stiction::cli
