// Networks as solids, and the file that they are kept in (docs/sdf.md).
#include <stiction/error.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "geometry/sdf/bake.h"
#include "geometry/sdf/network.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr char kFormat[] = "stiction-nsdf";

// Shortest text that reads as the same number.
class Writer {
 public:
  Writer& word(const std::string& text) {
    if (!text_.empty() && text_.back() != '\n') text_ += ' ';
    text_ += text;
    return *this;
  }
  template <typename Number>
  Writer& number(Number value) {
    char digits[32];
    return word({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
  }
  template <typename Vector>
  Writer& vector(const Vector& values) {
    for (const auto value : values) number(value);
    return *this;
  }
  void end_line() { text_ += '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Words separated by blanks and ends of lines.
class Scanner {
 public:
  Scanner(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line_) + ": " + what);
  }
  std::string_view next(const char* expected) {
    skip_blanks();
    const size_t start = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    if (at_ == start) fail(std::string("the file ends, expected ") + expected);
    return std::string_view(text_).substr(start, at_ - start);
  }
  void keyword(const char* name) {
    const std::string_view word = next(name);
    if (word != name) fail(shown(word) + ", expected " + name);
  }
  double number(const char* what) {
    const std::string_view word = next(what);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
      fail(shown(word) + ", expected " + what);
    }
    return value;
  }
  double positive(const char* what) {
    const double value = number(what);
    if (!(value > 0)) fail(std::string(what) + " is not positive");
    return value;
  }
  int whole(const char* what, int low, int high) {
    const double value = number(what);
    if (value != std::floor(value) || value < low || value > high) {
      fail(std::string(what) + " is " + std::to_string(value) + ", expected " +
           std::to_string(low) + " to " + std::to_string(high));
    }
    return static_cast<int>(value);
  }
  Vector3d vector(const char* what) {
    Vector3d value;
    for (double& x : value) x = number(what);
    return value;
  }
  bool line_ends() {
    while (at_ < text_.size() && text_[at_] != '\n' && is_blank(text_[at_])) ++at_;
    return at_ == text_.size() || text_[at_] == '\n';
  }
  void finish() {
    skip_blanks();
    if (at_ < text_.size()) fail("more after the end");
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  static std::string shown(std::string_view word) {
    return "'" + std::string(word.substr(0, 40)) + "'";
  }
  void skip_blanks() {
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) line_ += text_[at_] == '\n';
  }

  std::string path_;
  std::string text_;
  size_t at_ = 0;
  int line_ = 1;
};

void read_layers(Scanner& in, std::vector<NeuralNetwork::Layer>& layers) {
  in.keyword("layers");
  std::vector<int> sizes;
  while (!in.line_ends()) sizes.push_back(in.whole("size of a layer", 1, kMaxNetworkWidth));
  const int count = static_cast<int>(sizes.size()) - 1;
  if (count < 2 || count > kMaxNetworkLayers) {
    in.fail("layers: expected 3 to " + std::to_string(kMaxNetworkLayers + 1) + " sizes");
  }
  if (sizes.front() != kNetworkInputs || sizes.back() != 1) {
    in.fail("layers: expected sizes from " + std::to_string(kNetworkInputs) + " to 1");
  }
  for (int l = 0; l < count; ++l) {
    const int columns = sizes[l] + (l + 1 == count ? kNetworkInputs : 0);
    NeuralNetwork::Layer layer{Eigen::MatrixXd(sizes[l + 1], columns),
                               Eigen::VectorXd(sizes[l + 1])};
    for (auto row : layer.W.rowwise()) {
      for (double& w : row) w = in.number("a weight");
    }
    for (double& b : layer.b) b = in.number("a bias");
    layers.push_back(std::move(layer));
  }
}

void read_parts(Scanner& in, NeuralNetwork& network) {
  in.keyword("parts");
  network.parts.resize(in.whole("number of parts", 1, kMaxNetworkBranches));
  int left = kMaxNetworkBranches;
  for (NeuralNetwork::Part& part : network.parts) {
    in.keyword("part");
    part.resize(in.whole("number of branches", 1, left));
    NeuralError::Part& error = network.error.parts.emplace_back();
    error.near_rms = in.number("an error");
    error.near_max = in.number("an error");
    left -= static_cast<int>(part.size()) - 1;
    for (NeuralNetwork::Branch& branch : part) {
      in.keyword("branch");
      const std::string_view inputs = in.next("position or thread");
      branch.thread = inputs == "thread";
      if (!branch.thread && inputs != "position") in.fail("expected position or thread");
      if (branch.thread && network.pitch == 0) in.fail("a branch of a thread, but the pitch is 0");
      read_layers(in, branch.layers);
    }
  }
}

void read_surface(Scanner& in, TriangleMesh& surface) {
  constexpr int kMost = 10'000'000;
  in.keyword("surface");
  const int vertices = in.whole("number of vertices", 4, kMost);
  const int triangles = in.whole("number of triangles", 4, kMost);
  for (int k = 0; k < vertices; ++k) surface.vertices.push_back(in.vector("a coordinate"));
  for (int k = 0; k < triangles; ++k) {
    Eigen::Vector3i t;
    for (int& v : t) v = in.whole("a vertex of a triangle", 0, vertices - 1);
    surface.triangles.push_back(t);
  }
}

}  // namespace

