#include "replay.h"

#include <stiction/error.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "page.h"

namespace stiction::viewer {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

constexpr double kFrameTime = 1.0 / 60;  // s
constexpr double kLength = 2e-5;         // m: a pixel of a screen that shows four centimetres
constexpr double kTurn = 1.0 / 16384;    // of quaternions and normals
constexpr double kPosition = 1e-5;       // rad or m, of joints
constexpr double kForceSteps = 2000;     // from zero to the largest force
constexpr int kContactFields = 13;       // point, normal, force, mu, geom 1, geom 2, state
using ContactRow = std::array<std::int64_t, kContactFields>;

class Writer {
 public:
  void bytes(const void* data, size_t size) { out.append(static_cast<const char*>(data), size); }
  void u32(size_t value) {
    const auto word = static_cast<std::uint32_t>(value);
    bytes(&word, sizeof word);
  }
  void f32(double value) {
    const auto narrow = static_cast<float>(value);
    bytes(&narrow, sizeof narrow);
  }
  // Zigzag, seven bits to a byte, the last without its top bit.
  void integer(std::int64_t value) {
    auto left = value >= 0 ? 2 * static_cast<std::uint64_t>(value)
                           : 2 * static_cast<std::uint64_t>(-(value + 1)) + 1;
    for (; left >= 128; left /= 128) out += static_cast<char>(left % 128 + 128);
    out += static_cast<char>(left);
  }
  std::string out;
};

std::int64_t quantized(double value, double unit) {
  constexpr double kMost = 1e12;  // a body that has flown away
  if (!std::isfinite(value)) return 0;
  return std::llround(std::clamp(value / unit, -kMost, kMost));
}

std::vector<const RecordingFrame*> thinned(const Recording& recording) {
  std::vector<const RecordingFrame*> kept;
  for (const RecordingFrame& frame : recording.frames) {
    if (kept.empty() || frame.time >= kept.back()->time + kFrameTime - 1e-6) kept.push_back(&frame);
  }
  return kept;
}

template <class Value>
void write_series(Writer& out, const std::vector<const RecordingFrame*>& frames, double unit,
                  const Value& value) {
  std::int64_t last = 0;
  for (const RecordingFrame* frame : frames) {
    const std::int64_t now = quantized(value(*frame), unit);
    out.integer(now - last);
    last = now;
  }
}

std::array<double, 7> numbers(const Pose& X) {
  return {X.p.x(), X.p.y(), X.p.z(), X.q.w(), X.q.x(), X.q.y(), X.q.z()};
}

// A quaternion and its negative turn alike; the one nearer to the last keeps differences small.
std::vector<std::vector<std::array<double, 7>>> continuous_poses(
    const std::vector<const RecordingFrame*>& frames) {
  std::vector<std::vector<std::array<double, 7>>> poses;
  for (const RecordingFrame* frame : frames) {
    poses.emplace_back();
    for (size_t b = 0; b < frame->bodies.size(); ++b) {
      std::array<double, 7> now = numbers(frame->bodies[b]);
      if (poses.size() > 1) {
        const auto& last = poses[poses.size() - 2][b];
        double dot = 0;
        for (int k = 3; k < 7; ++k) dot += last[k] * now[k];
        for (int k = 3; dot < 0 && k < 7; ++k) now[k] = -now[k];
      }
      poses.back().push_back(now);
    }
  }
  return poses;
}

void write_poses(Writer& out, const std::vector<std::vector<std::array<double, 7>>>& poses,
                 const std::vector<int>& moving) {
  for (const auto& pose : poses.front()) {
    for (double value : pose) out.f32(value);
  }
  for (int body : moving) {
    for (int k = 0; k < 7; ++k) {
      std::int64_t last = 0;
      for (const auto& frame : poses) {
        const std::int64_t now = quantized(frame[body][k], k < 3 ? kLength : kTurn);
        out.integer(now - last);
        last = now;
      }
    }
  }
}

ContactRow row_of(const RecordedContact& contact, double force_unit) {
  ContactRow row{};
  for (int k = 0; k < 3; ++k) {
    row[k] = quantized(contact.p_W[k], kLength);
    row[3 + k] = quantized(contact.n_W[k], kTurn);
    row[6 + k] = quantized(contact.force_W[k], force_unit);
  }
  row[9] = quantized(contact.mu, 1e-3);
  row[10] = contact.geom1;
  row[11] = contact.geom2;
  row[12] = contact.state;
  return row;
}

// The contact of the last frame that is most likely the same: same geoms, nearest point; each is
// taken once. Number from one; 0: none.
int continued(const ContactRow& row, const std::vector<ContactRow>& before,
              std::vector<char>& taken) {
  int best = 0;
  std::int64_t nearest = 0;
  for (size_t k = 0; k < before.size(); ++k) {
    if (taken[k] || before[k][10] != row[10] || before[k][11] != row[11]) continue;
    std::int64_t distance = 0;
    for (int i = 0; i < 3; ++i) distance += std::abs(before[k][i] - row[i]);
    if (best != 0 && distance >= nearest) continue;
    best = static_cast<int>(k) + 1;
    nearest = distance;
  }
  if (best != 0) taken[best - 1] = 1;
  return best;
}

void write_contacts(Writer& out, const std::vector<const RecordingFrame*>& frames,
                    double force_unit) {
  std::vector<ContactRow> before;
  for (const RecordingFrame* frame : frames) {
    out.integer(static_cast<std::int64_t>(frame->contacts.size()));
    std::vector<ContactRow> now;
    std::vector<char> taken(before.size(), 0);
    int expected = 1;
    for (const RecordedContact& contact : frame->contacts) {
      now.push_back(row_of(contact, force_unit));
      const int source = continued(now.back(), before, taken);
      out.integer(source - expected);
      expected = source + 1;
      for (int k = 0; k < kContactFields; ++k) {
        out.integer(now.back()[k] - (source > 0 ? before[source - 1][k] : 0));
      }
    }
    before.swap(now);
  }
}

double largest_force(const std::vector<const RecordingFrame*>& frames) {
  double largest = 0;
  for (const RecordingFrame* frame : frames) {
    for (const RecordedContact& contact : frame->contacts) {
      if (contact.force_W.allFinite()) largest = std::max(largest, contact.force_W.norm());
    }
  }
  return largest;
}

// A bit per reason; one more where an older recording has none.
double missed_by(const RecordingFrame& frame) {
  double bits = 0;
  for (size_t k = 0; k < frame.missed_by.size(); ++k) bits += frame.missed_by[k] ? 1 << k : 0;
  return frame.missed && bits == 0 ? 1 << frame.missed_by.size() : bits;
}

void write_report(Writer& out, const std::vector<const RecordingFrame*>& frames) {
  const auto column = [&](auto value) {
    for (const RecordingFrame* frame : frames) out.f32(value(*frame));
  };
  column([](const RecordingFrame& f) { return f.residual; });
  column([](const RecordingFrame& f) { return f.max_penetration; });
  column([](const RecordingFrame& f) { return f.energy; });
  column([](const RecordingFrame& f) { return f.solve_seconds; });
  column([](const RecordingFrame& f) { return f.step_seconds; });
  column([](const RecordingFrame& f) { return double(f.iterations); });
  column([](const RecordingFrame& f) { return missed_by(f); });
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  out.resize(size);
  return out;
}

}  // namespace

