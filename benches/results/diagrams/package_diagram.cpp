// The dies of a package as the grid they are, above the IO die with its switch and host.
#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/results/diagrams/diagrams.hpp"
#include "benches/results/diagrams/labels.hpp"
#include "benches/results/diagrams/scene.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/machine/optional_sections.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kMostRows = 8;
constexpr std::int64_t kMostColumns = 5;
constexpr double kGapX = 92;  // between dies: room for "4 × 128 GB/s"
constexpr double kGapY = 46;
constexpr double kDieHeight = 62;
constexpr double kPackageMargin = 38;  // of the frame
constexpr double kTop = 36;

class PackageDiagram {
 public:
  PackageDiagram(const LoadedMachine& machine, const NetworkPlan& plan)
      : machine_(machine),
        spec_(machine.spec),
        plan_(plan),
        drawn_{std::min(spec_.package.dies.rows, kMostRows), std::min(spec_.package.dies.columns, kMostColumns)} {
    const auto columns = static_cast<double>(drawn_.columns);
    width_ = std::min(120.0, (Scene::kWidth - 2 * kPackageMargin - (columns - 1) * kGapX) / columns);
    const double inner = columns * width_ + (columns - 1) * kGapX;
    const double io_y = kTop + static_cast<double>(drawn_.rows) * (kDieHeight + kGapY);
    io_die_ = {{(Scene::kWidth - inner) / 2, io_y, inner, 44},
               "io_die",
               palette::kVermillion,
               "switch",
               {"IO die: switch", label(spec_.system.package_switch)}};
  }

  Figure draw() {
    const double frame = std::min(io_die_.x, 300.0) - kPackageMargin + 2;
    scene_.add_frame(
        {{frame, 4, Scene::kWidth - 2 * frame, io_die_.y + 60}, "package", palette::kBlue, "package0", {"package"}});
    place_dies();
    add_links();
    for (const auto& [die, box] : dies_) scene_.add_box(box);
    add_outside();
    return scene_.figure("topology_package", spec_.name + ": a package", notes());
  }

 private:
  void place_dies() {
    for (std::int64_t row = 0; row < drawn_.rows; ++row) {
      for (std::int64_t column = 0; column < drawn_.columns; ++column) {
        const auto die = row * spec_.package.dies.columns + column;
        const auto name = std::to_string(die);
        dies_[static_cast<std::int32_t>(die)] = {
            {io_die_.x + static_cast<double>(column) * (width_ + kGapX),
             kTop + static_cast<double>(row) * (kDieHeight + kGapY), width_, kDieHeight},
            "die",
            palette::kGreen,
            "die" + name,
            {"die " + name, counted(spec_.die.routers.count(), "PE")}};
        if (has_section(spec_, "die.sram")) {
          dies_.at(static_cast<std::int32_t>(die)).lines.push_back("SRAM " + size_label(spec_.die.sram.capacity));
        }
      }
    }
  }

  void add_links() {
    if (!has_section(spec_, "package.die_to_die")) return;
    const auto io_die = static_cast<std::int32_t>(spec_.package.dies.count());
    const auto links = bundles(plan_, [io_die](const NetworkNode& node) {
      if (node.at.package != 0 || node.kind == NodeKind::kHost) return -1;
      return node.kind == NodeKind::kSwitch ? io_die : node.at.die;
    });
    for (const auto& [pair, bundle] : links) {
      if (pair.first > pair.second || !dies_.contains(pair.first)) continue;
      const auto name = "link " + std::to_string(pair.first) + " - " + std::to_string(pair.second);
      const auto& die = dies_.at(pair.first);
      if (pair.second == io_die) {
        if (!has_io_die()) continue;
        add_downwards(die, io_die_.y, bundle, name);
      } else if (dies_.contains(pair.second)) {
        const auto& other = dies_.at(pair.second);
        if (other.y > die.y) {
          add_downwards(die, other.y, bundle, name);
        } else {
          add_eastwards(die, other.x, bundle, name);
        }
      }
    }
  }

