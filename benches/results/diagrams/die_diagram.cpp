// The mesh of a die: each router with its PE and HBM controller, the SRAM, and what leads to other dies.
#include <algorithm>
#include <array>

#include "benches/io/text/numbers.hpp"
#include "benches/results/diagrams/diagrams.hpp"
#include "benches/results/diagrams/labels.hpp"
#include "benches/results/diagrams/scene.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/network_cuts.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kMost = 8;  // rows and columns that are legible
constexpr double kDieMargin = 96;  // for the labels of connections to other dies
constexpr double kRouterHeight = 30;

/// The die of the first package with the most bandwidth to others; the first of them.
std::int32_t busiest_die(const NetworkPlan& plan) {
  std::int32_t best = 0;
  for (std::int32_t die = 1; die < plan.numbers.dies; ++die) {
    const auto out = [&](std::int32_t which) { return outgoing(plan, nodes_of_die(plan, 0, which)); };
    if (out(die) > out(best)) best = die;
  }
  return best;
}

class DieDiagram {
 public:
  DieDiagram(const LoadedMachine& machine, const NetworkPlan& plan)
      : machine_(machine),
        spec_(machine.spec),
        plan_(plan),
        die_(busiest_die(plan)),
        drawn_{std::min(spec_.die.routers.rows, kMost), std::min(spec_.die.routers.columns, kMost)},
        pitch_x_(std::min(190.0, (Scene::kWidth - 2 * (spec_.package.dies.columns > 1 ? kDieMargin : kPad + 2)) /
                                     static_cast<double>(drawn_.columns))),
        left_((Scene::kWidth - pitch_x_ * static_cast<double>(drawn_.columns)) / 2) {}

  Figure draw() {
    scene_.add_frame(
        {{left_ - kPad, kTop, right() - left_ + 2 * kPad, bottom() - kTop}, "die", palette::kGreen, "die", {"die"}});
    scene_.set_height(bottom() + 48);
    for (std::int64_t row = 0; row < drawn_.rows; ++row) {
      for (std::int64_t column = 0; column < drawn_.columns; ++column) add_cell(row, column);
    }
    add_sram();
    add_wires();
    return scene_.figure("topology_die", spec_.name + ": a die", notes());
  }

 private:
  static constexpr double kTop = 42;
  static constexpr double kPad = 10;

  [[nodiscard]] bool is_wide() const { return pitch_x_ >= 150; }
  [[nodiscard]] double pitch_y() const { return is_wide() ? 190 : 168; }
  [[nodiscard]] double router_width() const { return is_wide() ? 66 : 28; }
  [[nodiscard]] double right() const { return left_ + pitch_x_ * static_cast<double>(drawn_.columns); }
  /// The SRAM may hang off the last row.
  [[nodiscard]] double bottom() const {
    const bool has_sram =
        has_section(spec_, "die.sram") && spec_.die.sram.router / spec_.die.routers.columns == drawn_.rows - 1;
    return centre(drawn_.rows - 1, 0).y + (has_sram ? 96 : 40);
  }
  [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t column) const {
    return row * spec_.die.routers.columns + column;
  }
  [[nodiscard]] Position centre(std::int64_t row, std::int64_t column) const {
    return {left_ + (static_cast<double>(column) + 0.5) * pitch_x_, kTop + 112 + static_cast<double>(row) * pitch_y()};
  }

  /// Numbers of the HBM controllers at a router, "3" or "0,24"; "" where it has none.
  [[nodiscard]] std::string controllers_at(std::int64_t router) const {
    std::string numbers;
    const std::vector<std::int32_t> routers = controller_routers(spec_.die);
    for (std::size_t i = 0; i < routers.size(); ++i) {
      if (routers[i] == router) numbers += (numbers.empty() ? "" : ",") + std::to_string(i);
    }
    return numbers;
  }

