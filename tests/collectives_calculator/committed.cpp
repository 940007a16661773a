#include "tests/collectives_calculator/committed.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/base/source_dir.hpp"
#include "tests/collectives_calculator/collective.hpp"

namespace calc {
namespace {

using nlohmann::json;

std::string text(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// 20.1: n cells that are whole rows of a grid, or the beginning of its first row; nothing else occurs here.
Grid first_cells(const Grid& grid, int n) {
  return n <= grid.columns ? Grid{1, n} : Grid{n / grid.columns, grid.columns};
}

struct Case {
  Machine machine;
  Request request;
};

Case make_case(const json& point, Machine machine) {
  const std::string scale = point.at("scale");
  Request request;
  request.collective = point.at("collective");
  request.algorithm = point.at("algorithm");
  request.count = point.at("bytes").get<std::int64_t>() / element_bytes;
  request.root_die_in_corner = point.value("root_die", "") == "corner";
  if (point.contains("tier")) machine.tier = tier_named(point["tier"]);
  if (scale == "system") {
    const std::string packages = point.at("packages");
    std::sscanf(packages.c_str(), "%dx%d", &machine.packages.rows, &machine.packages.columns);
    machine.arrangement = arrangement_named(point.at("arrangement"));
  } else {
    machine.packages = {1, 1};
  }
  if (scale == "die") machine.dies = {1, 1};
  Grid pes = machine.routers;
  if (point.contains("pes")) {
    const int n = std::stoi(text(point["pes"]));
    if (n < pes.count())
      pes = first_cells(pes, n);
    else
      machine.dies = first_cells(machine.dies, n / pes.count());
  }
  request.grid = {machine.packages, machine.dies, pes};
  const std::string& a = request.algorithm;  // 20.2
  if (a == "binary_tree" || a == "double_binary_tree" || a == "hierarchical" || request.collective == "broadcast" ||
      request.collective == "reduce")
    request.chunk = machine.slot_bytes / element_bytes;
  return {machine, request};
}

/// "time_ns 12 not 13", and the counts.
std::string difference(const json& metrics, Collective& collective, Time time) {
  std::string different;
  const auto compare = [&](const char* name, std::int64_t value, double scale) {
    const auto there = std::llround(metrics.at(name).get<double>() * scale);
    if (there != value)
      different += std::string(" ") + name + " " + std::to_string(there) + " not " + std::to_string(value);
  };
  compare("time_ns", time, 1000);
  compare("launch_ns", collective.launch(), 1000);
  compare("steps", collective.steps(), 1);
  compare("sent_bytes", collective.sent_bytes(), 1);
  compare("link_bytes", collective.link_bytes(), 1);
  return different;
}

}  // namespace

Compared compare_committed(const Wanted& wanted) {
  const std::string root = kernbench::source_dir();
  const json results = json::parse(std::ifstream(root + "/benches/milestone_1h_ccl/results/results.json"));
  const Machine machine = read_machine(YAML::LoadFile(root + "/topology/milestone_1h.yaml"));
  Compared compared;
  for (const json& row : results.at("rows")) {
    const json& point = row.at("point");
    if (point.contains("derived") || !wanted(point.at("scale"), point.at("bytes"))) continue;
    const Case run = make_case(point, machine);
    Collective collective(run.machine, make_schedule(run.request));
    const std::string different = difference(row.at("metrics"), collective, collective.run());
    ++compared.rows;
    if (!different.empty()) compared.different += point.dump() + different + "\n";
  }
  return compared;
}

}  // namespace calc
