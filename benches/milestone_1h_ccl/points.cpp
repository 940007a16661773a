#include "benches/milestone_1h_ccl/points.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "sim/base/quantity.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr Bytes kKiB = 1024;
constexpr Bytes kMiB = 1024 * kKiB;

/// Sizes at which the figure over rank counts is drawn.
constexpr Bytes kSmall = kKiB;
constexpr Bytes kLarge = 96 * kKiB;

const std::set<Bytes>& by_fours() {
  static const std::set<Bytes> kSizes = {16,        64,         256,  kKiB,     4 * kKiB, 16 * kKiB,
                                         64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB, 16 * kMiB};
  return kSizes;
}

/// The hierarchical all_reduce on six packages, per PE.
const std::set<Bytes>& of_system() {
  static const std::set<Bytes> kSizes = {16, 256, kKiB, 4 * kKiB, 16 * kKiB, 96 * kKiB};
  return kSizes;
}

std::string text(const Point& point, const char* field) { return point.value(field, std::string()); }

std::string size_label(Bytes bytes) {
  std::string label = format_quantity(bytes, Dimension::kBytes);
  label.erase(std::remove(label.begin(), label.end(), ' '), label.end());
  return label;
}

/// Fields in the order in which a point shows them; those without a value are left out.
struct CaseFields {
  std::string collective = "all_reduce";
  std::string algorithm = {};
  std::string scale = "die";
  std::string arrangement = {};
  std::string packages = {};
  std::string tier = "tcm";
  std::string root_die = {};
  int ranks = 0;
};

AxisValue as_value(const CaseFields& fields) {
  std::string label = fields.collective + "-" + fields.algorithm + "-" + fields.scale;
  Json json{{"collective", fields.collective}, {"algorithm", fields.algorithm}, {"scale", fields.scale}};
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    label += "-" + value;
    json[name] = value;
  };
  add("arrangement", fields.arrangement);
  add("packages", fields.packages);
  add("tier", fields.tier);
  add("root_die", fields.root_die);
  if (fields.ranks != 0) json["pes"] = fields.ranks;
  if (fields.ranks != 0) label += "-" + std::to_string(fields.ranks) + "pes";
  return {label, json};
}

std::string root_of(const std::string& algorithm) { return algorithm == "hierarchical" ? "centre" : ""; }

/// M8's sweep: arrangements of six packages by tiers; then the other root.
void add_hierarchical(std::vector<AxisValue>& cases) {
  const auto add = [&cases](const std::string& arrangement, const std::string& tier, const std::string& root) {
    cases.push_back(as_value({.algorithm = "hierarchical",
                              .scale = "system",
                              .arrangement = arrangement,
                              .packages = arrangement == "ring" ? "1x6" : "2x3",
                              .tier = tier,
                              .root_die = root}));
  };
  for (const char* arrangement : {"ring", "torus", "mesh"}) {
    for (const char* tier : {"tcm", "sram", "hbm"}) add(arrangement, tier, "centre");
  }
  add("torus", "tcm", "corner");
}

constexpr std::array kScalable = {"ring", "halving_doubling", "double_binary_tree", "hierarchical"};

void add_algorithms(std::vector<AxisValue>& cases) {
  for (const char* algorithm : {"ring", "bidirectional_ring", "recursive_doubling", "halving_doubling", "binary_tree",
                                "double_binary_tree", "direct", "hierarchical"}) {
    cases.push_back(as_value({.algorithm = algorithm, .root_die = root_of(algorithm)}));
  }
  for (const char* algorithm : kScalable) {
    cases.push_back(as_value({.algorithm = algorithm, .scale = "package", .root_die = root_of(algorithm)}));
  }
  for (const char* algorithm : kScalable) {
    if (std::string(algorithm) == "hierarchical") continue;  // is there
    cases.push_back(as_value({.algorithm = algorithm, .scale = "system", .arrangement = "torus", .packages = "2x3"}));
  }
}

