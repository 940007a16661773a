#include "benches/results/diagrams/labels.hpp"

#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string number(double value, const std::string& unit) { return formatted("%.5g ", value) + unit; }

}  // namespace

std::string label(Bandwidth bandwidth) {
  const double gbs = bandwidth.gbs();
  return gbs >= 10'000 ? number(gbs / 1000, "TB/s") : number(gbs, "GB/s");
}

std::string label(Picoseconds time) {
  return time.value >= 10'000'000 ? number(time.ns() / 1000, "µs") : number(time.ns(), "ns");
}

std::string size_label(Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); }

void LinkBundle::add(const NetworkLink& link) {
  links += link.lanes;
  bandwidth = {link.bandwidth.bytes_per_second / link.lanes};
  latency = link.latency;
}

std::vector<std::string> LinkBundle::lines() const {
  const auto each = label(bandwidth);
  return {links == 1 ? each : std::to_string(links) + " × " + each, label(latency)};
}

std::map<BoxPair, LinkBundle> bundles(const NetworkPlan& plan,
                                      const std::function<std::int32_t(const NetworkNode&)>& box_of) {
  std::map<BoxPair, LinkBundle> found;
  for (const auto& link : plan.links) {
    const BoxPair pair{box_of(plan.node(link.from)), box_of(plan.node(link.to))};
    if (pair.first < 0 || pair.second < 0 || pair.first == pair.second) continue;
    found[pair].add(link);
  }
  return found;
}

std::string machine_note(const LoadedMachine& machine) {
  return "machine " + machine.spec.name + " (sha256 " + machine.sha256.substr(0, 8) +
         ") · bandwidths are those of one direction, latencies one way";
}

std::vector<std::string> cut_note(const GridSpec& all, const GridSpec& drawn, const std::string& what) {
  if (all.count() == drawn.count()) return {};
  return {"Drawn: the first " + std::to_string(drawn.rows) + " × " + std::to_string(drawn.columns) + " of " +
          std::to_string(all.rows) + " × " + std::to_string(all.columns) + " " + what};
}

}  // namespace kernbench
