// Damaged files: each either loads into a valid model or throws one InputError of one line. Under
// the dev preset this is also a search for memory errors and undefined behaviour.
#include <gtest/gtest.h>
#include <stiction/builder.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/mesh_file.h"
#include "robustness/mutate.h"
#include "robustness/sample_files.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

fs::path sample_folder() {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("stiction_fuzz_" + std::to_string(getpid()));
  fs::create_directories(folder);
  write_file(folder / "sample.obj", kSampleObj);
  write_file(folder / "sample.stl", kSampleStl);
  write_file(folder / "sample.dae", kSampleDae);
  return folder;
}

struct Outcome {
  int loaded = 0;
  int refused = 0;
  int malformed = 0;  ///< refused by the XML parser already
};

void expect_one_line(const InputError& error) {
  const std::string message = error.what();
  EXPECT_FALSE(message.empty());
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 2000u) << message;
}

void try_model(const fs::path& path, const LoadOptions& options, Outcome& outcome) {
  try {
    const Model model = load_model(path.string(), options).model;
    ++outcome.loaded;
    EXPECT_NO_THROW(validate(model));
    EXPECT_TRUE(model.qpos0.allFinite());
  } catch (const InputError& error) {
    ++outcome.refused;
    if (std::string(error.what()).find("malformed XML") != std::string::npos) ++outcome.malformed;
    expect_one_line(error);
    EXPECT_NE(std::string(error.what()).find(path.filename().string()), std::string::npos)
        << "the file is not named: " << error.what();
  }
}

void try_mesh(const fs::path& path, Outcome& outcome) {
  try {
    const TriangleMesh mesh = load_mesh_file(path.string());
    ++outcome.loaded;
    for (const Eigen::Vector3d& p : mesh.vertices) EXPECT_TRUE(p.allFinite());
    for (const Eigen::Vector3i& t : mesh.triangles) {
      EXPECT_GE(t.minCoeff(), 0);
      EXPECT_LT(t.maxCoeff(), static_cast<int>(mesh.vertices.size()));
    }
  } catch (const InputError& error) {
    ++outcome.refused;
    expect_one_line(error);
  }
}

void append_int(std::string& bytes, std::int32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift & 255);
}

/// Four vertices at the corners of a cube, as MuJoCo's MSH and as binary STL.
std::string binary_mesh(bool stl) {
  const std::string zero(4, '\0'), one("\0\0\x80\x3f", 4);
  const std::string points[4] = {zero + zero + zero, one + zero + zero, zero + one + zero,
                                 zero + zero + one};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string bytes;
  if (stl) {
    bytes.assign(80, ' ');
    append_int(bytes, 4);
    for (const auto& f : faces) {
      bytes += points[0] + points[f[0]] + points[f[1]] + points[f[2]] + std::string(2, '\0');
    }
  } else {
    for (int count : {4, 0, 0, 4}) append_int(bytes, count);
    for (const std::string& p : points) bytes += p;
    for (const auto& f : faces) {
      for (int corner : f) append_int(bytes, corner);
    }
  }
  return bytes;
}

TEST(LoaderFuzz, SamplesLoadUndamaged) {
  const fs::path folder = sample_folder();
  write_file(folder / "sample.xml", kSampleMjcf);
  write_file(folder / "sample.urdf", kSampleUrdf);
  EXPECT_EQ(load_model((folder / "sample.xml").string()).model.nv, 6 + 1 + 1 + 3 + 1);
  EXPECT_EQ(load_model((folder / "sample.urdf").string()).model.nv, 2);
}

TEST(LoaderFuzz, DamagedModels) {
  const fs::path folder = sample_folder();
  Outcome outcome;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const bool mjcf = seed % 2 == 0;
    const fs::path path = folder / (mjcf ? "damaged.xml" : "damaged.urdf");
    write_file(path, Mutator(seed).mutate(mjcf ? kSampleMjcf : kSampleUrdf));
    SCOPED_TRACE("seed " + std::to_string(seed));
    try_model(path, {.floating_base = seed % 4 == 1}, outcome);
  }
  // Two in three are damaged within values only: those must get past the parser, or this tests
  // the parser alone.
  EXPECT_GT(outcome.loaded + outcome.refused - outcome.malformed, 100);
  EXPECT_GT(outcome.loaded, 0);
  EXPECT_GT(outcome.refused, 50);
}

TEST(LoaderFuzz, DamagedMeshes) {
  const fs::path folder = sample_folder();
  const std::vector<std::pair<std::string, std::string>> samples = {
      {"damaged.obj", kSampleObj},
      {"damaged.stl", kSampleStl},
      {"damaged.dae", kSampleDae},
      {"damaged_binary.stl", binary_mesh(true)},
      {"damaged.msh", binary_mesh(false)}};
  for (const auto& [name, bytes] : samples) {
    Outcome outcome;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      write_file(folder / name, Mutator(seed).mutate(bytes));
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      try_mesh(folder / name, outcome);
    }
    EXPECT_GT(outcome.refused, 20) << name;
    write_file(folder / name, bytes);
    EXPECT_NO_THROW(load_mesh_file((folder / name).string()));
  }
}

/// Model files under a folder, in a fixed order.
std::vector<fs::path> model_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".xml" || extension == ".urdf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A folder whose entries lead to those of `original`, so that relative paths still work.
fs::path mirror(const fs::path& original, std::size_t index) {
  const fs::path folder = fs::path(testing::TempDir()) /
                          ("stiction_fuzz_" + std::to_string(getpid())) / std::to_string(index);
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& entry : fs::directory_iterator(original)) {
    fs::create_symlink(fs::absolute(entry.path()), folder / entry.path().filename());
  }
  return folder;
}

void try_files_under(const fs::path& models, Outcome& outcome) {
  const std::vector<fs::path> files = model_files(models);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path& file = files[i];
    const fs::path folder = mirror(file.parent_path(), i);
    const fs::path path = folder / file.filename();
    fs::remove(path);
    write_file(path, Mutator(static_cast<std::uint32_t>(i)).mutate(read_file(file)));
    SCOPED_TRACE(file.string() + ", seed " + std::to_string(i));
    LoadOptions options;
    options.package_paths = {file.parent_path().string(),
                             file.parent_path().parent_path().parent_path().string()};
    try_model(path, options, outcome);
    fs::remove_all(folder);
  }
}

TEST(LoaderFuzz, DamagedModelsOfThisRepository) {
  Outcome outcome;
  try_files_under(fs::path(STICTION_SOURCE_DIR) / "models", outcome);
  EXPECT_GT(outcome.loaded + outcome.refused, 0);
}

TEST(LoaderFuzz, DamagedRobots) {
  const fs::path models = fs::path(STICTION_SHARED_DIR) / "models";
  if (!fs::exists(models)) GTEST_SKIP() << "../shared is missing";
  Outcome outcome;
  try_files_under(models, outcome);
  EXPECT_GT(outcome.refused, 20);
}

}  // namespace
}  // namespace stiction
