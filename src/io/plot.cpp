#include <stiction/error.h>
#include <stiction/files.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace stiction {
namespace {

constexpr int kPanelWidth = 800;  // pixels
constexpr int kLonePanelWidth = 1200;
constexpr int kPanelsPerRow = 3;
constexpr int kPanelHeight = 470;
constexpr double kLeftMargin = 148;  // label, numbers like -3.1628e-08, tics
constexpr int kTitleHeight = 46;
constexpr int kPanelTitleHeight = 40;
constexpr int kAxisHeight = 62;  // numbers and label below a panel
constexpr int kLine = 24;        // of legend or caption
constexpr double kCharacterWidth = 8.8;
constexpr size_t kMarkedPoints = 40;  // a line of more points has no marks

// Okabe and Ito: told apart by everyone, in print as well.
const char* const kPalette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                "#E69F00", "#56B4E9", "#000000", "#999999"};

constexpr int kMarks[] = {7, 5, 9, 13, 11, 15};  // disc, square, triangles, diamond, pentagon

// A string of gnuplot in single quotes, in which a quote is doubled and nothing else is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

// In double quotes, with line breaks.
std::string quoted_lines(const std::vector<std::string>& lines) {
  std::string result = "\"";
  for (const std::string& line : lines) {
    if (result.size() > 1) result += "\\n";
    for (char c : line) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return result + "\"";
}

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

bool can_show(const PlotPanel& panel, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!panel.log_x || x > 0) && (!panel.log_y || y > 0);
}

std::string data_name(int panel, size_t line) {
  return "$data" + std::to_string(panel) + "_" + std::to_string(line);
}

int bar_count(const PlotPanel& panel) {
  return static_cast<int>(std::count_if(panel.lines.begin(), panel.lines.end(),
                                        [](const auto& l) { return l.style == PlotStyle::kBars; }));
}

// x, y, and the band's low and high. Bars of one group stand side by side within 0.8.
void write_data(std::ostream& script, const PlotPanel& panel, int index) {
  const int bars = bar_count(panel);
  int bar = 0;
  for (size_t k = 0; k < panel.lines.size(); ++k) {
    const PlotLine& line = panel.lines[k];
    const bool is_bar = line.style == PlotStyle::kBars;
    const double shift = is_bar ? 0.8 * (bar++ + 0.5 - 0.5 * bars) / bars : 0;
    script << data_name(index, k) << " << EOD\n";
    int shown = 0;
    for (size_t p = 0; p < line.x.size(); ++p) {
      if (!can_show(panel, line.x[p], line.y[p])) continue;
      script << line.x[p] + shift << ' ' << line.y[p];
      if (!line.low.empty()) {
        const double low = panel.log_y && line.low[p] <= 0 ? line.y[p] : line.low[p];
        script << ' ' << low << ' ' << line.high[p];
      }
      script << '\n';
      ++shown;
    }
    if (shown == 0) script << "NaN NaN NaN NaN\n";
    script << "EOD\n";
  }
}

std::string drawn(const PlotPanel& panel, size_t k, int index) {
  const PlotLine& line = panel.lines[k];
  const std::string color =
      "lc rgb '" + (line.color.empty() ? kPalette[k % std::size(kPalette)] : line.color) + "'";
  const std::string data = data_name(index, k);
  const std::string title = line.name.empty() ? " notitle" : " title " + quoted(line.name);
  const std::string mark = "pt " + std::to_string(kMarks[k % std::size(kMarks)]) + " ps 1 ";
  if (line.style == PlotStyle::kBars) {
    return data + " with boxes fs solid 0.85 " + color + title + ", " + data +
           " using 1:2:(sprintf('%.3g', $2)) with labels offset 0,0.6 font ',10' notitle";
  }
  if (line.style == PlotStyle::kPoints) return data + " with points " + mark + color + title;
  const std::string dash = line.dashed ? "dt 2 " : "";
  const bool marked = line.x.size() <= kMarkedPoints && !line.dashed;
  const std::string curve = data + (marked ? " with linespoints " + mark : " with lines ") +
                            "lw 2.2 " + dash + color + title;
  if (line.low.empty()) return curve;
  return data + " using 1:3:4 with filledcurves fs transparent solid 0.18 noborder " + color +
         " notitle, " + curve;
}

std::string range_text(const Range& range) {
  const auto end = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", x);
    return std::isfinite(x) ? std::string(text) : "*";
  };
  return "[" + end(range.lower) + ":" + end(range.upper) + "]";
}

