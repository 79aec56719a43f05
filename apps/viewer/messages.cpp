#include "messages.h"

#include <stiction/error.h>

#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

namespace stiction::viewer {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

constexpr std::uint32_t kFrameMark = 0x31465453;  // "STF1"
constexpr double kFarthest = 1e6;                 // m: a mouse does not reach further
constexpr size_t kMostPoints = 400;               // of a convergence curve

double number(const json& message, const char* key, double lowest, double highest) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_number()) {
    throw InputError(std::string(key) + " is missing or no number");
  }
  const double value = found->get<double>();
  if (!(value >= lowest && value <= highest)) {
    throw InputError(std::string(key) + " is " + found->dump() + ", out of range");
  }
  return value;
}

Vector3d vector(const json& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_array() || found->size() != 3) {
    throw InputError(std::string(key) + " is not three numbers");
  }
  Vector3d out;
  for (int k = 0; k < 3; ++k) {
    const json& entry = (*found)[k];
    if (!entry.is_number() || !(std::abs(entry.get<double>()) < kFarthest)) {
      throw InputError(std::string(key) + " is not three numbers");
    }
    out[k] = entry.get<double>();
  }
  return out;
}

CommandKind kind_of(const json& message) {
  static const std::map<std::string, CommandKind> kinds = {
      {"pause", CommandKind::kPause},   {"run", CommandKind::kRun},
      {"step", CommandKind::kStep},     {"reset", CommandKind::kReset},
      {"speed", CommandKind::kSpeed},   {"solver", CommandKind::kSolver},
      {"drag", CommandKind::kDrag},     {"release", CommandKind::kRelease},
      {"freeze", CommandKind::kFreeze},
  };
  const auto type = message.find("type");
  if (type == message.end() || !type->is_string()) throw InputError("type is missing");
  const auto found = kinds.find(type->get<std::string>());
  if (found == kinds.end()) throw InputError("type " + type->dump() + " is unknown");
  return found->second;
}

// Appends words of four bytes; the machine is little endian, like every machine with AVX.
class Writer {
 public:
  void u32(std::uint32_t value) { append(&value, sizeof value); }
  void count(size_t value) { u32(static_cast<std::uint32_t>(value)); }
  void f32(double value) {
    const auto narrow = static_cast<float>(value);
    append(&narrow, sizeof narrow);
  }
  void f64(double value) { append(&value, sizeof value); }
  void vector(const Vector3d& v) {
    for (int k = 0; k < 3; ++k) f32(v[k]);
  }
  void append(const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); }
  std::string bytes;
};

// The first points, and then points in even steps of the logarithm, up to the last.
std::vector<size_t> thinned(size_t count) {
  std::vector<size_t> kept;
  const double ratio = std::pow(static_cast<double>(count), 1.0 / kMostPoints);
  for (double at = 0; at < static_cast<double>(count); at = std::max(at + 1, at * ratio)) {
    kept.push_back(static_cast<size_t>(at));
  }
  if (count > 0 && kept.back() + 1 != count) kept.push_back(count - 1);
  return kept;
}

}  // namespace

Command parse_command(const std::string& text, const Model& model) {
  const json message = json::parse(text, nullptr, false);
  if (!message.is_object()) throw InputError("not a JSON object");
  Command command;
  command.kind = kind_of(message);
  if (command.kind == CommandKind::kSpeed) command.speed = number(message, "speed", 0, 1000);
  if (command.kind == CommandKind::kSolver) {
    const auto name = message.find("solver");
    if (name == message.end() || !name->is_string()) throw InputError("solver is missing");
    command.solver = name->get<std::string>();
    const auto& known = solver_names();
    if (std::find(known.begin(), known.end(), command.solver) == known.end()) {
      throw InputError("solver " + name->dump() + " is unknown");
    }
    command.iterations = static_cast<int>(number(message, "iterations", 0, 1e6));
    command.tolerance = number(message, "tolerance", 1e-16, 1e3);
  }
  if (command.kind == CommandKind::kDrag) {
    command.body =
        static_cast<int>(number(message, "body", 1, static_cast<double>(model.bodies.size()) - 1));
    command.point = vector(message, "point");
    command.target = vector(message, "target");
  }
  return command;
}