  void add_cell(std::int64_t row, std::int64_t column) {
    const auto at = centre(row, column);
    const auto number = std::to_string(index(row, column));
    const double half = router_width() / 2;
    const double gap = is_wide() ? 12 : 3;
    const double pe_width = is_wide() ? 56 : pitch_x_ / 2 - 6;
    const double hbm_width = is_wide() ? 62 : pe_width;
    const double y = at.y - 86;
    const double height = is_wide() ? 28 : 38;
    const auto name = [&](const std::string& what, const std::string& which) {
      return is_wide() ? std::vector<std::string>{what + " " + which} : std::vector<std::string>{what, which};
    };
    const Box pe{
        {at.x - gap - pe_width, y, pe_width, height}, "pe", palette::kOrange, "pe" + number, name("PE", number)};
    const std::string numbers = controllers_at(index(row, column));
    const Box hbm{{at.x + gap, y, hbm_width, height}, "hbm", palette::kPurple, "hbm" + numbers, name("HBM", numbers)};
    const Box router{{at.x - half, at.y - kRouterHeight / 2, router_width(), kRouterHeight},
                     "router",
                     palette::kSkyBlue,
                     "router" + number,
                     {is_wide() ? "router " + number : number}};
    const auto& wire = spec_.die.wire;
    const auto connect = [&](double x, std::int64_t um, const std::string& name, TextAlign align) {
      scene_.add_wire({{x, pe.bottom()}, {x, router.y}}, name);
      if (!is_wide()) return;
      scene_.add_texts({align == TextAlign::kRight ? x - 5 : x + 5, pe.bottom() + 14},
                       {label(spec_.die.router.link), label(wire.delay(um))}, align);
    };
    connect(at.x - half + (is_wide() ? 7 : 4), wire.pe_to_router_um, "pe" + number, TextAlign::kRight);
    if (!numbers.empty()) {
      connect(at.x + half - (is_wide() ? 7 : 4), wire.hbm_to_router_um, "hbm" + numbers, TextAlign::kLeft);
    }
    scene_.add_box(pe);
    if (!numbers.empty()) scene_.add_box(hbm);
    scene_.add_box(router);
  }

  void add_sram() {
    if (!has_section(spec_, "die.sram")) return;
    const auto columns = spec_.die.routers.columns;
    const auto row = spec_.die.sram.router / columns;
    const auto column = spec_.die.sram.router % columns;
    if (row >= drawn_.rows || column >= drawn_.columns) return;
    const auto at = centre(row, column);
    const auto& sram = spec_.die.sram;
    Box box{{at.x - pitch_x_ / 2 + 2, at.y + 34, pitch_x_ / 2 - 10, is_wide() ? 54.0 : 44.0},
            "sram",
            palette::kYellow,
            "sram",
            {"SRAM", size_label(sram.capacity)}};
    if (is_wide()) box.lines.push_back(label(sram.bandwidth));
    const double wire_x = std::min(at.x - router_width() / 2 + 7, box.right() - 5);
    scene_.add_wire({{wire_x, at.y + kRouterHeight / 2}, {wire_x, box.y}}, "sram");
    if (is_wide()) {
      const auto& die = spec_.die;
      const auto delay = label(die.wire.delay(die.wire.sram_to_router_um));
      scene_.add_text({wire_x - 5, box.y - 9}, delay, TextAlign::kRight);
    }
    scene_.add_box(box);
  }

  void add_wires() {
    const auto first_router = plan_.find(NodeKind::kRouter, {0, die_, 0});
    for (std::int64_t row = 0; row < drawn_.rows; ++row) {
      for (std::int64_t column = 0; column < drawn_.columns; ++column) {
        for (const auto direction : {Direction::kEast, Direction::kWest, Direction::kNorth, Direction::kSouth}) {
          const auto router = first_router + static_cast<std::int32_t>(index(row, column));
          const auto link = plan_.routing.port(router, direction);
          if (link >= 0) add_wire(row, column, direction, plan_.link(link));
        }
      }
    }
  }

