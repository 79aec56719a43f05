// URDF written in a test, through a temporary folder.
#pragma once

#include <gtest/gtest.h>
#include <stiction/error.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "io/formats.h"
#include "message_of.h"

namespace stiction {

inline std::string folder() {
  const std::string path = testing::TempDir() + "stiction_urdf_" + std::to_string(getpid()) + "/";
  std::filesystem::create_directories(path);
  return path;
}

inline std::string write_urdf(const std::string& name, const std::string& text) {
  const std::string path = folder() + name;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
  return path;
}

inline Loaded load(const std::string& body, const LoadOptions& options = {}) {
  return load_urdf(write_urdf("robot.urdf", "<robot name=\"r\">\n" + body + "\n</robot>"), options);
}

inline std::string urdf_error(const std::string& body) {
  return message_of([&] { load(body); });
}

inline std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name=\"" + name + "\"><inertial><mass value=\"2\"/>" +
         "<inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\"/></inertial>" + inside + "</link>\n";
}

inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}

inline std::string collision(const std::string& filename, const std::string& more = "") {
  return link("a", "<collision><geometry><mesh filename=\"" + filename + "\" " + more +
                       "/></geometry></collision>");
}

}  // namespace stiction