  void add_eastwards(const Box& die, double end, const LinkBundle& bundle, const std::string& name) {
    const double y = die.centre().y;
    const auto lines = bundle.lines();
    scene_.add_wire({{die.right(), y}, {end, y}}, name);
    scene_.add_text({(die.right() + end) / 2, y - 10}, lines[0]);
    scene_.add_text({(die.right() + end) / 2, y + 10}, lines[1]);
  }

  void add_downwards(const Box& die, double end, const LinkBundle& bundle, const std::string& name) {
    const Position from{die.centre().x, die.bottom()};
    const bool is_last = drawn_.columns > 1 && die.right() > io_die_.right() - 1;  // no room right of it
    scene_.add_wire({from, {from.x, end}}, name);
    scene_.add_texts({from.x + (is_last ? -6 : 6), from.y + kGapY / 2 - 7}, bundle.lines(),
                     is_last ? TextAlign::kRight : TextAlign::kLeft);
  }

  /// What leads out of the package: to its host, or to others.
  [[nodiscard]] bool has_io_die() const {
    return spec_.system.packages.count() > 1 || absence(spec_, sections_to_host()).empty();
  }

  void add_host(double below) {
    if (!absence(spec_, sections_to_host()).empty()) return;
    const auto& system = spec_.system;
    const Box host{{io_die_.x + io_die_.width / 4 - 35, below, 70, 30}, "host", "#57606a", "host", {"host"}};
    scene_.add_wire({{host.centre().x, io_die_.bottom()}, {host.centre().x, host.y}}, "host");
    scene_.add_texts({host.centre().x - 6, io_die_.bottom() + 29},
                     {label(system.host_link), label(system.host_link_latency)}, TextAlign::kRight);
    scene_.add_box(host);
  }

  /// Below the package: its host, and the links to other packages.
  void add_outside() {
    const auto& system = spec_.system;
    const double below = io_die_.bottom() + 58;
    scene_.set_height(below + 52);
    if (!has_io_die()) return;
    scene_.add_box(io_die_);
    add_host(below);
    const auto outward = std::count_if(plan_.links.begin(), plan_.links.end(), [&](const NetworkLink& link) {
      return link.dimension >= kPackageX && plan_.node(link.from).at.package == 0;
    });
    if (outward == 0) return;
    const double x = io_die_.x + 3 * io_die_.width / 4;
    scene_.add_wire({{x, io_die_.bottom()}, {x, below + 15}}, "packages");
    scene_.add_texts({x + 6, io_die_.bottom() + 29},
                     {counted(outward, "link") + ", " + label(system.package_link), label(system.package_link_latency),
                      "to other packages"},
                     TextAlign::kLeft);
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    const auto& side = spec_.package.die_to_die;
    const auto columns = spec_.die.routers.columns;
    std::vector<std::string> notes{
        machine_note(machine_),
        counted(spec_.package.dies.count(), "die") + " of " + counted(spec_.die.routers.count(), "PE") + " · " +
            counted(side.connections_of_router(columns) * columns, "connection") + " a side, each " +
            label(side.bandwidth) + ", a port of " + label(side.port) + " at both ends"};
    for (auto& note : cut_note(spec_.package.dies, drawn_, "dies")) notes.push_back(std::move(note));
    return notes;
  }

  const LoadedMachine& machine_;
  const MachineSpec& spec_;
  const NetworkPlan& plan_;
  GridSpec drawn_;
  double width_ = 0;  ///< of a die
  Box io_die_;
  std::map<std::int32_t, Box> dies_;
  Scene scene_;
};

}  // namespace

Figure package_diagram(const LoadedMachine& machine, const NetworkPlan& plan) {
  return PackageDiagram(machine, plan).draw();
}

}  // namespace kernbench