  void add_wire(std::int64_t row, std::int64_t column, Direction direction, const NetworkLink& link) {
    LinkBundle bundle;
    bundle.add(link);
    const auto lines = bundle.lines();
    const auto at = centre(row, column);
    const double side = router_width() / 2;
    const bool stays = plan_.node(link.to).kind == NodeKind::kRouter && plan_.node(link.to).at.die == die_;
    if (stays) {
      if (direction == Direction::kEast && column + 1 < drawn_.columns) {
        scene_.add_wire({{at.x + side, at.y}, {at.x + pitch_x_ - side, at.y}}, link.name);
        scene_.add_text({at.x + pitch_x_ / 2, at.y - 10}, lines[0]);
        scene_.add_text({at.x + pitch_x_ / 2, at.y + 10}, lines[1]);
      }
      if (direction == Direction::kSouth && row + 1 < drawn_.rows) {
        scene_.add_wire({{at.x, at.y + kRouterHeight / 2}, {at.x, at.y + pitch_y() - kRouterHeight / 2}}, link.name);
        scene_.add_texts({at.x + 5, at.y + 46}, lines, TextAlign::kLeft);
      }
      return;
    }
    if (!has_section(spec_, "package.die_to_die")) return;
    const double edge_right = right() + kPad;
    const double edge_left = left_ - kPad;
    switch (direction) {
      case Direction::kEast:
        scene_.add_wire({{at.x + side, at.y}, {edge_right + 8, at.y}}, link.name);
        scene_.add_texts({edge_right + 12, at.y - 7}, lines, TextAlign::kLeft);
        break;
      case Direction::kWest:
        scene_.add_wire({{at.x - side, at.y}, {edge_left - 8, at.y}}, link.name);
        scene_.add_texts({edge_left - 12, at.y - 7}, lines, TextAlign::kRight);
        break;
      case Direction::kNorth:
        scene_.add_wire({{at.x, at.y - kRouterHeight / 2}, {at.x, kTop - 8}}, link.name);
        scene_.add_texts({at.x, kTop - 31}, lines);
        break;
      case Direction::kSouth:
        scene_.add_wire({{at.x, at.y + kRouterHeight / 2}, {at.x, bottom() + 8}}, link.name);
        scene_.add_texts({at.x, bottom() + 18}, lines);
        break;
    }
  }

  [[nodiscard]] std::string sram_note() const {
    if (!has_section(spec_, "die.sram")) return "";
    const auto& die = spec_.die;
    return " · SRAM: " + size_label(die.sram.capacity) + ", " + label(die.sram.bandwidth) + ", " +
           label(die.sram.latency) + ", router – SRAM " + label(die.router.link) + ", " +
           label(die.wire.delay(die.wire.sram_to_router_um));
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    const auto& die = spec_.die;
    std::vector<std::string> notes{
        machine_note(machine_),
        "router: " + label(die.router.hop) + " a hop, " + counted(die.router.virtual_channels, "virtual channel") +
            ", buffers of " + size_label(die.router.buffer) + " · router – PE " + label(die.router.link) + ", " +
            label(die.wire.delay(die.wire.pe_to_router_um)) + " · router – HBM " + label(die.router.link) + ", " +
            label(die.wire.delay(die.wire.hbm_to_router_um)),
        "HBM, each: " + size_label(die.hbm.capacity) + ", " + label(die.hbm.bandwidth) + ", " +
            counted(die.hbm.pseudo_channels, "pseudo-channel") + ", read latency " + label(die.hbm.read_latency) +
            sram_note(),
        "Shown is die " + std::to_string(die_) + " of a package, with what leads to its neighbours"};
    for (auto& note : cut_note(die.routers, drawn_, "routers")) notes.push_back(std::move(note));
    return notes;
  }

  const LoadedMachine& machine_;
  const MachineSpec& spec_;
  const NetworkPlan& plan_;
  std::int32_t die_;
  GridSpec drawn_;
  double pitch_x_;
  double left_;
  Scene scene_;
};

}  // namespace

Figure die_diagram(const LoadedMachine& machine, const NetworkPlan& plan) { return DieDiagram(machine, plan).draw(); }

}  // namespace kernbench
