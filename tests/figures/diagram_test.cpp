// Diagrams of a machine: every part and every link of the level is drawn, with the file's values, and can be read.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "benches/results/diagrams/diagrams.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"

using namespace kernbench;

namespace {

using Sets = std::vector<std::string>;

LoadedMachine machine_with(const Sets& overrides) {
  return load_machine(kernbench::source_dir() + "/topology/milestone_1h.yaml", overrides);
}

Figure diagram(const std::string& level, const Sets& overrides = {}) {
  return machine_diagrams(machine_with(overrides), level).at(0);
}

/// Records of the layers that have `field`, each once.
std::vector<Json> records(const Figure& figure, const std::string& field) {
  std::vector<Json> found;
  for (const auto& layer : figure.spec.at("layer")) {
    if (layer.at("mark").contains("stroke")) continue;  // the rim of the next layer's texts
    for (const auto& record : layer.at("data").at("values")) {
      if (record.contains(field)) found.push_back(record);
    }
  }
  return found;
}

std::map<std::string, int> boxes(const Figure& figure) {
  std::map<std::string, int> counts;
  for (const auto& box : records(figure, "kind")) ++counts[box.at("kind")];
  return counts;
}

std::set<std::string> wires(const Figure& figure) {
  std::set<std::string> names;
  for (const auto& point : records(figure, "wire")) names.insert(point.at("wire"));
  return names;
}

int texts(const Figure& figure, const std::string& wanted) {
  int count = 0;
  for (const auto& text : records(figure, "text")) count += text.at("text") == wanted ? 1 : 0;
  return count;
}

struct Area {
  std::string what;
  double left, top, right, bottom;
};

bool overlap(const Area& a, const Area& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/// Where a free text lies, at 5.7 pixels a character of 12 pixels' height: less than Roboto's mean, so that what is
/// reported does overlap.
Area area_of(const Json& text) {
  const auto what = text.at("text").get<std::string>();
  const auto characters =
      std::count_if(what.begin(), what.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  const double width = 5.7 * static_cast<double>(characters);
  const double x = text.at("x");
  const double left = text.at("align") == "left" ? x : text.at("align") == "right" ? x - width : x - width / 2;
  const double y = text.at("y");
  return {what, left, y - 5, left + width, y + 5};
}

/// "" or the first two things that lie upon each other, or what lies outside.
std::string clash(const Figure& figure) {
  std::vector<Area> areas;
  for (const auto& box : records(figure, "kind")) {
    if (box.contains("frame")) continue;  // others lie in it
    areas.push_back({box.at("name"), box.at("x"), box.at("y"), box.at("x2"), box.at("y2")});
  }
  for (const auto& text : records(figure, "text")) {
    if (text.at("rim") == true) areas.push_back(area_of(text));
  }
  const double width = figure.spec.at("width");
  const double height = figure.spec.at("height");
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const auto& a = areas[i];
    if (a.left < 0 || a.right > width || a.top < 0 || a.bottom > height) return a.what + " is outside";
    for (std::size_t j = i + 1; j < areas.size(); ++j) {
      if (overlap(a, areas[j])) return a.what + " lies upon " + areas[j].what;
    }
  }
  return "";
}

Sets packages(const std::string& arrangement, int rows, int columns) {
  return {"system.arrangement=" + arrangement, "system.packages.rows=" + std::to_string(rows),
          "system.packages.columns=" + std::to_string(columns)};
}

const std::vector<Sets>& variants() {
  static const std::vector<Sets> kVariants{
      {},
      packages("ring", 1, 1),
      packages("ring", 1, 6),
      packages("torus", 2, 3),
      packages("torus", 3, 3),
      packages("torus", 4, 6),
      packages("mesh", 3, 6),
      packages("fully_connected", 1, 3),
      packages("fully_connected", 1, 4),
      packages("fully_connected", 1, 6),
      packages("fully_connected", 1, 8),
      packages("switched", 1, 2),
      packages("switched", 1, 6),
      packages("ring", 1, 9),
      {"package.dies.rows=1", "package.dies.columns=1"},
      {"package.dies.rows=3", "package.dies.columns=5", "package.die_to_die.connections=16"},
      {"die.routers.rows=8", "die.routers.columns=8", "package.die_to_die.connections=8"},
      {"die.routers.rows=1", "die.routers.columns=1", "die.sram.router=0"},
      {"die.routers.rows=3", "die.routers.columns=5", "package.die_to_die.connections=15", "die.sram.router=14"},
  };
  return kVariants;
}

}  // namespace

TEST_SUITE("ADR-0016") {
  TEST_CASE("16.15 every part of a level is drawn once") {
    CHECK(boxes(diagram("system")) == std::map<std::string, int>{{"package", 2}, {"host", 2}});
    CHECK(boxes(diagram("system", packages("switched", 1, 4))) ==
          std::map<std::string, int>{{"package", 4}, {"host", 4}, {"switch", 1}});
    CHECK(boxes(diagram("package")) ==
          std::map<std::string, int>{{"die", 16}, {"io_die", 1}, {"host", 1}, {"package", 1}});
    CHECK(boxes(diagram("die")) ==
          std::map<std::string, int>{{"die", 1}, {"router", 8}, {"pe", 8}, {"hbm", 8}, {"sram", 1}});
    const auto pe = boxes(diagram("pe"));
    for (const char* kind :
         {"pe", "hbm", "router", "tcm", "fetch", "store", "mac", "vector", "message_queue", "control", "scheduler"}) {
      CAPTURE(kind);
      CHECK(pe.at(kind) == 1);
    }
    CHECK(pe.at("dma") == 2);
    CHECK(machine_diagrams(machine_with({}), "all").size() == diagram_levels().size());
  }

  TEST_CASE("16.15 every link between packages is drawn, as the network has it") {
    for (const auto& overrides : {packages("ring", 1, 5), packages("torus", 3, 4), packages("mesh", 2, 3),
                                  packages("fully_connected", 1, 6), packages("switched", 1, 5)}) {
      const auto machine = machine_with(overrides);
      const auto plan = plan_network(machine.spec);
      const auto links = std::count_if(plan.links.begin(), plan.links.end(),
                                       [](const NetworkLink& link) { return link.dimension >= kPackageX; });
      const auto drawn = wires(system_diagram(machine, plan));
      CAPTURE(overrides[0]);
      CHECK(static_cast<std::int64_t>(drawn.size()) == links / 2 + machine.spec.system.packages.count());
    }
    // 4 x 3 pairs of dies in rows, as many in columns, 4 to the IO die; the host, and the way to other packages.
    CHECK(wires(diagram("package")).size() == 12 + 12 + 4 + 2);
    // 6 + 4 pairs of routers, 16 to PEs and HBMs, 1 to the SRAM, 4 + 8 to other dies.
    CHECK(wires(diagram("die")).size() == 10 + 16 + 1 + 12);
  }

  TEST_CASE("16.15 what stands at the links comes from the machine file") {
    const Sets odd{"package.die_to_die.bandwidth=131 GB/s",  "package.die_to_die.port_latency=3.5 ns",
                   "system.package_link.bandwidth=517 GB/s", "system.package_link.latency=23 ns",
                   "die.router.link_bandwidth=259 GB/s",     "die.wire.router_to_router=6 mm",
                   "system.host_link.bandwidth=67 GB/s",     "pe.tcm.write_bandwidth=509 GB/s",
                   "pe.tcm.read_bandwidth=503 GB/s"};
    CHECK(texts(diagram("system", odd), "517 GB/s") == 1);
    CHECK(texts(diagram("system", odd), "23 ns") == 1);
    CHECK(texts(diagram("system", odd), "67 GB/s") == 2);
    CHECK(texts(diagram("package", odd), "4 × 131 GB/s") == 28);
    CHECK(texts(diagram("package", odd), "7 ns") == 28);
    CHECK(texts(diagram("die", odd), "131 GB/s") == 8);      // one a router, north and south
    CHECK(texts(diagram("die", odd), "2 × 131 GB/s") == 4);  // two a router, east and west
    CHECK(texts(diagram("die", odd), "259 GB/s") == 10 + 16);
    CHECK(texts(diagram("die", odd), "0.06 ns") == 10);
    CHECK(texts(diagram("pe", odd), "509 GB/s") == 1);
    CHECK(texts(diagram("pe", odd), "503 GB/s") == 1);
  }

  TEST_CASE("16.15 nothing lies upon anything else, whatever the machine") {
    for (const auto& overrides : variants()) {
      for (const auto& figure : machine_diagrams(machine_with(overrides), "all")) {
        CAPTURE(figure.name);
        CAPTURE(overrides.empty() ? std::string() : overrides[0] + " " + overrides[1]);
        CHECK(clash(figure) == "");
      }
    }
  }

  TEST_CASE("16.15 diagrams keep the figures' sizes, name the machine, and say where a part is left out") {
    std::vector<Figure> figures;
    for (const auto& overrides : variants()) {
      for (auto& figure : machine_diagrams(machine_with(overrides), "all")) figures.push_back(std::move(figure));
    }
    for (const auto& svg : draw_svg(figures)) {
      const std::string key = "font-size=\"";
      for (std::size_t at = svg.find(key); at != std::string::npos; at = svg.find(key, at + 1)) {
        CHECK(std::stod(svg.substr(at + key.size())) >= 12);
      }
      CHECK(std::stod(svg.substr(svg.find(" width=\"") + 8)) <= 901);
      CHECK(svg.find("machine milestone-1h (sha256 ") != std::string::npos);
    }
    const auto notes = [](const Figure& figure) { return figure.spec.at("title").at("subtitle").back(); };
    CHECK(notes(diagram("system", packages("mesh", 5, 9))) == "Drawn: the first 4 × 6 of 5 × 9 packages");
    CHECK(notes(diagram("package", {"package.dies.columns=6"})) == "Drawn: the first 4 × 5 of 4 × 6 dies");
    CHECK(notes(diagram("die", {"die.routers.rows=12", "package.die_to_die.connections=12"})) ==
          "Drawn: the first 8 × 4 of 12 × 4 routers");
  }

  TEST_CASE("16.15 no diagram of a machine whose network could deadlock") {
    CHECK_THROWS_AS(diagram("pe", {"system.packages.columns=5", "die.router.virtual_channels=1"}), ConfigError);
    CHECK_THROWS_AS(diagram("tile"), std::out_of_range);
  }
}

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.13 what a machine is without is not drawn") {
    const LoadedMachine machine = load_machine(kernbench::source_dir() + "/tests/machine/smallest.yaml");
    const auto boxes_of = [&machine](const std::string& level) {
      return boxes(machine_diagrams(machine, level).at(0));
    };
    CHECK(boxes_of("system").count("host") == 0);
    CHECK(boxes_of("system").at("package") == 1);
    CHECK(boxes_of("package").count("host") == 0);
    CHECK(boxes_of("package").count("io_die") == 0);
    CHECK(boxes_of("package").at("die") == 1);
    CHECK(boxes_of("die").count("sram") == 0);
    CHECK(boxes_of("die").at("pe") == 1);
    CHECK(boxes_of("pe").count("message_queue") == 0);
    CHECK(boxes_of("pe").at("mac") == 1);
    for (const char* level : {"system", "package", "die"}) {
      for (const std::string& wire : wires(machine_diagrams(machine, level).at(0))) {
        CAPTURE(wire);
        CHECK(wire.find("switch") == std::string::npos);
        CHECK(wire.find("link 0 - 1") == std::string::npos);
      }
    }
  }
}
