// Recordings: what is written comes back, and a killed run leaves a file that can be read.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <signal.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "io/hdf5.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

class RecordingTest : public testing::Test {
 protected:
  RecordingTest()
      : path_((fs::temp_directory_path() / ("stiction_rec_" + std::to_string(getpid()) + ".h5"))
                  .string()) {}
  ~RecordingTest() override { fs::remove(path_); }

  std::string path_;
};

RecordingHeader sample_header() {
  RecordingHeader header;
  header.model = "two bodies";
  header.solver = "grip";
  header.timestep = 0.01;
  header.tolerance = 1e-8;
  header.nq = 8;
  header.nv = 7;
  header.nu = 0;
  header.na = 2;
  header.theta = 0.25;
  header.max_iterations = 17;
  header.on_trouble = "retry";
  header.joints = {"free", "hinge"};
  header.joint_qpos = {0, 7};
  header.joint_dofs = {0, 6};
  header.tendons = {"t"};
  header.equalities = {"weld", "equality #1"};
  header.sensors = {"where", "touched"};
  header.sensor_types = {"framepos", "touch"};
  header.sensor_begins = {0, 3};
  header.sensor_size = 4;
  header.bodies = {"world", "a", "longer name"};
  header.geoms = {"", "floor"};
  header.scene = "{\"geoms\": []}";
  return header;
}

RecordingFrame sample_frame(int k) {
  std::mt19937 random(k);
  std::uniform_real_distribution<double> number(-1, 1);
  RecordingFrame frame;
  frame.time = 0.01 * k;
  frame.qpos = Eigen::VectorXd::NullaryExpr(8, [&] { return number(random); });
  frame.qvel = Eigen::VectorXd::NullaryExpr(7, [&] { return number(random); });
  frame.act = Eigen::Vector2d(number(random), k);
  const auto numbers = [&](int size) -> Eigen::VectorXd {
    return Eigen::VectorXd::NullaryExpr(size, [&] { return number(random); });
  };
  frame.eq_active = {static_cast<char>(k % 2), 1};
  frame.sensordata = numbers(4);
  frame.joint_limit_force = numbers(7);
  frame.joint_friction_force = numbers(7);
  frame.tendon_limit_force = numbers(1);
  frame.tendon_friction_force = numbers(1);
  frame.equality_force = numbers(12).reshaped(6, 2);
  for (int b = 0; b < 3; ++b) {
    frame.bodies.push_back({Eigen::Vector3d::Constant(number(random)),
                            Eigen::Quaterniond(number(random), 1, b, number(random))});
  }
  for (int c = 0; c < k % 4; ++c) {
    RecordedContact contact;
    contact.p_W << number(random), c, k;
    contact.n_W << 0, 0, 1;
    contact.force_W << c, number(random), 3;
    contact.mu = number(random);
    contact.gap = number(random);
    contact.geom1 = c;
    contact.geom2 = k;
    contact.body1 = c + 5;
    contact.body2 = -c;
    contact.state = c % 3;
    contact.id = ~std::uint64_t{0} - c - 1000 * k;  // no real holds it
    contact.residual = number(random);
    frame.contacts.push_back(contact);
  }
  frame.residual = number(random);
  frame.residual_by_type << k, 2, number(random), 4, 5, number(random);
  frame.dynamics_defect = number(random);
  frame.worst_constraint = k % 5 == 0 ? "" : "contact 'a' - 'b" + std::to_string(k) + "'";
  frame.iterations = k;
  frame.status = k % 6;
  frame.missed = k % 2 == 1;
  frame.missed_by = {k % 2 == 1, false, k % 3 == 1, false, k % 5 == 1};
  frame.energy = number(random);
  frame.energy_error = number(random);
  frame.max_penetration = number(random);
  frame.equality_error = number(random);
  frame.solve_seconds = number(random);
  frame.step_seconds = number(random);
  frame.clock.assign(k % 3, k);
  return frame;
}