std::string encode_recording(const Recording& recording, const std::string& title,
                             const std::string& sentence) {
  if (recording.frames.empty()) throw InputError(title + ": the recording holds no frames");
  const json scene = json::parse(recording.header.scene, nullptr, false);
  if (!scene.is_object()) throw InputError(title + ": the recording holds no scene to draw");
  const std::vector<const RecordingFrame*> frames = thinned(recording);
  const auto poses = continuous_poses(frames);
  std::vector<int> moving;
  for (size_t b = 0; b < scene.at("bodies").size(); ++b) {
    if (scene["bodies"][b].at("moves").get<bool>()) moving.push_back(static_cast<int>(b));
  }
  const double force_unit = std::max(largest_force(frames) / kForceSteps, 1e-9);
  const int nq = recording.header.nq;
  const json header = {
      {"title", title},
      {"sentence", sentence},
      {"scene", scene},
      {"solver", recording.header.solver},
      {"tolerance", recording.header.tolerance},
      {"frames", frames.size()},
      {"moving", moving},
      {"positions", nq},
      {"units",
       {{"length", kLength}, {"turn", kTurn}, {"position", kPosition}, {"force", force_unit}}}};
  Writer out;
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  out.u32(text.size());
  out.bytes(text.data(), text.size());
  for (const RecordingFrame* frame : frames) out.bytes(&frame->time, sizeof frame->time);
  write_report(out, frames);
  write_poses(out, poses, moving);
  for (int q = 0; q < nq; ++q) {
    write_series(out, frames, kPosition, [q](const RecordingFrame& f) { return f.qpos[q]; });
  }
  write_contacts(out, frames, force_unit);
  const std::string block = deflated(out.out);
  return base64(block.data(), block.size());
}

std::string replay_page(const std::string& encoded) {
  std::string document = page();
  const std::string mark = "<!-- recording -->";
  document.replace(document.find(mark), mark.size(),
                   "<script type=\"text/plain\" id=\"recording\">" + encoded + "</script>");
  return document;
}

}  // namespace stiction::viewer
