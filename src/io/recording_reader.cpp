#include <algorithm>
#include <cstdint>

#include "io/hdf5.h"
#include "io/recording.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

RecordingHeader read_header(const Hdf5Reader& file) {
  if (!file.has("/version") || !file.has("/bodies")) {
    file.refuse("/version", "is missing: not a recording of stiction run");
  }
  const int version = file.integer("/version");
  if (version < kOldestRecording || version > kRecordingVersion) {
    file.refuse("/version", "is " + std::to_string(version) + ", expected " +
                                std::to_string(kOldestRecording) + " to " +
                                std::to_string(kRecordingVersion));
  }
  const auto width = [&file](const char* dataset) {
    const std::vector<std::size_t> shape = file.shape(dataset);
    if (shape.size() != 2) file.refuse(dataset, "expected rows and columns");
    return static_cast<int>(shape[1]);
  };
  RecordingHeader header;
  header.model = file.text("/model");
  header.solver = file.text("/solver");
  header.timestep = file.doubles("/timestep", 1)[0];
  header.tolerance = file.doubles("/tolerance", 1)[0];
  header.bodies = file.texts("/body_names");
  header.geoms = file.texts("/geom_names");
  header.scene = file.text("/scene");
  header.nq = width("/qpos");
  header.nv = width("/qvel");
  header.nu = width("/ctrl");
  if (version >= 3) header.na = width("/act");
  if (version < 5) return header;
  header.reasons = static_cast<std::size_t>(width("/report/missed_by"));
  header.theta = file.doubles("/theta", 1)[0];
  header.max_iterations = file.integer("/max_iterations");
  header.on_trouble = file.text("/on_trouble");
  header.joints = file.texts("/joint_names");
  header.joint_qpos = file.ints("/joint_qpos", header.joints.size());
  header.joint_dofs = file.ints("/joint_dof", header.joints.size());
  header.actuators = file.texts("/actuator_names");
  header.tendons = file.texts("/tendon_names");
  header.equalities = file.texts("/equality_names");
  header.sensors = file.texts("/sensor_names");
  header.sensor_types = file.texts("/sensor_types");
  header.sensor_begins = file.ints("/sensor_begin", header.sensors.size());
  header.sensor_size = width("/sensordata");
  return header;
}

// Returns how many whole rows there are.
std::size_t read_column(const Hdf5Reader& file, Column& column) {
  const std::vector<std::size_t> shape = file.shape(column.dataset());
  if (shape.empty() ||
      !std::equal(shape.begin() + 1, shape.end(), column.row.begin(), column.row.end())) {
    file.refuse(column.dataset(), "its rows have another shape than the other datasets say");
  }
  if (column.integer) {
    const std::vector<int> values = file.ints(column.dataset());
    column.values.assign(values.begin(), values.end());
  } else {
    column.values = file.doubles(column.dataset());
  }
  return shape[0];
}

// All of these, or what stands for those that are newer than the file. Returns how many whole rows
// there are.
std::size_t read_columns(const Hdf5Reader& file, const std::vector<Column*>& columns) {
  const int version = file.integer("/version");
  std::size_t rows = SIZE_MAX;
  for (Column* column : columns) {
    if (column->since > version || column->width() == 0) continue;
    rows = std::min(rows, read_column(file, *column));
  }
  for (Column* column : columns) {
    if (column->since > version) column->values.assign(rows * column->width(), column->unknown);
  }
  return rows;
}

VectorXd row_of(const Column& column, std::size_t row) {
  const auto width = static_cast<Eigen::Index>(column.width());
  return Eigen::Map<const VectorXd>(column.values.data() + row * width, width);
}

RecordedContact contact_of(const RecordingColumns& columns, std::size_t row) {
  RecordedContact contact;
  contact.p_W = row_of(columns.p, row);
  contact.n_W = row_of(columns.normal, row);
  contact.force_W = row_of(columns.force, row);
  contact.mu = columns.mu.values[row];
  contact.gap = columns.gap.values[row];
  contact.geom1 = static_cast<int>(columns.geoms.values[2 * row]);
  contact.geom2 = static_cast<int>(columns.geoms.values[2 * row + 1]);
  contact.body1 = static_cast<int>(columns.contact_bodies.values[2 * row]);
  contact.body2 = static_cast<int>(columns.contact_bodies.values[2 * row + 1]);
  contact.state = static_cast<int>(columns.state.values[row]);
  contact.id = columns.id[row];
  contact.residual = columns.contact_residual.values[row];
  return contact;
}

