#include "tests/project/layers.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <string_view>

namespace kernbench::project {
namespace {

/// From the bottom to the top: a layer uses itself and those before it in this list; `objection` knows who uses less.
constexpr std::array<std::string_view, 17> kLayers{
    "sim/base/",        "sim/machine/",      "sim/plan/",       "sim/collectives/",   "sim/engine/",
    "sim/hw/",          "sim/system/",       "sim/kernels/",    "benches/io/",        "benches/dev/",
    "benches/results/", "benches/measured/", "benches/traces/", "benches/workloads/", "benches/experiments/",
    "benches/<b>",      "benches/cli/"};

/// Foreign headers that begin with `header` stay in these folders.
struct Foreign {
  std::string_view header;
  std::array<std::string_view, 3> folders;
};

constexpr std::array<Foreign, 7> kForeign{{
    {"yaml-cpp/", {"sim/machine/", "sim/machine/", "sim/machine/"}},
    {"CLI/", {"benches/io/program/", "benches/io/program/", "benches/io/program/"}},
    {"simdjson", {"benches/traces/events/", "benches/traces/events/", "benches/traces/events/"}},
    {"sqlite3", {"benches/experiments/run/", "benches/experiments/run/", "benches/experiments/run/"}},
    {"xgboost/", {"benches/measured/predictor/", "benches/measured/predictor/", "benches/measured/predictor/"}},
    {"systemc", {"sim/engine/", "sim/hw/", "sim/system/"}},
    {"tlm", {"sim/engine/", "sim/hw/", "sim/system/"}},
}};

/// Place of a path in kLayers; -1 outside the layers.
int layer_of(std::string_view path) {
  for (std::size_t i = 0; i < kLayers.size(); ++i) {
    if (path.starts_with(kLayers[i])) return static_cast<int>(i);
  }
  const bool in_bench_folder = path.starts_with("benches/") && std::ranges::count(path, '/') > 1;
  return in_bench_folder ? static_cast<int>(kLayers.size()) - 2 : -1;
}

std::string_view bench_of(std::string_view path) {
  return path.substr(0, path.find('/', std::string_view("benches/").size()));
}

/// The figure code of all benches, and one's own: its figures.cpp and what is in its folder `figures`.
bool draws_figures(std::string_view path) {
  return path.starts_with("benches/") &&
         (path.find("/figures/") != std::string_view::npos || path.ends_with("/figures.cpp"));
}

/// Why `path` may not include `header`; empty where it may.
std::string objection(std::string_view path, std::string_view header) {
  const int from = layer_of(path);
  const int to = layer_of(header);
  if (from >= 0 && to > from) return "dependencies point down only";
  if (from >= 0 && to == from && path.starts_with("benches/") && bench_of(path) != bench_of(header)) {
    return "a bench does not know another bench";
  }
  const bool of_simulator = header.starts_with("sim/") && !header.starts_with("sim/base/");
  if (draws_figures(path) && of_simulator) return "figures draw what results files say";
  if (path.starts_with("sim/engine/") && of_simulator && !header.starts_with("sim/engine/")) {
    return "the engine knows time, not machines";
  }
  if (header.starts_with("sim/collectives/") && !path.starts_with("sim/collectives/")) {
    return "collective algorithms are found by name";
  }
  for (const auto& foreign : kForeign) {
    if (!header.starts_with(foreign.header)) continue;
    const auto holds = [&](std::string_view folder) { return path.starts_with(folder); };
    if (std::ranges::none_of(foreign.folders, holds)) return "this library stays out of this layer";
  }
  return {};
}

/// The folder inside `parent` that a file lies in, or the file's name without its ending where it lies in none; "" for
/// a file that is not below `parent`.
std::string room_of(const std::string& path, std::string_view parent) {
  if (!path.starts_with(parent)) return {};
  const std::string below = path.substr(parent.size());
  return below.substr(0, below.find_first_of("/."));
}

/// Room -> rooms that it includes -> the first include that says so.
using Rooms = std::map<std::string, std::map<std::string, std::string>>;

/// Appends to `circles` those that the way `way` closes when it goes on from its last room. A room that is `done` is on
/// no circle that is not known.
void follow(const Rooms& rooms, std::vector<std::string>& way, std::set<std::string>& done,
            std::vector<std::string>& circles) {
  const auto from = rooms.find(way.back());
  if (from != rooms.end()) {
    for (const auto& [to, why] : from->second) {
      const auto start = std::ranges::find(way, to);
      if (start == way.end()) {
        if (done.contains(to)) continue;
        way.push_back(to);
        follow(rooms, way, done, circles);
        way.pop_back();
        continue;
      }
      std::string words;
      std::string reasons;
      for (auto at = start; at != way.end(); ++at) {
        const std::string& next = at + 1 == way.end() ? to : *(at + 1);
        words += *at + " -> ";
        reasons += (reasons.empty() ? "" : ", ") + rooms.at(*at).at(next);
      }
      circles.push_back(words + to + ": " + reasons);
    }
  }
  done.insert(way.back());
}

}  // namespace

std::vector<std::string> folder_circles(const std::vector<SourceFile>& files, std::string_view parent) {
  Rooms rooms;
  for (const auto& file : files) {
    const std::string from = room_of(file.path, parent);
    if (from.empty()) continue;
    for (const auto& include : includes_of(file)) {
      const std::string to = room_of(include.header, parent);
      if (!to.empty() && to != from) rooms[from].emplace(to, file.path + " includes " + include.header);
    }
  }
  std::vector<std::string> circles;
  std::set<std::string> done;
  for (const auto& [room, included] : rooms) {
    if (done.contains(room)) continue;
    std::vector<std::string> way{room};
    follow(rooms, way, done, circles);
  }
  return circles;
}

std::vector<Include> includes_of(const SourceFile& file) {
  static const std::regex pattern(R"((^|\n)[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"])");
  std::vector<Include> includes;
  for (std::sregex_iterator match(file.text.begin(), file.text.end(), pattern), end; match != end; ++match) {
    includes.push_back({(*match)[2], line_at(file.text, static_cast<std::size_t>(match->position(2)))});
  }
  return includes;
}

std::vector<std::string> layer_violations(const SourceFile& file) {
  std::vector<std::string> violations;
  if (layer_of(file.path) < 0) return violations;
  for (const auto& include : includes_of(file)) {
    const std::string why = objection(file.path, include.header);
    if (why.empty()) continue;
    violations.push_back(file.path + ":" + std::to_string(include.line) + ": includes " + include.header + ": " + why);
  }
  return violations;
}

}  // namespace kernbench::project
