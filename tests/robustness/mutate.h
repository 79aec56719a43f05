// Damages text the way disks, editors and people do, the same for the same seed everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    // Two in three stay well formed, to get past the parser.
    const bool values_only = below(3) > 0;
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count && text.size() > 1; ++i) {
      if (!values_only) {
        damage(text);
      } else if (below(3) == 0) {
        swap_values(text);
      } else {
        replace_value(text);
      }
    }
    return text;
  }

 private:
  // Not std::uniform_int_distribution: its results differ between libraries.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }

  void damage(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(below(256));
        break;
      case 2:
        std::swap(text[at], text[below(text.size())]);
        break;
      case 3:
        text.erase(at, 1 + below(30));
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), below(80)));
        break;
      default:
        nest(text, at);
    }
  }

  /// The places between quotes: attribute values.
  static std::vector<std::pair<std::size_t, std::size_t>> values(const std::string& text) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t open = text.find('"'); open != std::string::npos;) {
      const std::size_t close = text.find('"', open + 1);
      if (close == std::string::npos) break;
      found.emplace_back(open + 1, close - open - 1);
      open = text.find('"', close + 1);
    }
    return found;
  }

  void swap_values(std::string& text) {
    const auto found = values(text);
    if (found.size() < 2) return;
    auto a = found[below(found.size())], b = found[below(found.size())];
    if (a.first > b.first) std::swap(a, b);
    if (a.first == b.first) return;
    const std::string first = text.substr(a.first, a.second);
    const std::string second = text.substr(b.first, b.second);
    text.replace(b.first, b.second, first);
    text.replace(a.first, a.second, second);
  }

  void replace_value(std::string& text) {
    static const std::array<std::string, 18> kBad = {
        "nan",    "-inf",  "1e308",      "-1e308",          "1e400",    "1e-320",
        "0",      "-1",    "0 0 0",      "1 2 3 4 5 6 7 8", "",         " ",
        "no_one", "2.5e9", "4294967296", "../../../..",     "\xff\xfe", "1 nan 1"};
    const auto found = values(text);
    if (found.empty()) {  // a mesh file: put the number anywhere
      text.insert(below(text.size()), kBad[below(kBad.size())] + " ");
      return;
    }
    const auto [begin, size] = found[below(found.size())];
    // One number of several, or all of them.
    const std::string value = text.substr(begin, size);
    const std::size_t space = value.find(' ');
    const std::size_t length = below(2) == 0 && space != std::string::npos ? space : size;
    text.replace(begin, length, kBad[below(kBad.size())]);
  }

  void nest(std::string& text, std::size_t at) {
    static const std::array<std::string, 5> kTags = {"body", "default", "frame", "link", "node"};
    const std::string& tag = kTags[below(kTags.size())];
    std::string opening, closing;
    for (std::size_t i = 0, depth = 1 + below(2000); i < depth; ++i) {
      opening += "<" + tag + ">";
      closing += "</" + tag + ">";
    }
    const std::size_t before = text.rfind('<', at);
    text.insert(before == std::string::npos ? at : before, opening + closing);
  }

  std::mt19937 random_;
};

}  // namespace stiction
