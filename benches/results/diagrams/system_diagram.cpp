// Packages as the grid they are, or in a circle where each is linked to each, or below their common switch.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "benches/io/text/numbers.hpp"
#include "benches/results/diagrams/diagrams.hpp"
#include "benches/results/diagrams/labels.hpp"
#include "benches/results/diagrams/scene.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/names.hpp"
#include "sim/machine/optional_sections.hpp"

namespace kernbench {
namespace {

constexpr Names<PackageArrangement> kArrangements{"arrangement",
                                                  {{PackageArrangement::kRing, "ring"},
                                                   {PackageArrangement::kMesh, "mesh"},
                                                   {PackageArrangement::kTorus, "torus"},
                                                   {PackageArrangement::kFullyConnected, "fully connected"},
                                                   {PackageArrangement::kSwitched, "all to one switch"}}};

constexpr double kGap = 84;  // between packages: room for "512 GB/s"
constexpr double kHeight = 72;
constexpr double kSystemMargin = 26;
constexpr double kLoopMargin = 66;  // where labels of links round the end of a column stand right of it
constexpr double kHostGap = 40;
constexpr double kHostHeight = 26;
constexpr const char* kHostColour = "#57606a";
constexpr std::int32_t kCentral = 1 << 30;

class SystemDiagram {
 public:
  SystemDiagram(const LoadedMachine& machine, const NetworkPlan& plan) : machine_(machine), spec_(machine.spec) {
    links_ = bundles(plan, [](const NetworkNode& node) {
      if (node.kind != NodeKind::kSwitch) return -1;
      return node.at.package < 0 ? kCentral : node.at.package;
    });
  }

  Figure draw() {
    const auto arrangement = spec_.system.arrangement;
    const bool circle = arrangement == PackageArrangement::kFullyConnected && spec_.system.packages.count() > 2;
    if (circle) {
      draw_circle();
    } else {
      draw_grid(arrangement == PackageArrangement::kSwitched && spec_.system.packages.count() > 1);
    }
    const auto& system = spec_.system;
    std::vector<std::string> notes{
        machine_note(machine_),
        counted(system.packages.count(), "package") +
            (system.packages.count() > 1
                 ? ", " + std::string(kArrangements[arrangement]) + " · each link " + label(system.package_link) +
                       ", " + label(system.package_link_latency) + " · each switch " + label(system.package_switch)
                 : "") +
            (has_host() ? " · IO processor " + label(system.io_processor) + " a command" : "")};
    for (auto& note : cut_note(system.packages, drawn_, "packages")) notes.push_back(std::move(note));
    return scene_.figure("topology_system", spec_.name + ": the system", notes);
  }

 private:
  [[nodiscard]] bool has_host() const { return absence(spec_, sections_to_host()).empty(); }
  [[nodiscard]] static std::string name(std::int32_t package) { return "package" + std::to_string(package); }

  void add_package(std::int32_t package, double x, double y, double width, bool host_above) {
    const auto dies = spec_.package.dies.count();
    Box box{
        {x, y, width, kHeight},
        "package",
        palette::kBlue,
        name(package),
        {"package " + std::to_string(package), counted(dies, "die"), counted(dies * spec_.die.routers.count(), "PE")}};
    if (has_section(spec_, "system.package_link")) box.lines.push_back("switch " + label(spec_.system.package_switch));
    boxes_[package] = box;
    scene_.add_box(box);
    if (!has_host()) return;
    const double host_width = std::min(width, 48.0);
    const double host_y = host_above ? y - kHostGap - kHostHeight : box.bottom() + kHostGap;
    const Box host{{x, host_y, host_width, kHostHeight}, "host", kHostColour, name(package) + ".host", {"host"}};
    const double middle = host.x + 8;
    const double wire_top = host_above ? host.bottom() : box.bottom();
    scene_.add_wire({{middle, wire_top}, {middle, wire_top + kHostGap}}, name(package) + ".host");
    scene_.add_texts({middle + 6, wire_top + 13},
                     {label(spec_.system.host_link), label(spec_.system.host_link_latency)}, TextAlign::kLeft);
    scene_.add_box(host);
  }

  void add_link(BoxPair pair, const std::vector<Position>& points) {
    scene_.add_wire(points, "link " + std::to_string(pair.first) + " - " + std::to_string(pair.second));
  }

  void draw_grid(bool below_switch) {
    const auto& grid = spec_.system.packages;
    const bool loops = spec_.system.arrangement == PackageArrangement::kTorus && grid.rows > 2 && grid.rows <= 4;
    drawn_ = {std::min<std::int64_t>(grid.rows, 4), std::min<std::int64_t>(grid.columns, loops ? 5 : 6)};
    const double margin = loops ? kLoopMargin : kSystemMargin;
    const auto columns = static_cast<double>(drawn_.columns);
    const double width = std::min(130.0, (Scene::kWidth - 2 * margin - (columns - 1) * kGap) / columns);
    const double left = (Scene::kWidth - columns * width - (columns - 1) * kGap) / 2;
    const bool goes_round = links_.contains({0, static_cast<std::int32_t>(grid.columns) - 1}) && grid.columns > 2;
    const double top = below_switch ? 190 : goes_round ? 50 : 14;
    const double cell = kHeight + kHostGap + kHostHeight;
    const double pitch = cell + 76;
    for (std::int64_t row = 0; row < drawn_.rows; ++row) {
      for (std::int64_t column = 0; column < drawn_.columns; ++column) {
        add_package(static_cast<std::int32_t>(row * grid.columns + column),
                    left + static_cast<double>(column) * (width + kGap), top + static_cast<double>(row) * pitch, width,
                    false);
      }
    }
    scene_.set_height(top + static_cast<double>(drawn_.rows - 1) * pitch + cell + 10);
    if (below_switch) add_central(top);
    for (const auto& [pair, bundle] : links_) {
      const bool both = boxes_.contains(pair.first) && boxes_.contains(pair.second);
      if (both && pair.first < pair.second) add_grid_link(pair, bundle);
    }
  }

