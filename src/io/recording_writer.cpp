#include <stiction/error.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "io/hdf5.h"
#include "io/recording.h"

namespace stiction {
namespace {

constexpr auto kFlushPeriod = std::chrono::milliseconds(500);
// Values that wait at most: a share of what the file has, so that little is lost where the disk
// ends and a fast run does not spend its time on flushes.
constexpr std::size_t kSmallestWait = std::size_t{1} << 15;
constexpr std::size_t kLargestWait = std::size_t{1} << 19;
constexpr std::size_t kWaitingShare = 8;

void describe(const DatasetInfo& info, Hdf5Writer& file) {
  file.attribute(info.dataset, "unit", info.unit);
  file.attribute(info.dataset, "description", info.description);
}

void create_file(const std::string& path, const RecordingHeader& header,
                 RecordingColumns& columns) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    throw InputError(path + ": a recording grows as it is written, expected a regular file");
  }
  Hdf5Writer file(path);
  file.integer("/version", kRecordingVersion);
  file.text("/model", header.model);
  file.text("/solver", header.solver);
  file.doubles("/timestep", {header.timestep});
  file.doubles("/tolerance", {header.tolerance});
  file.doubles("/theta", {header.theta});
  file.integer("/max_iterations", header.max_iterations);
  file.text("/on_trouble", header.on_trouble);
  file.texts("/body_names", header.bodies);
  file.texts("/geom_names", header.geoms);
  file.texts("/joint_names", header.joints);
  file.ints("/joint_qpos", header.joint_qpos);
  file.ints("/joint_dof", header.joint_dofs);
  file.texts("/actuator_names", header.actuators);
  file.texts("/tendon_names", header.tendons);
  file.texts("/equality_names", header.equalities);
  file.texts("/sensor_names", header.sensors);
  file.texts("/sensor_types", header.sensor_types);
  file.ints("/sensor_begin", header.sensor_begins);
  file.text("/scene", header.scene);
  for (const Column* column : columns.all()) {
    column->integer ? file.growing_ints(column->dataset(), column->row)
                    : file.growing_doubles(column->dataset(), column->row);
    describe(column->info, file);
  }
  file.growing_ids(kContactIds.dataset);
  file.growing_texts(kWorstConstraint.dataset, columns.name_length);
  describe(kContactIds, file);
  describe(kWorstConstraint, file);
  for (const DatasetInfo& info : kConstants) describe(info, file);
  file.commit();
}

void append(Hdf5Appender& file, const Column& column, std::size_t rows) {
  if (column.integer) {
    file.ints(column.dataset(), {column.values.begin(), column.values.end()}, rows);
  } else {
    file.doubles(column.dataset(), column.values, rows);
  }
}

void push(Column& column, const Eigen::Ref<const Eigen::VectorXd>& values) {
  column.values.insert(column.values.end(), values.begin(), values.end());
}

void check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw InputError("recording: a frame has " + std::to_string(size) + " values of " + name +
                   ", expected " + std::to_string(expected));
}