RecordingFrame frame_of(const RecordingColumns& columns, std::size_t row) {
  RecordingFrame frame;
  frame.time = columns.time.values[row];
  frame.qpos = row_of(columns.qpos, row);
  frame.qvel = row_of(columns.qvel, row);
  frame.ctrl = row_of(columns.ctrl, row);
  frame.act = row_of(columns.act, row);
  const VectorXd eq_active = row_of(columns.eq_active, row);
  frame.eq_active.assign(eq_active.begin(), eq_active.end());
  frame.sensordata = row_of(columns.sensordata, row);
  frame.actuator_force = row_of(columns.actuator_force, row);
  frame.joint_limit_force = row_of(columns.joint_limit_force, row);
  frame.joint_friction_force = row_of(columns.joint_friction_force, row);
  frame.tendon_limit_force = row_of(columns.tendon_limit_force, row);
  frame.tendon_friction_force = row_of(columns.tendon_friction_force, row);
  frame.equality_force = row_of(columns.equality_force, row).reshaped(6, eq_active.size());
  const VectorXd poses = row_of(columns.bodies, row);
  for (Eigen::Index k = 0; k < poses.size(); k += 7) {
    const auto x = poses.segment<7>(k);
    frame.bodies.push_back({x.head<3>(), Eigen::Quaterniond(x[3], x[4], x[5], x[6])});
  }
  frame.residual = columns.residual.values[row];
  frame.residual_by_type = row_of(columns.residual_by_type, row);
  frame.dynamics_defect = columns.dynamics_defect.values[row];
  frame.worst_constraint = columns.worst_constraint[row];
  frame.iterations = static_cast<int>(columns.iterations.values[row]);
  frame.status = static_cast<int>(columns.status.values[row]);
  frame.missed = columns.missed.values[row] != 0;
  const std::size_t reasons = std::min(columns.missed_by.width(), frame.missed_by.size());
  for (std::size_t k = 0; k < reasons; ++k) {
    frame.missed_by[k] = columns.missed_by.values[columns.missed_by.width() * row + k] != 0;
  }
  frame.energy = columns.energy.values[row];
  frame.energy_error = columns.energy_error.values[row];
  frame.max_penetration = columns.penetration.values[row];
  frame.equality_error = columns.equality_error.values[row];
  frame.solve_seconds = columns.solve_seconds.values[row];
  frame.step_seconds = columns.step_seconds.values[row];
  const auto begin = static_cast<std::size_t>(columns.offsets.values[row]);
  const auto end = static_cast<std::size_t>(columns.offsets.values[row + 1]);
  for (std::size_t k = begin; k < end; ++k) frame.contacts.push_back(contact_of(columns, k));
  const double clock_begin = row > 0 ? columns.clock_ends.values[row - 1] : 0;
  for (double k = clock_begin; k < columns.clock_ends.values[row]; ++k) {
    frame.clock.push_back(static_cast<int>(columns.clock.values[static_cast<std::size_t>(k)]));
  }
  return frame;
}

}  // namespace

Recording read_recording(const std::string& path) {
  const Hdf5Reader file(path);
  Recording recording;
  recording.header = read_header(file);
  RecordingColumns columns(recording.header);
  const std::size_t offsets = read_column(file, columns.offsets);
  if (offsets == 0) return recording;
  const int version = file.integer("/version");
  // A program that was killed while it wrote may leave datasets of different lengths: what is whole
  // counts.
  std::size_t contacts = read_columns(file, columns.of_contacts());
  columns.id.resize(contacts);
  if (version >= kContactIdsSince) columns.id = file.ids(kContactIds.dataset);
  contacts = std::min(contacts, columns.id.size());
  std::size_t frames = std::min(offsets - 1, read_columns(file, columns.of_frames()));
  columns.worst_constraint.resize(frames);
  if (version >= kWorstConstraintSince) {
    columns.worst_constraint = file.texts(kWorstConstraint.dataset);
  }
  frames = std::min(frames, columns.worst_constraint.size());
  const auto looks = static_cast<double>(read_column(file, columns.clock));
  for (std::size_t k = 0; k < frames; ++k) {
    const double looks_before = k > 0 ? columns.clock_ends.values[k - 1] : 0;
    const double looks_after = columns.clock_ends.values[k];
    if (looks_after < looks_before) file.refuse(columns.clock_ends.dataset(), "is falling");
    if (looks_after > looks) break;
    const double begin = columns.offsets.values[k];
    const double end = columns.offsets.values[k + 1];
    if (begin < 0 || end < begin) file.refuse(columns.offsets.dataset(), "is not rising");
    if (end > static_cast<double>(contacts)) break;
    recording.frames.push_back(frame_of(columns, k));
  }
  return recording;
}

}  // namespace stiction