  void add_grid_link(BoxPair pair, const LinkBundle& bundle) {
    const auto& a = boxes_.at(pair.first);
    const auto& b = boxes_.at(pair.second);
    const auto lines = bundle.lines();
    const auto columns = spec_.system.packages.columns;
    const auto apart = pair.second - pair.first;
    const bool same_row = pair.first / columns == pair.second / columns;
    if (same_row && apart == 1) {
      const double y = a.y + 24;
      add_link(pair, {{a.right(), y}, {b.x, y}});
      scene_.add_text({(a.right() + b.x) / 2, y - 10}, lines[0]);
      scene_.add_text({(a.right() + b.x) / 2, y + 10}, lines[1]);
    } else if (same_row) {  // round the end of a row, above it
      const double y = a.y - 18;
      const double from = a.x + 14;
      const double to = b.right() - 14;
      add_link(pair, {{from, a.y}, {from, y}, {to, y}, {to, b.y}});
      scene_.add_text({(from + to) / 2, y - 10}, lines[0] + ", " + lines[1]);
    } else if (apart == columns) {
      const double x = a.right() - 8;
      add_link(pair, {{x, a.bottom()}, {x, b.y}});
      scene_.add_texts({x - 6, a.bottom() + kHostGap + kHostHeight + 12}, lines, TextAlign::kRight);
    } else {  // round the end of a column, right of it
      const double x = a.right() + 7;
      const double end = b.bottom() + 18;
      add_link(pair,
               {{a.right(), a.y + 60}, {x, a.y + 60}, {x, end}, {b.right() - 8, end}, {b.right() - 8, b.bottom()}});
      scene_.add_texts({x + 6, end - 7}, lines, TextAlign::kLeft);
    }
  }

  void add_central(double top) {
    const Box box{{Scene::kWidth / 2 - 75, 10, 150, 42},
                  "switch",
                  palette::kVermillion,
                  "system.switch",
                  {"switch", label(spec_.system.package_switch)}};
    scene_.add_box(box);
    const auto count = static_cast<double>(boxes_.size());
    for (const auto& [package, to] : boxes_) {
      const auto& bundle = links_.at({package, kCentral});
      const double from = box.x + box.width * (static_cast<double>(package) + 0.5) / count;
      const double x = to.centre().x;
      add_link({package, kCentral}, {{from, box.bottom()}, {x, top - 50}, {x, top}});
      scene_.add_texts({x + 6, top - 32}, bundle.lines(), TextAlign::kLeft);
    }
  }

  void draw_circle() {
    constexpr std::int64_t kMost = 8;
    constexpr double kRadiusX = 330;
    constexpr double kBox = 100;
    const auto count = std::min(spec_.system.packages.columns, kMost);
    drawn_ = {1, count};
    const double radius_y = count > 4 ? 200 : 150;
    const Position middle{Scene::kWidth / 2, radius_y + kHeight / 2 + kHostGap + kHostHeight + 8};
    for (std::int32_t package = 0; package < count; ++package) {
      // Half a step off the vertical, so that upper and lower half have their hosts outside.
      const double angle = 2 * std::numbers::pi * (package + 0.5) / static_cast<double>(count) - std::numbers::pi / 2;
      const double x = middle.x + kRadiusX * std::cos(angle);
      const double y = middle.y + radius_y * std::sin(angle);
      add_package(package, x - kBox / 2, y - kHeight / 2, kBox, std::sin(angle) < -0.01);
    }
    scene_.set_height(2 * middle.y);
    for (const auto& [pair, bundle] : links_) {
      if (pair.first > pair.second || pair.second >= count) continue;
      const auto a = boxes_.at(pair.first).centre();
      const auto b = boxes_.at(pair.second).centre();
      add_link(pair, {a, b});
      // Near the first package of neighbours: lines do not cross there.
      const bool neighbours = pair.second - pair.first == 1 || (pair.first == 0 && pair.second == count - 1);
      if (neighbours) scene_.add_texts({(a.x + b.x) / 2, (a.y + b.y) / 2 - 7}, bundle.lines());
    }
  }

  const LoadedMachine& machine_;
  const MachineSpec& spec_;
  std::map<BoxPair, LinkBundle> links_;
  Scene scene_;
  GridSpec drawn_;
  std::map<std::int32_t, Box> boxes_;
};

}  // namespace

Figure system_diagram(const LoadedMachine& machine, const NetworkPlan& plan) {
  return SystemDiagram(machine, plan).draw();
}

}  // namespace kernbench