std::string encode_frame(const Simulation& simulation, const FrameStats& stats) {
  const StepReport& report = simulation.report();
  const State& state = simulation.state();
  const auto& contacts = simulation.contacts();
  const auto bodies = static_cast<int>(simulation.model().bodies.size());
  Writer out;
  out.bytes.reserve(96 + 28 * bodies + 56 * contacts.size() + 4 * state.qpos.size() + 64);
  out.u32(kFrameMark);
  out.u32(stats.missed_by);
  out.f64(state.time);
  out.f64(static_cast<double>(state.step));
  const Energy energy = simulation.energy();
  for (double value : {stats.residual, stats.penetration, energy.potential + energy.kinetic,
                       energy.kinetic, stats.solve_seconds, stats.step_seconds,
                       stats.real_time_factor, simulation.options().budget.tolerance}) {
    out.f32(value);
  }
  out.count(stats.iterations);
  out.u32(static_cast<std::uint32_t>(report.solve.status));
  out.count(report.constraints);
  out.count(bodies);
  out.count(contacts.size());
  out.count(state.qpos.size());
  out.count(report.worst_constraint.size());
  for (int b = 0; b < bodies; ++b) {
    const Pose X = simulation.body_pose(b);
    out.vector(X.p);
    for (double value : {X.q.w(), X.q.x(), X.q.y(), X.q.z()}) out.f32(value);
  }
  for (const ContactForce& contact : contacts) {
    out.vector(contact.p_W);
    out.vector(contact.R_CW.row(2));
    out.vector(contact.force_W);
    out.f32(contact.mu);
    out.f32(contact.gap);
    out.count(contact.body1);
    out.count(contact.body2);
    out.u32(static_cast<std::uint32_t>(contact.state));
  }
  for (double q : state.qpos) out.f32(q);
  out.append(report.worst_constraint.data(), report.worst_constraint.size());
  return out.bytes;
}

std::string scene_message(const std::string& title, const std::string& sentence,
                          const std::string& hint, const std::string& scene) {
  const json head = {{"type", "scene"},
                     {"title", title},
                     {"sentence", sentence},
                     {"hint", hint},
                     {"solvers", solver_names()}};
  std::string text = head.dump(-1, ' ', false, json::error_handler_t::replace);
  text.back() = ',';  // the scene is JSON already, and may be large
  return text + "\"scene\":" + scene + "}";
}

std::string state_message(const ControlState& state) {
  const json message = {
      {"type", "state"},        {"paused", state.paused},         {"speed", state.speed},
      {"solver", state.solver}, {"iterations", state.iterations}, {"tolerance", state.tolerance},
      {"error", state.error}};
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string freeze_message(const Simulation& simulation) {
  const json message = {{"type", "freeze"},
                        {"step", simulation.state().step},
                        {"time", simulation.state().time},
                        {"contacts", simulation.report().contacts},
                        {"constraints", simulation.report().constraints},
                        {"tolerance", simulation.options().budget.tolerance}};
  return message.dump();
}

std::string curve_message(const std::string& solver, const SolveReport& report) {
  json points = json::array();
  for (size_t k : thinned(report.history.size())) {
    const IterationRecord& record = report.history[k];
    points.push_back({record.iteration, record.seconds, record.residual});
  }
  const json message = {{"type", "curve"},
                        {"solver", solver},
                        {"status", to_string(report.status)},
                        {"iterations", report.iterations},
                        {"seconds", report.seconds},
                        {"residual", report.residual.scaled},
                        {"points", points}};
  return message.dump();
}

}  // namespace stiction::viewer
