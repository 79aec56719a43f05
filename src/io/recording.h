// The datasets of a recording, stated once for writer and reader: which field is where.
#pragma once

#include <stiction/files.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stiction {

/// A growing dataset, and its rows that are not yet in the file or came from it. Integers are kept
/// as reals, which hold them exactly.
struct Column {
  const char* dataset;
  bool integer = false;
  std::vector<std::size_t> row{};
  std::vector<double> values{};

  std::size_t width() const {
    std::size_t product = 1;
    for (std::size_t side : row) product *= side;
    return product;
  }
};

constexpr const char* kContactIds = "/contacts/id";

struct RecordingColumns {
  explicit RecordingColumns(const RecordingHeader& header)
      : qpos{"/qpos", false, {static_cast<std::size_t>(header.nq)}},
        qvel{"/qvel", false, {static_cast<std::size_t>(header.nv)}},
        ctrl{"/ctrl", false, {static_cast<std::size_t>(header.nu)}},
        act{"/act", false, {static_cast<std::size_t>(header.na)}},
        bodies{"/bodies", false, {header.bodies.size(), 7}} {}

  Column time{"/time"};
  Column qpos;
  Column qvel;
  Column ctrl;
  Column act;
  Column bodies;  ///< position, quaternion w x y z
  Column residual{"/report/residual"};
  Column iterations{"/report/iterations", true};
  Column missed{"/report/missed", true};
  Column energy{"/report/energy"};
  Column energy_error{"/report/energy_error"};
  Column penetration{"/report/penetration"};
  Column solve_seconds{"/report/solve_seconds"};
  Column step_seconds{"/report/step_seconds"};

  Column p{"/contacts/p", false, {3}};
  Column normal{"/contacts/normal", false, {3}};
  Column force{"/contacts/force", false, {3}};
  Column mu{"/contacts/mu"};
  Column gap{"/contacts/gap"};
  Column geoms{"/contacts/geoms", true, {2}};
  Column state{"/contacts/state", true};
  Column contact_residual{"/contacts/residual"};
  std::vector<std::uint64_t> id;              ///< /contacts/id, which no real holds
  Column offsets{"/contacts/offsets", true};  ///< frame k has the contacts [k] to [k + 1)
  Column clock{"/report/clock", true};
  Column clock_ends{"/report/clock_ends", true};  ///< the last number of frame k is before [k]

  std::vector<Column*> of_frames() {
    return {&time,         &qpos,        &qvel,          &ctrl,         &act,
            &bodies,       &residual,    &iterations,    &missed,       &energy,
            &energy_error, &penetration, &solve_seconds, &step_seconds, &clock_ends};
  }
  std::vector<Column*> of_contacts() {
    return {&p, &normal, &force, &mu, &gap, &geoms, &state, &contact_residual};
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
