// Solids from one line of text: "bolt size=M48 length=0.12".
#include <stiction/error.h>
#include <stiction/sdf.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

namespace stiction {
namespace {

using Settings = std::map<std::string, std::string>;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputError("sdf '" + name + "': " + what);
}

// What is asked for is taken out, so that what is left was not meant for this kind.
class Options {
 public:
  Options(std::string name, Settings settings)
      : name_(std::move(name)), settings_(std::move(settings)) {}

  void read(const char* key, double& value) {
    const auto found = settings_.find(key);
    if (found == settings_.end()) return;
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      refuse(name_, std::string(key) + " is '" + text + "', expected a number");
    }
    settings_.erase(found);
  }
  void read_length(const char* key, double& value) {
    const auto found = settings_.find(key);
    const std::string text = found == settings_.end() ? "" : found->second;
    read(key, value);
    if (!(value > 0)) refuse(name_, std::string(key) + " is " + text + ", expected a length > 0 m");
  }
  void read(const char* key, int& value) {
    double number = value;
    read(key, number);
    if (!(std::abs(number) < 1e6) || number != std::round(number)) {
      refuse(name_,
             std::string(key) + " is " + std::to_string(number) + ", expected a whole number");
    }
    value = static_cast<int>(number);
  }
  std::string text(const char* key) {
    const auto found = settings_.find(key);
    if (found == settings_.end()) return {};
    const std::string value = found->second;
    settings_.erase(found);
    return value;
  }
  void finish(const std::string& kind) const {
    if (!settings_.empty()) {
      refuse(name_, "'" + settings_.begin()->first + "' is not a setting of " + kind);
    }
  }

 private:
  std::string name_;
  Settings settings_;
};

SdfPointer finish_dish(const std::string& name, const std::string& kind, Options& options,
                       Dish dish) {
  options.read("sectors", dish.sectors);
  options.read_length("edge", dish.edge);
  options.finish(kind);
  return make_dish(name, dish);
}

SdfPointer describe_bowl(const std::string& name, const std::string& kind, Options& options) {
  const bool plate = kind == "plate";
  double base = plate ? 0.06 : 0.03, rim = plate ? 0.1 : 0.07, height = plate ? 0.018 : 0.06;
  double thickness = 0.004;
  options.read_length("base_radius", base);
  options.read_length("rim_radius", rim);
  options.read_length("height", height);
  options.read_length("thickness", thickness);
  return finish_dish(name, kind, options, bowl_shape(base, rim, height, thickness));
}

SdfPointer describe_pot(const std::string& name, const std::string& kind, Options& options) {
  double radius = 0.09, height = 0.1, thickness = 0.006;
  options.read_length("radius", radius);
  options.read_length("height", height);
  options.read_length("thickness", thickness);
  return finish_dish(name, kind, options, pot_shape(radius, height, thickness));
}

SdfPointer describe_bottle(const std::string& name, const std::string& kind, Options& options) {
  double radius = 0.035, neck = 0.014, height = 0.2, thickness = 0.004;
  options.read_length("radius", radius);
  options.read_length("neck_radius", neck);
  options.read_length("height", height);
  options.read_length("thickness", thickness);
  return finish_dish(name, kind, options, bottle_shape(radius, neck, height, thickness));
}

SdfPointer describe_thread(const std::string& name, const std::string& kind, Options& options) {
  Bolt bolt;
  Nut nut;
  if (const std::string size = options.text("size"); !size.empty()) metric_size(size, bolt, nut);
  MetricThread thread = bolt.thread;
  options.read_length("diameter", thread.diameter);
  options.read_length("pitch", thread.pitch);
  options.read("fit", thread.fit);
  options.read_length("across_flats", bolt.across_flats);
  options.read("sectors", bolt.sectors);
  if (kind == "bolt") {
    bolt.thread = thread;
    options.read_length("length", bolt.length);
    options.read_length("head_height", bolt.head_height);
    options.finish(kind);
    return make_bolt(name, bolt);
  }
  nut.thread = thread;
  nut.across_flats = bolt.across_flats;
  nut.sectors = bolt.sectors;
  options.read_length("height", nut.height);
  options.finish(kind);
  return make_nut(name, nut);
}

SdfPointer describe_grid(const std::string& name, Options& options, const TriangleMesh* mesh) {
  if (!mesh) refuse(name, "grid needs the mesh of a geom, and there is none");
  int resolution = 64;
  options.read("resolution", resolution);
  options.finish("grid");
  return make_grid(name, *mesh, resolution);
}

SdfPointer describe_neural(const std::string& name, Options& options, const std::string& folder) {
  const std::string file = options.text("file");
  options.finish("neural");
  if (file.empty()) refuse(name, "neural needs file=PATH");
  return make_neural(name, read_network((std::filesystem::path(folder) / file).string()));
}

}  // namespace

SdfPointer describe_sdf(const std::string& name, const std::string& description,
                        const TriangleMesh* mesh, const std::string& folder) {
  std::istringstream words(description);
  std::string kind, word;
  words >> kind;
  Settings settings;
  while (words >> word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) refuse(name, "'" + word + "', expected SETTING=VALUE");
    if (!settings.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      refuse(name, "'" + word.substr(0, equals) + "' is given twice");
    }
  }
  Options options(name, settings);
  if (kind == "bowl" || kind == "plate") return describe_bowl(name, kind, options);
  if (kind == "pot") return describe_pot(name, kind, options);
  if (kind == "bottle") return describe_bottle(name, kind, options);
  if (kind == "bolt" || kind == "nut") return describe_thread(name, kind, options);
  if (kind == "grid") return describe_grid(name, options, mesh);
  if (kind == "neural") return describe_neural(name, options, folder);
  refuse(name,
         "'" + kind +
             "' is unknown, expected bowl, plate, pot, bottle, bolt, nut, grid, neural or surface");
}

}  // namespace stiction
