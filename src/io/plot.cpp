#include <stiction/error.h>
#include <stiction/files.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "io/part_file.h"

namespace stiction {
namespace {

constexpr int kPanelWidth = 760;  // pixels
constexpr int kHeight = 560;
constexpr int kPanelsPerRow = 3;

// A string of gnuplot in single quotes, in which a quote is doubled and nothing else is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

bool can_show(const PlotPanel& panel, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!panel.log_x || x > 0) && (!panel.log_y || y > 0);
}

void write_data(std::ostream& script, const PlotPanel& panel, int index) {
  for (size_t k = 0; k < panel.lines.size(); ++k) {
    const PlotLine& line = panel.lines[k];
    script << "$data" << index << "_" << k << " << EOD\n";
    int shown = 0;
    for (size_t p = 0; p < line.x.size(); ++p) {
      if (!can_show(panel, line.x[p], line.y[p])) continue;
      script << line.x[p] << ' ' << line.y[p] << '\n';
      ++shown;
    }
    if (shown == 0) script << "NaN NaN\n";
    script << "EOD\n";
  }
}

void write_panel(std::ostream& script, const PlotPanel& panel, int index, bool legend) {
  script << "unset logscale\n";
  if (panel.log_x) script << "set logscale x\n";
  if (panel.log_y) script << "set logscale y\n";
  script << "set format x " << (panel.log_x ? "'10^{%T}'" : "'%g'") << '\n'
         << "set format y " << (panel.log_y ? "'10^{%T}'" : "'%g'") << '\n'
         << "set xlabel " << quoted(panel.x_label) << " noenhanced\n"
         << "set ylabel " << quoted(panel.y_label) << " noenhanced\n"
         << (legend ? "set key outside right top noenhanced\n" : "unset key\n") << "plot ";
  for (size_t k = 0; k < panel.lines.size(); ++k) {
    script << (k > 0 ? ", " : "") << "$data" << index << "_" << k << " with linespoints lw 2 pt "
           << 4 + k % 10 << " ps 0.6 lc " << k + 1 << " title " << quoted(panel.lines[k].name);
  }
  script << '\n';
}

std::string make_script(const std::string& output, const std::string& title,
                        const std::vector<PlotPanel>& panels) {
  std::ostringstream script;
  script.precision(10);
  const int count = static_cast<int>(panels.size());
  const int rows = (count + kPanelsPerRow - 1) / kPanelsPerRow;
  const int columns = (count + rows - 1) / rows;
  script << "set terminal pngcairo size " << kPanelWidth * columns << "," << kHeight * rows
         << " font 'sans,11'\nset output " << quoted(output) << "\nset multiplot layout " << rows
         << "," << columns << " title " << quoted(title)
         << " noenhanced\nset grid lc rgb '#dddddd'\n";
  for (int k = 0; k < count; ++k) write_data(script, panels[k], k);
  for (int k = 0; k < count; ++k) write_panel(script, panels[k], k, k + 1 == count);
  script << "unset multiplot\nset output\n";
  return script.str();
}

// True if gnuplot took the script and ended well.
bool run_gnuplot(const std::string& script) {
  // Without a place to write, gnuplot would draw to the standard output.
  std::FILE* pipe = popen("gnuplot >/dev/null 2>&1", "w");
  if (pipe == nullptr) return false;
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // gnuplot may end before it has read all
  const bool written = std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  const int status = pclose(pipe);
  std::signal(SIGPIPE, before);
  return written && status == 0;
}

}  // namespace

void plot_png(const std::string& path, const std::string& title,
              const std::vector<PlotPanel>& panels) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) {
    throw InputError(path + ": gnuplot is missing; install it (Debian: gnuplot-nox) to draw plots");
  }
  PartFile file(path);
  const bool drawn = run_gnuplot(make_script(file.part(), title, panels));
  std::error_code error;
  if (!drawn || std::filesystem::file_size(file.part(), error) == 0 || error) {
    throw InputError(path + ": gnuplot could not write the picture");
  }
  file.commit();
}

}  // namespace stiction