void expect_equal(const RecordingFrame& a, const RecordingFrame& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.qpos, b.qpos);
  EXPECT_EQ(a.qvel, b.qvel);
  EXPECT_EQ(a.ctrl.size(), b.ctrl.size());
  EXPECT_EQ(a.act, b.act);
  EXPECT_EQ(a.eq_active, b.eq_active);
  EXPECT_EQ(a.sensordata, b.sensordata);
  EXPECT_EQ(a.actuator_force.size(), b.actuator_force.size());
  EXPECT_EQ(a.joint_limit_force, b.joint_limit_force);
  EXPECT_EQ(a.joint_friction_force, b.joint_friction_force);
  EXPECT_EQ(a.tendon_limit_force, b.tendon_limit_force);
  EXPECT_EQ(a.tendon_friction_force, b.tendon_friction_force);
  EXPECT_EQ(a.equality_force, b.equality_force);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (size_t k = 0; k < a.bodies.size(); ++k) {
    EXPECT_EQ(a.bodies[k].p, b.bodies[k].p);
    EXPECT_EQ(a.bodies[k].q.coeffs(), b.bodies[k].q.coeffs());
  }
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  for (size_t k = 0; k < a.contacts.size(); ++k) {
    EXPECT_EQ(a.contacts[k].p_W, b.contacts[k].p_W);
    EXPECT_EQ(a.contacts[k].n_W, b.contacts[k].n_W);
    EXPECT_EQ(a.contacts[k].force_W, b.contacts[k].force_W);
    EXPECT_EQ(a.contacts[k].mu, b.contacts[k].mu);
    EXPECT_EQ(a.contacts[k].gap, b.contacts[k].gap);
    EXPECT_EQ(a.contacts[k].geom1, b.contacts[k].geom1);
    EXPECT_EQ(a.contacts[k].geom2, b.contacts[k].geom2);
    EXPECT_EQ(a.contacts[k].body1, b.contacts[k].body1);
    EXPECT_EQ(a.contacts[k].body2, b.contacts[k].body2);
    EXPECT_EQ(a.contacts[k].state, b.contacts[k].state);
    EXPECT_EQ(a.contacts[k].id, b.contacts[k].id);
    EXPECT_EQ(a.contacts[k].residual, b.contacts[k].residual);
  }
  EXPECT_EQ(a.residual, b.residual);
  EXPECT_EQ(a.residual_by_type, b.residual_by_type);
  EXPECT_EQ(a.dynamics_defect, b.dynamics_defect);
  EXPECT_EQ(a.worst_constraint, b.worst_constraint);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.missed, b.missed);
  EXPECT_EQ(a.missed_by, b.missed_by);
  EXPECT_EQ(a.energy, b.energy);
  EXPECT_EQ(a.energy_error, b.energy_error);
  EXPECT_EQ(a.max_penetration, b.max_penetration);
  EXPECT_EQ(a.equality_error, b.equality_error);
  EXPECT_EQ(a.solve_seconds, b.solve_seconds);
  EXPECT_EQ(a.step_seconds, b.step_seconds);
  EXPECT_EQ(a.clock, b.clock);
}

TEST_F(RecordingTest, ComesBackBitByBit) {
  {
    RecordingWriter writer(path_, sample_header());
    for (int k = 0; k < 1000; ++k) {
      writer.add(sample_frame(k));
      if (k % 300 == 7) writer.flush();  // several appends, across chunks
    }
  }
  const Recording recording = read_recording(path_);
  EXPECT_EQ(recording.header.model, "two bodies");
  EXPECT_EQ(recording.header.solver, "grip");
  EXPECT_EQ(recording.header.timestep, 0.01);
  EXPECT_EQ(recording.header.tolerance, 1e-8);
  EXPECT_EQ(recording.header.nq, 8);
  EXPECT_EQ(recording.header.nv, 7);
  EXPECT_EQ(recording.header.nu, 0);
  EXPECT_EQ(recording.header.theta, 0.25);
  EXPECT_EQ(recording.header.max_iterations, 17);
  EXPECT_EQ(recording.header.on_trouble, "retry");
  EXPECT_EQ(recording.header.joints, sample_header().joints);
  EXPECT_EQ(recording.header.joint_qpos, sample_header().joint_qpos);
  EXPECT_EQ(recording.header.joint_dofs, sample_header().joint_dofs);
  EXPECT_EQ(recording.header.actuators, sample_header().actuators);
  EXPECT_EQ(recording.header.tendons, sample_header().tendons);
  EXPECT_EQ(recording.header.equalities, sample_header().equalities);
  EXPECT_EQ(recording.header.sensors, sample_header().sensors);
  EXPECT_EQ(recording.header.sensor_types, sample_header().sensor_types);
  EXPECT_EQ(recording.header.sensor_begins, sample_header().sensor_begins);
  EXPECT_EQ(recording.header.sensor_size, 4);
  EXPECT_EQ(recording.header.bodies, sample_header().bodies);
  EXPECT_EQ(recording.header.geoms, sample_header().geoms);
  EXPECT_EQ(recording.header.scene, sample_header().scene);
  EXPECT_EQ(Hdf5Reader(path_).shape("/ctrl"), (std::vector<size_t>{1000, 0}));
  ASSERT_EQ(recording.frames.size(), 1000u);
  for (int k = 0; k < 1000; ++k) expect_equal(recording.frames[k], sample_frame(k));
}

