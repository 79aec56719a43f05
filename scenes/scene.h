// Named scenes, one file each, for the program, tests, studies and demos.
#pragma once

#include <stiction/model.h>

#include <string>
#include <vector>

namespace stiction {

struct Scene {
  std::string name;
  std::string sentence;       ///< what to see in it
  double duration = 2;        ///< s, a good length
  Model (*make)() = nullptr;  ///< a keyframe "start", if there is one, is where it begins
  std::string hint = {};      ///< what to try while it runs, or empty
  std::string solver = {};    ///< who shows it in time, if not the default, ...
  double tolerance = 0;       ///< ... and how exactly, m/s
};

/// All of them, in the order in which they are listed.
const std::vector<Scene>& scenes();

/// By name, or null.
const Scene* find_scene(const std::string& name);

}  // namespace stiction
