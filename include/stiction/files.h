// Files in and out: models, scenes to draw, contact problems, recordings, plots. Bad files throw
// InputError with file, line and element, or the dataset; nothing is dropped silently: whatever a
// model file holds that is not honoured comes back as a Note.
#pragma once

#include <stiction/error.h>
#include <stiction/model.h>
#include <stiction/problem.h>
#include <stiction/solve.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// Files out, whole or not at all: written under another name and put in place when complete, so
/// that a reader never sees half a file and a failure leaves what was there before. A regular file,
/// or none, is replaced by renaming, behind symbolic links if the path is one; into anything else
/// (a pipe, a device, the standard output) the bytes are copied.
class PartFile {
 public:
  /// Throws InputError if `path` is empty or a folder.
  explicit PartFile(std::string path);
  ~PartFile();  ///< removes the part unless it was committed
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& part() const { return part_; }  ///< write here
  /// Throws InputError if the part cannot take the target's place.
  void commit();

 private:
  std::string path_;
  std::string target_;  ///< to rename to; empty: copy into `path_`
  std::string part_;
  bool renamed_ = false;
};

/// A PartFile with this content. Throws InputError with the path.
void write_file(const std::string& path, const std::string& text);

enum class Severity { kPhysics, kCosmetic };

/// An element or attribute of the file that the model does not honour.
struct Note {
  Severity severity = Severity::kPhysics;
  std::string file{};
  int line = 0;
  std::string element{};  ///< as in the file: "joint 'hip'", "option"
  std::string message{};  ///< what is ignored, and what happens instead
};

struct Loaded {
  Model model{};
  std::vector<Note> notes{};
};

struct LoadOptions {
  bool floating_base = false;  ///< URDF only: free joint at the root link instead of a fixed base
  std::vector<std::string> package_paths{};  ///< URDF: where package://NAME/ may be found
};

/// MJCF or URDF, told apart by the root element.
Loaded load_model(const std::string& path, const LoadOptions& options = {});

/// What a program that draws needs of a model: bodies, joints, geoms with their shapes and colours,
/// meshes, cameras, lights. JSON; the viewer's page and recordings hold it. Fields: docs/viewer.md.
std::string scene_json(const Model& model);

/// RFC 4648 base 64, with padding: bytes inside JSON and HTML.
std::string base64(const void* data, std::size_t size);

/// A problem with a guess or solution that the file may hold.
struct StoredProblem {
  Problem problem;
  bool has_guess = false;
  Solution guess;  ///< v and lambda, `warm` set
};

/// Reads FCLIB's HDF5 form, global or local, or ours. A global problem's dofs are grouped into
/// bodies, so their order may differ from the file's. Throws InputError naming the dataset.
StoredProblem read_problem(const std::string& path);

enum class ProblemForm { kGlobal, kLocal };

/// Writes the problem, exactly, and beside it what FCLIB's readers understand: M, H, f, w, mu (or
/// W, q, mu) if all constraints are contacts, G and b if some are equalities. `guess` may be null.
void write_problem(const std::string& path, const Problem& problem, ProblemForm form,
                   const Solution* guess);

/// What a recording says once.
struct RecordingHeader {
  std::string model{};       ///< name
  std::string solver{};      ///< name
  double timestep = 0;       ///< s
  double tolerance = 0;      ///< on the scaled residual, m/s
  double theta = 0;          ///< of the integrator
  int max_iterations = 0;    ///< per solve; 0: the solver's own
  std::string on_trouble{};  ///< what is done about missed steps: warn, throw, retry, fallback
  int nq = 0;
  int nv = 0;
  int nu = 0;
  int na = 0;
  std::vector<std::string> bodies{};  ///< names, the world first; contacts refer to them by index
  std::vector<std::string> geoms{};   ///< names, likewise
  std::vector<std::string> joints{};  ///< names
  std::vector<int> joint_qpos{};      ///< where each begins in qpos
  std::vector<int> joint_dofs{};      ///< and in qvel
  std::vector<std::string> actuators{};
  std::vector<std::string> tendons{};
  std::vector<std::string> equalities{};
  std::vector<std::string> sensors{};
  std::vector<std::string> sensor_types{};  ///< "jointpos", "touch", ...
  std::vector<int> sensor_begins{};         ///< in sensordata
  int sensor_size = 0;                      ///< of sensordata
  std::size_t reasons = 5;                  ///< why steps are missed: how many are told apart
  std::size_t name_length = 64;  ///< bytes of the longest name of a constraint; more are cut
  std::string scene{};           ///< as from scene_json, or empty
};

