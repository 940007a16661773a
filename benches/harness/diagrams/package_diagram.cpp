// The dies of a package as the grid they are, above the IO die with its switch and host.
#include <algorithm>

#include "benches/harness/diagrams/diagrams.hpp"
#include "benches/harness/diagrams/labels.hpp"
#include "benches/harness/diagrams/scene.hpp"
#include "benches/harness/figures/theme.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kMostRows = 8;
constexpr std::int64_t kMostColumns = 5;
constexpr double kGapX = 92;  // between dies: room for "4 × 128 GB/s"
constexpr double kGapY = 46;
constexpr double kDieHeight = 62;
constexpr double kMargin = 38;  // of the frame: room for a label beside the last column

Box die_box(const MachineSpec& spec, std::int64_t die, double x, double y, double width) {
  return {{x, y, width, kDieHeight},
          "die",
          palette::kGreen,
          "die" + std::to_string(die),
          {"die " + std::to_string(die), counted(spec.die.routers.count(), "PE", "PEs"),
           "SRAM " + size_label(spec.die.sram.capacity)}};
}

}  // namespace

Figure package_diagram(const LoadedMachine& machine, const NetworkPlan& plan) {
  const auto& spec = machine.spec;
  const auto& grid = spec.package.dies;
  const GridSpec drawn{std::min(grid.rows, kMostRows), std::min(grid.columns, kMostColumns)};
  const auto io_die = static_cast<std::int32_t>(grid.count());
  const auto links = bundles(plan, [&](const NetworkNode& node) {
    if (node.at.package != 0 || node.kind == NodeKind::kHost) return -1;
    return node.kind == NodeKind::kSwitch ? io_die : node.at.die;
  });

  Scene scene;
  const auto columns = static_cast<double>(drawn.columns);
  const double width = std::min(120.0, (Scene::kWidth - 2 * kMargin - (columns - 1) * kGapX) / columns);
  const double inner = columns * width + (columns - 1) * kGapX;
  const double left = (Scene::kWidth - inner) / 2;
  constexpr double kTop = 36;
  const double io_y = kTop + static_cast<double>(drawn.rows) * (kDieHeight + kGapY);
  std::map<std::int32_t, Box> boxes;
  for (std::int64_t row = 0; row < drawn.rows; ++row) {
    for (std::int64_t column = 0; column < drawn.columns; ++column) {
      const auto die = row * grid.columns + column;
      boxes[static_cast<std::int32_t>(die)] = die_box(spec, die, left + static_cast<double>(column) * (width + kGapX),
                                                      kTop + static_cast<double>(row) * (kDieHeight + kGapY), width);
    }
  }
  const double frame_left = std::min(left, 300.0) - kMargin + 2;
  scene.add_frame(
      {{frame_left, 4, Scene::kWidth - 2 * frame_left, io_y + 60}, "package", palette::kBlue, "package0", {"package"}});
  const Box io{{left, io_y, inner, 44},
               "io_die",
               palette::kVermillion,
               "switch",
               {"IO die: switch", label(spec.system.package_switch)}};
  scene.add_box(io);

  for (const auto& [pair, bundle] : links) {
    if (pair.first > pair.second || !boxes.contains(pair.first)) continue;
    const auto& a = boxes.at(pair.first);
    const auto name = "link " + std::to_string(pair.first) + " - " + std::to_string(pair.second);
    const auto lines = bundle.lines();
    const bool to_io_die = pair.second == io_die;
    if (!to_io_die && !boxes.contains(pair.second)) continue;
    if (!to_io_die && pair.second == pair.first + 1) {
      const auto& b = boxes.at(pair.second);
      scene.add_wire({{a.right(), a.centre().y}, {b.x, b.centre().y}}, name);
      scene.add_text({(a.right() + b.x) / 2, a.centre().y - 10}, lines[0]);
      scene.add_text({(a.right() + b.x) / 2, a.centre().y + 10}, lines[1]);
      continue;
    }
    const Point top{a.centre().x, a.bottom()};
    const bool is_last_column = columns > 1 && a.right() > left + inner - 1;  // no room right of it
    scene.add_wire({top, {top.x, to_io_die ? io.y : boxes.at(pair.second).y}}, name);
    scene.add_texts({top.x + (is_last_column ? -6 : 6), top.y + kGapY / 2 - 7}, lines,
                    is_last_column ? Align::kRight : Align::kLeft);
  }
  for (const auto& [die, box] : boxes) scene.add_box(box);

  // Below the package: its host, and the links to other packages.
  const double below = io.bottom() + 58;
  const Box host{{io.x + io.width / 4 - 35, below, 70, 30}, "host", "#57606a", "host", {"host"}};
  scene.add_wire({{host.centre().x, io.bottom()}, {host.centre().x, host.y}}, "host");
  scene.add_texts({host.centre().x - 6, io.bottom() + 29},
                  {label(spec.system.host_link), label(spec.system.host_link_latency)}, Align::kRight);
  scene.add_box(host);
  std::int64_t outward = 0;
  for (const auto& link : plan.links) {
    outward += link.dimension >= kPackageX && plan.node(link.from).at.package == 0 ? 1 : 0;
  }
  if (outward > 0) {
    const double x = io.x + 3 * io.width / 4;
    scene.add_wire({{x, io.bottom()}, {x, below + 15}}, "packages");
    scene.add_texts({x + 6, io.bottom() + 29},
                    {counted(outward, "link", "links") + ", " + label(spec.system.package_link),
                     label(spec.system.package_link_latency), "to other packages"},
                    Align::kLeft);
  }
  scene.set_height(below + 52);

  const auto& port = spec.package.die_to_die;
  std::vector<std::string> notes{machine_note(machine), counted(grid.count(), "die", "dies") + " of " +
                                                            counted(spec.die.routers.count(), "PE", "PEs") + " · " +
                                                            counted(port.connections, "connection", "connections") +
                                                            " a side, each " + label(port.bandwidth) + ", a port of " +
                                                            label(port.port) + " at both ends"};
  for (auto& note : cut_note(grid, drawn, "dies")) notes.push_back(std::move(note));
  return scene.figure("topology_package", spec.name + ": a package", notes);
}

}  // namespace kernbench
