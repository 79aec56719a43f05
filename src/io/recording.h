// The datasets of a recording, stated once for writer and reader: which field is where, in which
// unit, and what it means. Units and meanings are attributes in the file.
#pragma once

#include <stiction/files.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stiction {

constexpr int kRecordingVersion = 6;
constexpr int kOldestRecording = 2;

/// What a dataset is; "1" is the unit of a pure number, "" that of what is none.
struct DatasetInfo {
  const char* dataset;
  const char* unit;
  const char* description;
};

/// A growing dataset, and its rows that are not yet in the file or came from it. Integers are kept
/// as reals, which hold them exactly.
struct Column {
  DatasetInfo info;
  bool integer = false;
  std::vector<std::size_t> row{};
  int since = kOldestRecording;  ///< version
  double unknown = 0;            ///< what stands for it where an older file is read
  std::vector<double> values{};

  const char* dataset() const { return info.dataset; }
  std::size_t width() const {
    std::size_t product = 1;
    for (std::size_t side : row) product *= side;
    return product;
  }
};

constexpr DatasetInfo kContactIds{"/contacts/id", "", "the same from step to step"};
constexpr int kContactIdsSince = 3;
constexpr DatasetInfo kWorstConstraint{"/report/worst_constraint", "",
                                       "name of the constraint with the largest residual"};
constexpr int kWorstConstraintSince = 4;

/// What is written once.
constexpr DatasetInfo kConstants[] = {
    {"/version", "1", "of this format; src/io/README.md of Stiction describes it"},
    {"/model", "", "name of the model"},
    {"/solver", "", "name of the solver"},
    {"/timestep", "s", "length of a step"},
    {"/tolerance", "m/s", "on report/residual"},
    {"/theta", "1", "of the integrator: positions move with theta v + (1 - theta) v+"},
    {"/max_iterations", "1", "of a solve; 0: the solver's own"},
    {"/on_trouble", "", "what is done about missed steps: warn, throw, retry or fallback"},
    {"/body_names", "", "names by index, the world first; 'body #k' if the model has none"},
    {"/geom_names", "", "names by index; 'geom #k' if the model has none"},
    {"/joint_names", "", "names by index; 'joint #k' if the model has none"},
    {"/joint_qpos", "", "per joint: its first column in qpos"},
    {"/joint_dof", "", "per joint: its first column in qvel and in the forces by dof"},
    {"/actuator_names", "", "names by column of ctrl; 'actuator #k' if the model has none"},
    {"/tendon_names", "", "names by index; 'tendon #k' if the model has none"},
    {"/equality_names", "", "names by column of eq_active; 'equality #k' if the model has none"},
    {"/sensor_names", "", "names by index; 'sensor #k' if the model has none"},
    {"/sensor_types", "", "per sensor: its element in MJCF"},
    {"/sensor_begin", "", "per sensor: its first column in sensordata"},
    {"/scene", "", "JSON: what a program needs to draw the model"},
};

struct RecordingColumns {
  explicit RecordingColumns(const RecordingHeader& header)
      : qpos{{"/qpos", "m, rad, 1",
              "joint positions at the end of the step: hinge angle, slide way, quaternion w x y z "
              "of a ball, position and quaternion of a free joint"},
             false,
             {static_cast<std::size_t>(header.nq)}},
        qvel{{"/qvel", "m/s, rad/s",
              "joint velocities at the end of the step; of free joints linear in world axes, then "
              "angular in body axes"},
             false,
             {static_cast<std::size_t>(header.nv)}},
        ctrl{{"/ctrl", "as the actuators", "controls of the step"},
             false,
             {static_cast<std::size_t>(header.nu)}},
        act{{"/act", "as the actuators", "activations at the end of the step"},
            false,
            {static_cast<std::size_t>(header.na)},
            3},
        eq_active{{"/eq_active", "", "1: the equality constraint is switched on in the step"},
                  true,
                  {header.equalities.size()},
                  5},
        sensordata{{"/sensordata", "as the sensors",
                    "readings as MuJoCo defines them: positions and velocities at the end of the "
                    "step, accelerations and forces as means over it"},
                   false,
                   {static_cast<std::size_t>(header.sensor_size)},
                   5},
        actuator_force{{"/forces/actuator", "N or N m",
                        "of every actuator, before its gear, at the end of the step"},
                       false,
                       {static_cast<std::size_t>(header.nu)},
                       5},
        joint_limit_force{
            {"/forces/joint_limit", "N or N m", "of joint limits on every dof, mean of the step"},
            false,
            {static_cast<std::size_t>(header.nv)},
            5},
        joint_friction_force{{"/forces/joint_friction", "N or N m",
                              "of dry joint friction on every dof, mean of the step"},
                             false,
                             {static_cast<std::size_t>(header.nv)},
                             5},
        tendon_limit_force{{"/forces/tendon_limit", "N",
                            "of the limits of every tendon, mean of the step; positive lengthens "
                            "it"},
                           false,
                           {header.tendons.size()},
                           5},
        tendon_friction_force{{"/forces/tendon_friction", "N",
                               "of the dry friction of every tendon, mean of the step; positive "
                               "lengthens it"},
                              false,
                              {header.tendons.size()},
                              5},
        equality_force{{"/forces/equality", "N, N m",
                        "of every equality constraint, mean of the step: connect, weld: force on "
                        "body 1 at the anchor, torque, world axes; joint, tendon: force on the "
                        "first of the two, zeros"},
                       false,
                       {header.equalities.size(), 6},
                       5},
        bodies{{"/bodies", "m, 1",
                "pose of every body in the world at the end of the step: x y z, quaternion w x y "
                "z"},
               false,
               {header.bodies.size(), 7}},
        missed_by{{"/report/missed_by", "1",
                   "1 where it is a reason: residual above the tolerance, contacts and limits that "
                   "come up within the step do not settle, force limits of actuators do not "
                   "settle, energy is not finite, equalities come open"},
                  true,
                  {header.reasons},
                  5},
        name_length(std::max<std::size_t>(header.name_length, 1)) {}