// Whoever has no sensors and no forces to tell of leaves them out.
TEST_F(RecordingTest, ForcesThatAreNotGivenAreZero) {
  RecordingFrame frame = sample_frame(1);
  frame.sensordata.resize(0);
  frame.joint_limit_force.resize(0);
  frame.equality_force.resize(6, 0);
  {
    RecordingWriter writer(path_, sample_header());
    writer.add(frame);
    frame.sensordata.resize(2);
    EXPECT_THROW(writer.add(frame), InputError);
  }
  const Recording recording = read_recording(path_);
  ASSERT_EQ(recording.frames.size(), 1u);
  EXPECT_EQ(recording.frames[0].sensordata, Eigen::VectorXd::Zero(4));
  EXPECT_EQ(recording.frames[0].joint_limit_force, Eigen::VectorXd::Zero(7));
  EXPECT_EQ(recording.frames[0].equality_force, Eigen::MatrixXd::Zero(6, 2));
}

std::string attribute_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return "missing";
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  char* text = nullptr;
  if (H5Aread(attribute.id(), type.id(), &text) < 0) return "unreadable";
  std::string copy = text;
  H5free_memory(text);
  return copy;
}

// Nobody should have to look a unit up.
TEST_F(RecordingTest, EveryDatasetHasAUnitAndADescription) {
  { RecordingWriter writer(path_, sample_header()); }
  std::map<std::string, std::string> units;
  const auto visit = [](hid_t group, const char* name, const H5L_info_t*, void* result) {
    const Hdf5Handle dataset(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
    if (H5Iget_type(dataset.id()) != H5I_DATASET) return 0;
    EXPECT_GT(attribute_of(dataset.id(), "description").size(), 10u) << name;
    EXPECT_NE(attribute_of(dataset.id(), "description"), "missing") << name;
    static_cast<decltype(units)*>(result)->emplace(name, attribute_of(dataset.id(), "unit"));
    return 0;
  };
  const Hdf5Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  H5Lvisit(file.id(), H5_INDEX_NAME, H5_ITER_NATIVE, visit, &units);
  EXPECT_GT(units.size(), 30u);
  EXPECT_EQ(units["time"], "s");
  EXPECT_EQ(units["report/residual"], "m/s");
  EXPECT_EQ(units["report/energy"], "J");
  EXPECT_EQ(units["contacts/force"], "N");
  EXPECT_EQ(units["contacts/geoms"], "");
}

// A file as older versions have written it: without what came later.
void make_older(const std::string& path, int version) {
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  const Hdf5Handle number(H5Dopen2(file.id(), "/version", H5P_DEFAULT), H5Dclose);
  H5Dwrite(number.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &version);
  if (version == 5) return;
  std::vector<std::string> later = {
      "/theta",         "/max_iterations",  "/on_trouble",   "/joint_names",    "/joint_qpos",
      "/joint_dof",     "/actuator_names",  "/tendon_names", "/equality_names", "/sensor_names",
      "/sensor_types",  "/sensor_begin",    "/eq_active",    "/sensordata",     "/forces",
      "/report/status", "/report/missed_by"};
  if (version < 4) {
    later.insert(later.end(),
                 {"/contacts/bodies", "/report/worst_constraint", "/report/equality_error",
                  "/report/residual_by_type", "/report/dynamics_defect"});
  }
  if (version < 3) later.insert(later.end(), {"/contacts/id", "/contacts/residual", "/act"});
  for (const std::string& dataset : later) {
    EXPECT_GE(H5Ldelete(file.id(), dataset.c_str(), H5P_DEFAULT), 0) << dataset;
  }
}

// Version 5 told four reasons apart.
TEST_F(RecordingTest, OfFourReasonsCanBeRead) {
  {
    RecordingHeader header = sample_header();
    header.reasons = 4;
    RecordingWriter writer(path_, header);
    for (int k = 0; k < 10; ++k) writer.add(sample_frame(k));
  }
  make_older(path_, 5);
  const Recording recording = read_recording(path_);
  for (int k = 0; k < 10; ++k) {
    RecordingFrame expected = sample_frame(k);
    expected.missed_by[4] = false;
    expect_equal(recording.frames.at(k), expected);
  }
}

TEST_F(RecordingTest, OfOlderVersionsCanBeRead) {
  for (const int version : {4, 3, 2}) {
    {
      RecordingWriter writer(path_, sample_header());
      for (int k = 0; k < 10; ++k) writer.add(sample_frame(k));
    }
    make_older(path_, version);
    const Recording recording = read_recording(path_);
    ASSERT_EQ(recording.frames.size(), 10u);
    for (int k = 0; k < 10; ++k) {
      RecordingFrame expected = sample_frame(k);
      expected.eq_active.clear();
      expected.sensordata.resize(0);
      expected.joint_limit_force.setZero();
      expected.joint_friction_force.setZero();
      expected.tendon_limit_force.resize(0);
      expected.tendon_friction_force.resize(0);
      expected.equality_force.resize(6, 0);
      expected.status = -1;
      expected.missed_by = {};
      if (version < 4) {
        expected.residual_by_type.setZero();
        expected.dynamics_defect = expected.equality_error = 0;
        expected.worst_constraint = "";
      }
      if (version < 3) expected.act.resize(0);
      for (RecordedContact& contact : expected.contacts) {
        if (version < 4) contact.body1 = contact.body2 = -1;
        if (version < 3) contact.id = 0;
        if (version < 3) contact.residual = 0;
      }
      expect_equal(recording.frames[k], expected);
    }
  }
}

TEST_F(RecordingTest, NamesThatAreTooLongAreCutBetweenLetters) {
  RecordingHeader header = sample_header();
  header.name_length = 8;
  RecordingFrame frame = sample_frame(1);
  {
    RecordingWriter writer(path_, header);
    frame.worst_constraint = "12345678";
    writer.add(frame);
    frame.worst_constraint = "1234567\u00e9";  // a letter of two bytes, eighth and ninth
    writer.add(frame);
  }
  const Recording recording = read_recording(path_);
  EXPECT_EQ(recording.frames.at(0).worst_constraint, "12345678");
  EXPECT_EQ(recording.frames.at(1).worst_constraint, "1234567");
}

TEST_F(RecordingTest, CanBeReadWhileItIsWritten) {
  RecordingWriter writer(path_, sample_header());
  EXPECT_EQ(read_recording(path_).frames.size(), 0u);
  writer.add(sample_frame(3));
  writer.flush();
  EXPECT_EQ(read_recording(path_).frames.size(), 1u);
}

TEST_F(RecordingTest, AKilledRunLosesAtMostTheLastSecond) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    RecordingWriter writer(path_, sample_header());
    const auto start = std::chrono::steady_clock::now();
    while (true) {
      RecordingFrame frame = sample_frame(3);
      frame.time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      writer.add(frame);
      if (write(pipes[1], &frame.time, sizeof frame.time) < 0) _exit(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  close(pipes[1]);
  double last = 0;
  while (last < 1.3) ASSERT_EQ(read(pipes[0], &last, sizeof last), sizeof last);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (read(pipes[0], &last, sizeof last) == sizeof last) continue;
  close(pipes[0]);
  const Recording recording = read_recording(path_);
  ASSERT_GT(recording.frames.size(), 0u);
  EXPECT_GT(recording.frames.back().time, last - 1);
  EXPECT_EQ(recording.frames.back().contacts.size(), 3u);
}

// A limit on the size of files stands for a full disk. The child ends as programs do, so that what
// HDF5 does at the end is part of the test.
TEST_F(RecordingTest, AFullDiskLeavesWhatWasFlushed) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);  // write says EFBIG instead
    const rlimit limit{1000000, 1000000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int flushed = 0;
    try {
      RecordingWriter writer(path_, sample_header());
      for (int k = 0; k < 10000; ++k) {
        writer.add(sample_frame(k));
        if (k % 20 < 19) continue;
        writer.flush();
        flushed = k + 1;
      }
    } catch (const InputError& error) {
      if (write(pipes[1], &flushed, sizeof flushed) < 0) _exit(1);
      exit(2);
    }
    exit(0);
  }
  close(pipes[1]);
  int flushed = 0;
  EXPECT_EQ(read(pipes[0], &flushed, sizeof flushed), sizeof flushed);
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_GT(flushed, 100);
  const Recording recording = read_recording(path_);
  ASSERT_EQ(recording.frames.size(), static_cast<size_t>(flushed));
  for (int k = 0; k < flushed; ++k) expect_equal(recording.frames[k], sample_frame(k));
}

TEST_F(RecordingTest, NeedsAFileThatCanGrow) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THROW(RecordingWriter(path_, sample_header()), InputError);
  EXPECT_TRUE(fs::is_fifo(path_));
}

TEST_F(RecordingTest, RefusesWhatItCannotRead) {
  EXPECT_THROW(read_recording(path_), InputError);  // no such file
  std::ofstream(path_) << "not HDF5";
  EXPECT_THROW(read_recording(path_), InputError);
  {
    Hdf5Writer other(path_);
    other.integer("/version", 1);
    other.commit();
  }
  EXPECT_THROW(read_recording(path_), InputError);
  EXPECT_THROW(RecordingWriter("no/such/folder/x.h5", sample_header()), InputError);
  RecordingWriter writer(path_, sample_header());
  RecordingFrame wrong = sample_frame(1);
  wrong.qpos.resize(3);
  EXPECT_THROW(writer.add(wrong), InputError);
}

}  // namespace
}  // namespace stiction
