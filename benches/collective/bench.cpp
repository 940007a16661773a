// collective: any collective over the PEs of a machine: the workload of one's own in a sweep, a search, a what-if.
#include <cctype>

#include "benches/harness/collective/collective_bench.hpp"
#include "benches/harness/open_axis.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

constexpr const char* kUsual = "usual";  ///< chunk: usual_chunk()

enum class Scale : std::uint8_t { kDie, kPackage, kSystem };
constexpr Names<Scale> kScales{"scale",
                               {{Scale::kDie, "die"}, {Scale::kPackage, "package"}, {Scale::kSystem, "system"}}};

MachinePart part_of(const MachineSpec& machine, const Point& point) {
  const RanksPer per = kRanksPer.parse(point.at("ranks_per").get<std::string>());
  MachinePart part = *part_by_scale(machine, point.at("scale").get<std::string>(), per);
  if (part.grid.size() > 1) return part;
  throw CapacityError("scale " + point.at("scale").get<std::string>() + " has one rank on machine " + machine.name +
                      ": expected one of die, package and system that has several, or another ranks_per");
}

CollectiveCase case_of(const Point& point, const MachinePart& part) {
  CollectiveCase asked{.collective = kCollectives.parse(point.at("collective").get<std::string>()),
                       .algorithm = point.at("algorithm"),
                       .bytes = point.at("bytes").get<Bytes>(),
                       .root = 0,
                       .root_die = kRootDies.parse(point.at("root_die").get<std::string>()),
                       .chunk = 0};
  const std::string chunk = point.at("chunk");
  asked.chunk = chunk == kUsual ? usual_chunk(asked, part.machine) : parse_quantity(chunk, Dimension::kBytes);
  return asked;
}

Row simulate(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const MachinePart part = part_of(machine, point);
  return simulate_collective(part, case_of(point, part), settings).row;
}

MemoryEstimate memory(const MachineSpec& machine, const Point& point, const PointSettings& settings) {
  const MachinePart part = part_of(machine, point);
  return memory_of(case_of(point, part), part, settings.verify);
}

void check(const MachineSpec& machine, const Point& point) {
  const MachinePart part = part_of(machine, point);
  static_cast<void>(bound_of(case_of(point, part), part));
}

double cost(const MachineSpec& machine, const Point& point) {
  const MachinePart part = part_of(machine, point);
  return collective_cost(part, case_of(point, part));
}

Row theory(const MachineSpec& machine, const Point& point) {
  const MachinePart part = part_of(machine, point);
  return row_from_collective_bound(case_of(point, part), part);
}

AxisValue read_size(const std::string& text) {
  const Bytes bytes = parse_quantity(text, Dimension::kBytes);
  if (bytes < 1) throw ConfigError("expected a size such as 64 KiB, got " + text);
  return {format_quantity(bytes, Dimension::kBytes), Json{{"bytes", bytes}}};
}

AxisValue read_chunk(const std::string& text) {
  if (text == kUsual) return {text, Json(text)};
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
    throw ConfigError("expected usual or a size such as 16 KiB, got " + text);
  }
  const std::string written = format_quantity(parse_quantity(text, Dimension::kBytes), Dimension::kBytes);
  return {written, Json(written)};
}

template <class Enum>
std::function<void(const std::string&)> one_of(const Names<Enum>& names) {
  return [names](const std::string& text) { static_cast<void>(names.parse(text)); };
}

const bool registered = register_bench({
    .name = "collective",
    .summary = "Any collective on a die, a package or all: axes collective, algorithm, size, ... take any values",
    .version = "1",
    .folder = "benches/collective",
    .axes = {text_axis("collective", "all_reduce", one_of(kCollectives)),
             text_axis("algorithm", "ring",
                       [](const std::string& text) { static_cast<void>(find_collective_algorithm(text)); }),
             {"size", {read_size("1 MiB")}, OpenAxis{Dimension::kBytes, read_size}},
             text_axis("scale", "die", one_of(kScales)),
             text_axis("ranks_per", "pe", one_of(kRanksPer)),
             text_axis("root_die", "centre", one_of(kRootDies)),
             {"chunk", {kUsual}, OpenAxis{Dimension::kBytes, read_chunk}}},
    .uses_network = true,
    .report = collective_report(),
    .simulate = simulate,
    .memory = memory,
    .cost = cost,
    .theory = theory,
    .check = check,
});

}  // namespace
}  // namespace kernbench