  Column time{{"/time", "s", "at the end of the step"}};
  Column qpos;
  Column qvel;
  Column ctrl;
  Column act;
  Column eq_active;
  Column sensordata;
  Column actuator_force;
  Column joint_limit_force;
  Column joint_friction_force;
  Column tendon_limit_force;
  Column tendon_friction_force;
  Column equality_force;
  Column bodies;
  Column residual{{"/report/residual", "m/s", "scaled residual of the step's contact problem"}};
  Column residual_by_type{{"/report/residual_by_type", "m/s",
                           "parts of the residual: contact, unilateral, equality, soft, joint "
                           "friction, joint limit"},
                          false,
                          {6},
                          4};
  Column dynamics_defect{
      {"/report/dynamics_defect", "1", "|A v - b - J^T lambda| / |b|"}, false, {}, 4};
  Column iterations{{"/report/iterations", "1", "of the solver"}, true};
  Column status{{"/report/status", "",
                 "what ended the solve: 0 solved, 1 iteration limit, 2 time limit, 3 stalled, 4 "
                 "regularized, 5 failed"},
                true,
                {},
                5,
                -1};
  Column missed{{"/report/missed", "1", "1: the step missed the tolerance"}, true};
  Column missed_by;
  Column energy{{"/report/energy", "J", "kinetic and potential, at the end of the step"}};
  Column energy_error{
      {"/report/energy_error", "J", "change of energy that neither work nor dissipation explains"}};
  Column penetration{{"/report/penetration", "m", "largest, at the start of the step"}};
  Column equality_error{{"/report/equality_error", "m or rad",
                         "how far the worst equality constraint is open at the end of the step"},
                        false,
                        {},
                        4};
  Column solve_seconds{{"/report/solve_seconds", "s", "wall clock of the solve"}};
  Column step_seconds{{"/report/step_seconds", "s", "wall clock of the step"}};

  Column p{{"/contacts/p", "m", "place at the start of the step, world axes"}, false, {3}};
  Column normal{{"/contacts/normal", "1", "from geom 1 to geom 2, world axes"}, false, {3}};
  Column force{{"/contacts/force", "N", "on geom 2, world axes, mean of the step"}, false, {3}};
  Column mu{{"/contacts/mu", "1", "coefficient of friction"}};
  Column gap{{"/contacts/gap", "m", "at the start of the step; negative: an overlap"}};
  Column geoms{{"/contacts/geoms", "", "geom 1 and geom 2, indices into geom_names"}, true, {2}};
  Column contact_bodies{
      {"/contacts/bodies", "", "their bodies, indices into body_names"}, true, {2}, 4, -1};
  Column state{{"/contacts/state", "", "0 open, 1 stick, 2 slip"}, true};
  Column contact_residual{
      {"/contacts/residual", "m/s", "distance from the contact's law"}, false, {}, 3};
  std::vector<std::uint64_t> id;              ///< kContactIds, which no real holds
  std::vector<std::string> worst_constraint;  ///< kWorstConstraint
  std::size_t name_length;                    ///< of these
  Column offsets{
      {"/contacts/offsets", "", "the contacts of frame k begin at [k] and end before [k + 1]"},
      true};
  Column clock{{"/report/clock", "1", "when time was up, for stiction run --repeat"}, true};
  Column clock_ends{{"/report/clock_ends", "", "numbers of report/clock up to frame k"}, true};

  std::vector<Column*> of_frames() {
    return {&time,
            &qpos,
            &qvel,
            &ctrl,
            &act,
            &eq_active,
            &sensordata,
            &actuator_force,
            &joint_limit_force,
            &joint_friction_force,
            &tendon_limit_force,
            &tendon_friction_force,
            &equality_force,
            &bodies,
            &residual,
            &residual_by_type,
            &iterations,
            &status,
            &missed,
            &missed_by,
            &energy,
            &dynamics_defect,
            &energy_error,
            &penetration,
            &equality_error,
            &solve_seconds,
            &step_seconds,
            &clock_ends};
  }
  std::vector<Column*> of_contacts() {
    return {&p, &normal, &force, &mu, &gap, &geoms, &contact_bodies, &state, &contact_residual};
  }
  std::vector<Column*> all() {
    std::vector<Column*> columns = of_frames();
    for (Column* column : of_contacts()) columns.push_back(column);
    columns.push_back(&offsets);
    columns.push_back(&clock);
    return columns;
  }
};

}  // namespace stiction