void write_panel(std::ostream& script, const PlotPanel& panel, int index) {
  script << "unset logscale\nset autoscale\n";
  if (panel.log_x) script << "set logscale x\n";
  if (panel.log_y) script << "set logscale y\n";
  script << "set format x " << (panel.log_x ? "'10^{%T}'" : "'%g'") << '\n'
         << "set format y " << (panel.log_y ? "'10^{%T}'" : "'%g'") << '\n'
         << "set yrange " << range_text(panel.y_range) << '\n'
         << "set title " << quoted(panel.title) << " noenhanced\n"
         << "set xlabel " << quoted(panel.x_label) << " noenhanced\n"
         << "set ylabel " << quoted(panel.y_label) << " noenhanced\n"
         << (panel.lines.size() > 1 ? "set key on\n" : "unset key\n");
  if (panel.x_names.empty()) {
    script << "set xtics auto\nset xrange [*:*]\n";
  } else {
    script << "set xtics (";
    for (size_t k = 0; k < panel.x_names.size(); ++k) {
      script << (k > 0 ? ", " : "") << quoted(panel.x_names[k]) << ' ' << k;
    }
    script << ") noenhanced\nset xrange [-0.6:" << static_cast<double>(panel.x_names.size()) - 0.4
           << "]\n";
  }
  const int bars = bar_count(panel);
  if (bars > 0) script << "set boxwidth " << 0.76 / bars << "\nset offsets 0, 0, graph 0.08, 0\n";
  script << "plot ";
  for (size_t k = 0; k < panel.lines.size(); ++k) {
    script << (k > 0 ? ", " : "") << drawn(panel, k, index);
  }
  script << "\nunset offsets\n";
}

// How many entries of the legend stand beside each other.
int legend_columns(const PlotPanel& panel) {
  double longest = 1;
  for (const PlotLine& line : panel.lines) {
    longest = std::max(longest, static_cast<double>(line.name.size()));
  }
  const int room = static_cast<int>(0.86 * kPanelWidth / (kCharacterWidth * longest + 95));
  return std::clamp(room, 1, static_cast<int>(panel.lines.size()));
}

int legend_height(const PlotPanel& panel) {
  const int columns = legend_columns(panel);
  const int named = static_cast<int>(std::count_if(
      panel.lines.begin(), panel.lines.end(), [](const auto& line) { return !line.name.empty(); }));
  return named > 1 ? kLine * ((named + columns - 1) / columns) : 0;
}

void write_title_and_caption(std::ostream& script, const std::string& title, double title_y,
                             const std::vector<std::string>& caption, double caption_y) {
  script << "set label 1 " << quoted(title) << " at screen 0.5, screen " << title_y
         << " center font ',15' noenhanced\n";
  if (caption.empty()) return;
  script << "set label 2 " << quoted_lines(caption) << " at screen 0.012, screen " << caption_y
         << " left font ',12' noenhanced tc rgb '#333333'\n";
}

std::string make_script(const std::string& output, const std::string& title,
                        const std::vector<PlotPanel>& panels, const std::string& caption) {
  std::ostringstream script;
  script.precision(10);
  const int count = static_cast<int>(panels.size());
  const int columns = std::min(count, kPanelsPerRow);
  const int rows = (count + columns - 1) / columns;
  const int width = count == 1 ? kLonePanelWidth : kPanelWidth * columns;
  const auto lines = wrapped(caption, static_cast<size_t>(width / kCharacterWidth));
  const int caption_height = 20 + kLine * static_cast<int>(lines.size());
  int legend = 0;
  for (const PlotPanel& panel : panels) legend = std::max(legend, legend_height(panel));
  const int below = legend + kAxisHeight;  // of a panel's axes
  const int cell = below + kPanelHeight + kPanelTitleHeight;
  const double height = caption_height + rows * cell + kTitleHeight;
  script << "set terminal pngcairo size " << width << "," << height << " font 'sans,13'\n"
         << "set output " << quoted(output) << "\nset multiplot\n"
         << "set grid lc rgb '#cccccc' lw 1\nset border lc rgb '#555555'\nset tics nomirror\n";
  write_title_and_caption(script, title, 1 - 0.5 * kTitleHeight / height, lines,
                          (caption_height - 18) / height);
  for (int k = 0; k < count; ++k) write_data(script, panels[k], k);
  const double margin = kLeftMargin * columns / width;
  for (int k = 0; k < count; ++k) {
    const double left = k % columns;
    const double bottom = caption_height + cell * (rows - 1 - k / columns);
    script << "set lmargin at screen " << (left + margin) / columns << "\nset rmargin at screen "
           << (left + 0.97) / columns << "\nset bmargin at screen " << (bottom + below) / height
           << "\nset tmargin at screen " << (bottom + below + kPanelHeight) / height
           << "\nset key at screen " << (left + 0.5 * (margin + 0.97)) / columns << ", screen "
           << (bottom + legend) / height << " center top horizontal noenhanced samplen 3 maxcols "
           << legend_columns(panels[k]) << '\n';
    write_panel(script, panels[k], k);
    script << "unset label\n";
  }
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

void require_gnuplot(const std::string& path) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") == 0) return;
  throw InputError(path + ": gnuplot is missing; install it (Debian: gnuplot-nox) to draw plots");
}

void plot_png(const std::string& path, const std::string& title,
              const std::vector<PlotPanel>& panels, const std::string& caption) {
  require_gnuplot(path);
  PartFile file(path);
  const bool drawn = run_gnuplot(make_script(file.part(), title, panels, caption));
  std::error_code error;
  if (!drawn || std::filesystem::file_size(file.part(), error) == 0 || error) {
    throw InputError(path + ": gnuplot could not write the picture");
  }
  file.commit();
}

}  // namespace stiction