/// The other collectives on a die, which has no hierarchy.
void add_collectives(std::vector<AxisValue>& cases) {
  const std::vector<const char*> kTrees = {
      "ring",  "bidirectional_ring", "recursive_doubling", "halving_doubling", "binary_tree", "double_binary_tree",
      "direct"};
  const std::vector<std::pair<const char*, std::vector<const char*>>> kDoneBy = {
      {"reduce_scatter", {"ring", "bidirectional_ring", "halving_doubling", "pairwise", "direct"}},
      {"all_gather", {"ring", "bidirectional_ring", "recursive_doubling", "halving_doubling", "direct"}},
      {"broadcast", kTrees},
      {"reduce", kTrees},
      {"all_to_all", {"pairwise", "direct"}}};
  for (const auto& [collective, algorithms] : kDoneBy) {
    for (const char* algorithm : algorithms) {
      cases.push_back(as_value({.collective = collective, .algorithm = algorithm}));
    }
  }
}

/// From two PEs to three packages; a die, a package and six packages are among the others.
void add_rank_counts(std::vector<AxisValue>& cases) {
  for (const char* algorithm : kScalable) {
    const std::string root = root_of(algorithm);
    for (const int ranks : {2, 4})
      cases.push_back(as_value({.algorithm = algorithm, .root_die = root, .ranks = ranks}));
    for (const int ranks : {16, 32, 64}) {
      cases.push_back(as_value({.algorithm = algorithm, .scale = "package", .root_die = root, .ranks = ranks}));
    }
    for (const int packages : {2, 3}) {
      cases.push_back(as_value({.algorithm = algorithm,
                                .scale = "system",
                                .arrangement = "torus",
                                .packages = "1x" + std::to_string(packages),
                                .root_die = root}));
    }
  }
}

/// As a machine file or --set would.
void set(MachineSpec& machine, const char* key, const std::string& value) {
  read_value(machine_key(key), value, machine);
}

}  // namespace

std::vector<Axis> milestone_1h_ccl_axes() {
  Axis cases{"case", {}};
  add_hierarchical(cases.values);
  add_algorithms(cases.values);
  add_collectives(cases.values);
  add_rank_counts(cases.values);
  Axis sizes{"size", {}};
  std::set<Bytes> all = by_fours();
  all.insert(of_system().begin(), of_system().end());
  for (const Bytes bytes : all) sizes.values.emplace_back(size_label(bytes), Json{{"bytes", bytes}});
  return {cases, sizes};
}

bool milestone_1h_ccl_includes(const Point& point) {
  const auto bytes = point.at("bytes").get<Bytes>();
  const std::string scale = point.at("scale");
  const bool counts_ranks =
      point.contains("pes") || text(point, "packages") == "1x2" || text(point, "packages") == "1x3";
  if (counts_ranks) return bytes == kSmall || bytes == kLarge;
  if (scale == "system") return of_system().contains(bytes);
  const std::string algorithm = point.at("algorithm");
  const bool all_reduce = point.at("collective") == "all_reduce";
  if (all_reduce && bytes == kLarge) return true;  // for the figure over rank counts
  if (!by_fours().contains(bytes)) return false;
  if (scale == "package" || !all_reduce) return bytes <= kMiB;
  return bytes <= (algorithm == "direct" ? 4 * kMiB : 16 * kMiB);
}

MachinePart part_of(const MachineSpec& machine, const Point& point) {
  MachineSpec changed = machine;
  set(changed, "pe.message_queue.tier", point.at("tier"));
  const std::string packages = text(point, "packages");
  if (!packages.empty()) {
    const std::size_t cross = packages.find('x');
    set(changed, "system.arrangement", point.at("arrangement"));
    set(changed, "system.packages.rows", packages.substr(0, cross));
    set(changed, "system.packages.columns", packages.substr(cross + 1));
  }
  if (point.contains("pes")) return first_pes(changed, point.at("pes").get<std::int64_t>());
  const std::string scale = point.at("scale");
  if (scale == "die") return first_pes(changed, pes_of_die(changed));
  return first_pes(changed, scale == "package" ? pes_of_package(changed) : pes_of_system(changed));
}

CollectiveCase case_of(const Point& point, const MachineSpec& machine) {
  CollectiveCase asked{.collective = kCollectives.parse(text(point, "collective")),
                       .algorithm = point.at("algorithm"),
                       .bytes = point.at("bytes").get<Bytes>(),
                       .root = 0,
                       .root_die = kRootDies.parse(point.value("root_die", "centre")),
                       .chunk = 0};
  asked.chunk = usual_chunk(asked, machine);
  return asked;
}

}  // namespace kernbench