// Signals that end the program wait until the flush is over.
class NoInterrupt {
 public:
  NoInterrupt() {
    sigset_t ending;
    sigemptyset(&ending);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~NoInterrupt() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoInterrupt(const NoInterrupt&) = delete;
  NoInterrupt& operator=(const NoInterrupt&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

struct RecordingWriter::Rows : RecordingColumns {
  using RecordingColumns::RecordingColumns;
};

RecordingWriter::RecordingWriter(const std::string& path, const RecordingHeader& header)
    : path_(path), rows_(std::make_unique<Rows>(header)) {
  create_file(path, header, *rows_);
  rows_->offsets.values.push_back(0);
  flush();
}

RecordingWriter::~RecordingWriter() {
  try {
    flush();
  } catch (const InputError&) {
    // Whoever wants to know has called flush.
  }
}

void RecordingWriter::add(const RecordingFrame& frame) {
  Rows& rows = *rows_;
  check_size("qpos", frame.qpos.size(), rows.qpos.width());
  check_size("qvel", frame.qvel.size(), rows.qvel.width());
  check_size("ctrl", frame.ctrl.size(), rows.ctrl.width());
  check_size("act", frame.act.size(), rows.act.width());
  check_size("eq_active", frame.eq_active.size(), rows.eq_active.width());
  check_size("bodies", 7 * frame.bodies.size(), rows.bodies.width());
  const Eigen::VectorXd equality_force = frame.equality_force.reshaped();
  const std::pair<Column*, const Eigen::VectorXd*> optional[] = {
      {&rows.sensordata, &frame.sensordata},
      {&rows.actuator_force, &frame.actuator_force},
      {&rows.joint_limit_force, &frame.joint_limit_force},
      {&rows.joint_friction_force, &frame.joint_friction_force},
      {&rows.tendon_limit_force, &frame.tendon_limit_force},
      {&rows.tendon_friction_force, &frame.tendon_friction_force},
      {&rows.equality_force, &equality_force}};
  for (const auto& [column, values] : optional) {
    if (values->size() > 0) check_size(column->dataset(), values->size(), column->width());
  }
  rows.time.values.push_back(frame.time);
  push(rows.qpos, frame.qpos);
  push(rows.qvel, frame.qvel);
  push(rows.ctrl, frame.ctrl);
  push(rows.act, frame.act);
  rows.eq_active.values.insert(rows.eq_active.values.end(), frame.eq_active.begin(),
                               frame.eq_active.end());
  for (const auto& [column, values] : optional) {
    if (values->size() > 0) push(*column, *values);
    if (values->size() == 0) column->values.resize(column->values.size() + column->width());
  }
  for (const Pose& X_WB : frame.bodies) {
    push(rows.bodies, X_WB.p);
    push(rows.bodies, Eigen::Vector4d(X_WB.q.w(), X_WB.q.x(), X_WB.q.y(), X_WB.q.z()));
  }
  rows.residual.values.push_back(frame.residual);
  push(rows.residual_by_type, frame.residual_by_type);
  rows.dynamics_defect.values.push_back(frame.dynamics_defect);
  rows.worst_constraint.push_back(frame.worst_constraint);
  rows.iterations.values.push_back(frame.iterations);
  rows.status.values.push_back(frame.status);
  rows.missed.values.push_back(frame.missed);
  for (std::size_t k = 0; k < rows.missed_by.width(); ++k) {
    rows.missed_by.values.push_back(frame.missed_by.at(k));
  }
  rows.energy.values.push_back(frame.energy);
  rows.energy_error.values.push_back(frame.energy_error);
  rows.penetration.values.push_back(frame.max_penetration);
  rows.equality_error.values.push_back(frame.equality_error);
  rows.solve_seconds.values.push_back(frame.solve_seconds);
  rows.step_seconds.values.push_back(frame.step_seconds);
  for (const RecordedContact& contact : frame.contacts) {
    push(rows.p, contact.p_W);
    push(rows.normal, contact.n_W);
    push(rows.force, contact.force_W);
    rows.mu.values.push_back(contact.mu);
    rows.gap.values.push_back(contact.gap);
    push(rows.geoms, Eigen::Vector2d(contact.geom1, contact.geom2));
    push(rows.contact_bodies, Eigen::Vector2d(contact.body1, contact.body2));
    rows.state.values.push_back(contact.state);
    rows.contact_residual.values.push_back(contact.residual);
    rows.id.push_back(contact.id);
  }
  rows.clock.values.insert(rows.clock.values.end(), frame.clock.begin(), frame.clock.end());
  clock_count_ += static_cast<int>(frame.clock.size());
  rows.clock_ends.values.push_back(clock_count_);
  contact_count_ += static_cast<int>(frame.contacts.size());
  rows.offsets.values.push_back(contact_count_);
  const std::size_t most = std::clamp(written_ / kWaitingShare, kSmallestWait, kLargestWait);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_flush_ >= kFlushPeriod || waiting() > most) flush();
}

std::size_t RecordingWriter::waiting() const {
  std::size_t values = rows_->worst_constraint.size() * rows_->name_length / sizeof(double);
  for (const Column* column : rows_->all()) values += column->values.size();
  return values;
}

void RecordingWriter::flush() {
  last_flush_ = std::chrono::steady_clock::now();
  Rows& rows = *rows_;
  if (rows.time.values.empty() && rows.offsets.values.empty()) return;
  const NoInterrupt no_interrupt;
  Hdf5Appender file(path_);
  for (const Column* column : rows.of_contacts()) append(file, *column, rows.mu.values.size());
  file.ids(kContactIds.dataset, rows.id);
  append(file, rows.offsets, rows.offsets.values.size());
  append(file, rows.clock, rows.clock.values.size());
  for (const Column* column : rows.of_frames()) append(file, *column, rows.time.values.size());
  file.texts(kWorstConstraint.dataset, rows.worst_constraint, rows.name_length);
  file.commit();
  written_ += waiting();
  for (Column* column : rows.all()) column->values.clear();
  rows.id.clear();
  rows.worst_constraint.clear();
}

}  // namespace stiction