/// A contact where it was when the step began.
struct RecordedContact {
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
  Eigen::Vector3d n_W = Eigen::Vector3d::Zero();      ///< from geom 1 to geom 2
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();  ///< on geom 2, N
  double mu = 0;
  double gap = 0;  ///< m
  int geom1 = -1;
  int geom2 = -1;
  int body1 = -1;
  int body2 = -1;
  int state = 0;         ///< 0 open, 1 stick, 2 slip
  std::uint64_t id = 0;  ///< the same from step to step
  double residual = 0;   ///< how far the contact is from its law, m/s
};

/// The state at a time, and the certificate of the step that led there.
struct RecordingFrame {
  double time = 0;  ///< s
  Eigen::VectorXd qpos{};
  Eigen::VectorXd qvel{};
  Eigen::VectorXd ctrl{};
  Eigen::VectorXd act{};
  std::vector<char> eq_active{};     ///< State::eq_active
  Eigen::VectorXd sensordata{};      ///< this and the next six: zero if empty
  Eigen::VectorXd actuator_force{};  ///< this and the next five: StepForces
  Eigen::VectorXd joint_limit_force{};
  Eigen::VectorXd joint_friction_force{};
  Eigen::VectorXd tendon_limit_force{};
  Eigen::VectorXd tendon_friction_force{};
  Eigen::Matrix<double, 6, Eigen::Dynamic> equality_force{};
  std::vector<Pose> bodies{};  ///< X_WB
  std::vector<RecordedContact> contacts{};
  double residual = 0;  ///< scaled, m/s
  /// Parts of it: contact, unilateral, equality, soft, joint friction, joint limit, as in Residual.
  Eigen::Matrix<double, 6, 1> residual_by_type = Eigen::Matrix<double, 6, 1>::Zero();
  double dynamics_defect = 0;      ///< Residual::dynamics
  std::string worst_constraint{};  ///< by name
  int iterations = 0;
  int status = -1;      ///< of Status; -1: not known
  bool missed = false;  ///< the tolerance
  /// Why: residual, reach, force limits, energy, equality, as in Miss.
  std::array<bool, 5> missed_by{};
  double energy = 0;           ///< J
  double energy_error = 0;     ///< J
  double max_penetration = 0;  ///< m
  double equality_error = 0;   ///< m or rad
  double solve_seconds = 0;
  double step_seconds = 0;
  std::vector<int> clock{};  ///< StepReport::clock
};

/// Writes a recording as HDF5 (src/io/README.md has its datasets). The file is complete from the
/// start and whenever no flush is under way, which happens twice a second or more often: a run that
/// is killed, or whose disk is full, loses at most that. Throws InputError if the file cannot be
/// written.
class RecordingWriter {
 public:
  RecordingWriter(const std::string& path, const RecordingHeader& header);
  ~RecordingWriter();  ///< flushes what is left, as far as possible
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  void add(const RecordingFrame& frame);
  void flush();

 private:
  struct Rows;
  std::size_t waiting() const;  ///< values that are not yet in the file

  std::string path_;
  std::unique_ptr<Rows> rows_;  ///< not yet in the file
  int contact_count_ = 0;
  int clock_count_ = 0;
  std::size_t written_ = 0;  ///< values
  std::chrono::steady_clock::time_point last_flush_;
};

struct Recording {
  RecordingHeader header{};
  std::vector<RecordingFrame> frames{};
};

/// Of version 2 to 5. What an older file does not have is zero, empty, or -1 for statuses and
/// bodies of contacts: before 5, all about joints, actuators, tendons, equalities and sensors, why
/// steps were missed, and theta; before 4, bodies of contacts, names of worst constraints, parts of
/// the residual, the dynamics' defect and open equalities; before 3, activations, ids and residuals
/// of contacts.
Recording read_recording(const std::string& path);

enum class PlotStyle {
  kLine,
  kPoints,
  kBars,  ///< groups at x = 0, 1, ..., side by side with the panel's other bars
};

struct PlotLine {
  std::string name;  ///< in the legend; empty: not in it
  std::vector<double> x;
  std::vector<double> y;
  PlotStyle style = PlotStyle::kLine;
  std::vector<double> low{};  ///< a band around the line, or empty
  std::vector<double> high{};
  std::string color{};  ///< "#rrggbb"; empty: the next of the palette
  bool dashed = false;
};

struct PlotPanel {
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<PlotLine> lines;
  std::string title{};
  std::vector<std::string> x_names{};  ///< what stands at x = 0, 1, ... instead of numbers
  Range y_range{};
};

/// Throws InputError, with the picture's path, if gnuplot is missing, which plot_png needs.
void require_gnuplot(const std::string& path);

/// Draws panels with gnuplot, up to three side by side, each with its legend, and a caption below
/// all. Points that a logarithmic axis cannot show are left out. Throws InputError if gnuplot is
/// missing or the file cannot be written.
void plot_png(const std::string& path, const std::string& title,
              const std::vector<PlotPanel>& panels, const std::string& caption = "");

}  // namespace stiction