std::string network_text(const NeuralNetwork& network) {
  Writer out;
  out.word(kFormat).number(2).end_line();
  out.word("center").vector(network.center).end_line();
  out.word("half_size").vector(network.half_size).end_line();
  out.word("scale").number(network.scale).end_line();
  out.word("pitch").number(network.pitch).end_line();
  out.word("detail").number(network.detail).end_line();
  out.word("lipschitz").number(network.lipschitz).end_line();
  const NeuralError& e = network.error;
  out.word("error").number(e.near_rms).number(e.near_max).number(e.volume_rms);
  out.number(e.volume_max).number(e.gradient_rms).end_line();
  out.word("parts").number(network.parts.size()).end_line();
  for (size_t k = 0; k < network.parts.size(); ++k) {
    const NeuralNetwork::Part& part = network.parts[k];
    out.word("part").number(part.size()).number(e.parts[k].near_rms).number(e.parts[k].near_max);
    out.end_line();
    for (const NeuralNetwork::Branch& branch : part) {
      out.word("branch").word(branch.thread ? "thread" : "position").end_line();
      out.word("layers").number(kNetworkInputs);
      for (const auto& layer : branch.layers) out.number(layer.b.size());
      out.end_line();
      for (const auto& layer : branch.layers) {
        for (const auto row : layer.W.rowwise()) out.vector(row).end_line();
        out.vector(layer.b).end_line();
      }
    }
  }
  const TriangleMesh& surface = network.surface;
  out.word("surface").number(surface.vertices.size()).number(surface.triangles.size()).end_line();
  for (const Vector3d& p : surface.vertices) out.vector(p).end_line();
  for (const Eigen::Vector3i& t : surface.triangles) out.vector(t).end_line();
  return out.text();
}

NeuralPointer read_network(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw InputError(path + ": cannot be read");
  Scanner in(path, {std::istreambuf_iterator<char>(file), {}});
  NeuralNetwork network;
  in.keyword(kFormat);
  in.whole("version", 2, 2);
  in.keyword("center");
  network.center = in.vector("a coordinate");
  in.keyword("half_size");
  for (double& x : network.half_size) x = in.positive("half_size");
  in.keyword("scale");
  network.scale = in.positive("scale");
  in.keyword("pitch");
  network.pitch = in.number("pitch");
  if (network.pitch < 0) in.fail("pitch is negative");
  in.keyword("detail");
  network.detail = in.positive("detail");
  in.keyword("lipschitz");
  network.lipschitz = in.positive("lipschitz");
  in.keyword("error");
  NeuralError& e = network.error;
  for (double* x : {&e.near_rms, &e.near_max, &e.volume_rms, &e.volume_max, &e.gradient_rms}) {
    *x = in.number("an error");
  }
  read_parts(in, network);
  network.surface.name = path;
  read_surface(in, network.surface);
  in.finish();
  check_closed(network.surface);
  prepare(network);
  return std::make_shared<const NeuralNetwork>(std::move(network));
}

const NeuralError& network_error(const NeuralNetwork& network) { return network.error; }

SdfPointer make_neural(const std::string& name, const NeuralPointer& network) {
  if (!network) throw InputError("sdf '" + name + "': made of nothing");
  Sdf sdf;
  sdf.name = name;
  sdf.detail = network->detail;
  sdf.lipschitz = network->lipschitz;
  sdf.pitch = network->pitch;
  sdf.distance = [network](const Vector3d& p, Vector3d& gradient) {
    return network_distance(*network, p, gradient);
  };
  sdf.distances = [network](DistanceBlock& block) {
    NetworkBlock<Vector3d> p, gradient;
    for (int k = 0; k < DistanceBlock::kSize; ++k) p[k] = {block.x[k], block.y[k], block.z[k]};
    network_distances(*network, p, block.distance, gradient);
    for (int k = 0; k < DistanceBlock::kSize; ++k) {
      block.grad_x[k] = gradient[k].x();
      block.grad_y[k] = gradient[k].y();
      block.grad_z[k] = gradient[k].z();
    }
  };
  sdf.surface = network->surface;
  sdf.surface.name = name;
  return std::make_shared<const Sdf>(std::move(sdf));
}

}  // namespace stiction
