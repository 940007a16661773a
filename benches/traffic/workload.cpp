// traffic: random messages between PEs over the network of a machine, and where that is full (docs/noc.md).
#include "benches/workloads/workload.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "benches/workloads/collective/pe_set.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/probe/path_rates.hpp"
#include "sim/system/noc/pe_traffic.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim traffic --pes package --rate '4 GB/s..64 GB/s*2'               latency by load, and from where on it is too much
  kernbench sim traffic --pes package --traffic uniform,neighbour,hotspot      patterns beside each other
  kernbench sim traffic --pes 0.0.0-0.1.7 --size 4KiB                          between the PEs of two dies, in larger messages
  kernbench whatif traffic --pes package --rate '24 GB/s'                      what to change of the machine for it
  kernbench run traffic --sweep 'die.router.link_bandwidth=128 GB/s..512 GB/s*2'   over links of other rates

`kernbench sim noc` follows routers flit by flit, on a mesh of its own.)";

constexpr std::int64_t kGigabyte = 1'000'000'000;
constexpr std::int64_t kMicrosecond = 1'000'000;  // in ps
constexpr std::int64_t kSecond = kPicosecondsPerSecond;
constexpr Bytes kLargestMessage = Bytes{1} << 30U;
constexpr int kOneHot = 100;  // percent

constexpr Metric<double> kMedianLatency{"latency_p50_ns"};
constexpr Metric<double> kP99Latency{"latency_p99_ns"};
constexpr Metric<double> kLongestLatency{"latency_max_ns"};
constexpr Metric<double> kZeroLoad{"zero_load_ns"};
constexpr Metric<double> kOfferedGbs{"offered_gbs"};
constexpr Metric<double> kAcceptedGbs{"accepted_gbs"};
constexpr Metric<double> kLoad{"load"};
constexpr Metric<std::string> kSaturated{"saturated"};
constexpr Metric<double> kSaturatesAt{"saturates_at_gbs"};
constexpr Metric<std::string> kMostLoadedLink{"most_loaded_link"};
constexpr Metric<double> kMeanHops{"mean_hops"};
constexpr Metric<std::int64_t> kMessages{"messages"};

struct TrafficAsked {
  std::string over = "die";
  TrafficPattern pattern = TrafficPattern::kUniform;
  std::int64_t rate = 64 * kGigabyte;
  std::int64_t message = 256;
  std::int64_t hot_percent = 10;
  std::int64_t seed = 1;
  std::int64_t warm_up = 2 * kMicrosecond;
  std::int64_t measure = 20 * kMicrosecond;
};

Axes<TrafficAsked> traffic_axes() {
  using R = TrafficAsked;
  Axes<R> axes;
  AxisWords over = over_words("PEs that send to each other");
  over.option = "--pes,--over";
  axes.pes(over, kOverTypes, &R::over);
  axes.choice({"traffic", "--traffic",
               "Where messages go, by the PEs' places in the mesh of routers\nuniform: to any of them, the own one "
               "included\ntranspose: from row r, column c to row c, column r\nneighbour: one row and one column on, "
               "round the ends\nhotspot: some to the PE in the middle, the others as uniform"},
              "uniform|transpose|neighbour|hotspot", &R::pattern, kPatternsOfPairs);
  axes.quantity({"rate", "--rate", "What each PE creates: '64 GB/s', at most a message a ns", "rate_bytes_per_s"},
                Dimension::kBandwidth, &R::rate);
  axes.quantity({"size", "--size,--bytes", "Of a message: at most a packet, or whole packets", "message_bytes"},
                Dimension::kBytes, &R::message);
  axes.count({"hot", "--hot", "Of hotspot: how many of 100 messages go to the PE in the middle", "hot_percent"},
             &R::hot_percent, 0, kOneHot)
      .quiet();
  axes.count({"seed", "--seed", "Of the random numbers: the same seed, the same messages"}, &R::seed, 0,
             std::numeric_limits<std::int64_t>::max())
      .quiet();
  axes.quantity({"warm_up", "--warm-up", "Time before the window", "warm_up_ps"}, Dimension::kTime, &R::warm_up)
      .quiet();
  axes.quantity({"measure", "--measure", "Length of the window: messages created in it are measured", "measure_ps"},
                Dimension::kTime, &R::measure)
      .quiet();
  return axes;
}

void check_message(const MachineSpec& machine, Bytes message) {
  const Bytes packet = machine.simulation.packet;
  const auto size = [](Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); };
  if (message > 0 && message <= kLargestMessage && (message <= packet || message % packet == 0)) return;
  throw ConfigError("--size " + size(message) + ": expected from 1 B to " + size(packet) +
                    ", which is simulation.packet_bytes, or a multiple of that up to " + size(kLargestMessage));
}

void check_times(const TrafficAsked& asked) {
  const auto check = [](const char* option, std::int64_t time, std::int64_t least) {
    if (time >= least && time <= kSecond) return;
    const auto text = [](std::int64_t ps) { return format_quantity(ps, Dimension::kTime); };
    throw ConfigError(std::string(option) + " " + text(time) + ": expected from " + text(least) + " to " +
                      text(kSecond));
  };
  check("--warm-up", asked.warm_up, 0);
  check("--measure", asked.measure, kCreationCycle.value);
}

void check_traffic_rate(const PeTraffic& traffic) {
  if (traffic.rate.bytes_per_second > 0 && traffic.per_cycle() <= 1) return;
  const auto rate = [](std::int64_t bytes_per_second) {
    return format_quantity(bytes_per_second, Dimension::kBandwidth);
  };
  const std::int64_t most = traffic.message * (kPicosecondsPerSecond / kCreationCycle.value);
  throw ConfigError("--rate " + rate(traffic.rate.bytes_per_second) + ": expected more than 0 and at most " +
                    rate(most) + ", a message of " + format_quantity(traffic.message, Dimension::kBytes) +
                    " a ns, which is as often as a PE creates one; a larger --size allows more");
}

PeTraffic place_traffic(const MachineSpec& machine, const TrafficAsked& asked) {
  PeSet named = parse_pes("--pes", asked.over, machine);
  if (named.pes.size() < 2) {
    throw ConfigError("--pes " + in_quotes(asked.over) + ": expected two PEs or more, between which there is traffic");
  }
  if (asked.pattern != TrafficPattern::kHotspot && asked.hot_percent != TrafficAsked{}.hot_percent) {
    throw ConfigError("--hot " + std::to_string(asked.hot_percent) + " needs --traffic hotspot, got " +
                      std::string(kTrafficPatterns[asked.pattern]));
  }
  check_message(machine, asked.message);
  check_times(asked);
  PeMesh mesh = mesh_of(named.machine, named.pes);
  PeTraffic traffic{.machine = std::move(named.machine),
                    .pes = std::move(mesh.pes),
                    .pattern = checked({.pattern = asked.pattern,
                                        .rows = mesh.rows,
                                        .columns = mesh.columns,
                                        .hot_nodes = {},
                                        .hot_fraction = static_cast<double>(asked.hot_percent) / kOneHot}),
                    .rate = {asked.rate},
                    .message = asked.message,
                    .seed = static_cast<std::uint64_t>(asked.seed),
                    .warm_up = {asked.warm_up},
                    .measure = {asked.measure}};
  check_traffic_rate(traffic);
  return traffic;
}

std::string traffic_title(const PeTraffic& traffic) {
  return std::string(kTrafficPatterns[traffic.pattern.pattern]) + " traffic of " +
         format_quantity(traffic.rate.bytes_per_second, Dimension::kBandwidth) + " from each of " +
         counted(std::ssize(traffic.pes), "PE") + ", in messages of " +
         format_quantity(traffic.message, Dimension::kBytes) + ", on " + traffic.machine.name;
}

TrafficExpectation expectation(const PeTraffic& traffic, const NetworkPlan& plan) {
  const TrafficExpectation expected = expect_traffic(plan, traffic);
  if (expected.messages > 0) return expected;
  throw ConfigError("--measure " + format_quantity(traffic.measure.value, Dimension::kTime) +
                    ": no PE creates a message in so short a time; give a longer one, or more --rate");
}

/// What most of the latency is: the way, or the wait for others, whose cure is more of the link that is full first.
std::string traffic_limit(const NetworkPlan& plan, const TrafficExpectation& expected, double latency) {
  return latency > 2 * expected.zero_load ? bandwidth_key(plan, plan.link(expected.most_loaded)) : "latency";
}

Row run_traffic(const PeTraffic& traffic, const RunSettings& settings) {
  if (settings.verify) throw ConfigError("--verify: traffic carries no values");
  if (settings.sink != nullptr) throw ConfigError("--trace: traffic has no operations, which are what a trace shows");
  const NetworkPlan plan = plan_network(traffic.machine);
  const TrafficExpectation expected = expectation(traffic, plan);
  const PeTrafficRun run = run_pe_traffic(traffic, expected, settings);
  const TrafficResult& measured = run.measured;
  const auto ns = [](double ps) { return ps / static_cast<double>(kCreationCycle.value); };
  // Bytes a ns are GB/s.
  const auto gbs = [&](double packets) { return packets * static_cast<double>(traffic.packet()); };
  Row row;
  row.metrics = {{kTime, ns(measured.mean_latency)},
                 {kMedianLatency, Picoseconds{measured.p50_latency}.ns()},
                 {kP99Latency, Picoseconds{measured.p99_latency}.ns()},
                 {kLongestLatency, Picoseconds{measured.max_latency}.ns()},
                 {kZeroLoad, ns(expected.zero_load)},
                 {kOfferedGbs, gbs(measured.offered)},
                 {kAcceptedGbs, gbs(measured.accepted)},
                 {kLoad, measured.channel_load},
                 {kSaturated, measured.saturated ? "yes" : "no"},
                 {kSaturatesAt, expected.saturates_at / kGigabyte},
                 {kMostLoadedLink, plan.link(expected.most_loaded).name},
                 {kLinkUtilisationMax, run.busiest},
                 {kBusiestLink, run.busiest_link},
                 {kMeanHops, expected.hops},
                 {kMessages, measured.packets},
                 {kLimitedBy, traffic_limit(plan, expected, measured.mean_latency)}};
  add_energy(row, traffic.machine.energy, run.activity, run.end);
  return row;
}

double traffic_cost(const PeTraffic& traffic) {
  return static_cast<double>(traffic.pes.size()) * traffic.per_cycle() * static_cast<double>(traffic.packets()) *
         (traffic.warm_up + traffic.measure).ns();
}

MemoryEstimate traffic_memory(const PeTraffic& traffic, bool /*verify*/) {
  MemoryEstimate estimate = system_memory(traffic.machine);
  estimate.add("streams of messages", static_cast<double>(traffic.pes.size()), sizeof(PacketStream));
  return estimate;
}

Row traffic_bound(const PeTraffic& traffic) {
  const TrafficExpectation expected = expectation(traffic, plan_network(traffic.machine));
  Row row;
  row.metrics = {{kTime, expected.zero_load / static_cast<double>(kCreationCycle.value)}};
  return row;
}

std::vector<Fact> traffic_facts(const Row& row) {
  const auto ns = [&row](const Metric<double>& metric) { return one_decimal(row.metrics.at(metric)) + " ns"; };
  const auto gbs = [&row](const Metric<double>& metric) { return one_decimal(row.metrics.at(metric)) + " GB/s"; };
  return {
      {"latency", ns(kTime) + " in the mean, " + ns(kZeroLoad) + " of it the way; half take at most " +
                      ns(kMedianLatency) + ", 99 of 100 " + ns(kP99Latency) + ", all " + ns(kLongestLatency)},
      {"rate", gbs(kOfferedGbs) + " created by a PE, " + gbs(kAcceptedGbs) + " arrived"},
      {"full at", gbs(kSaturatesAt) + " a PE: " + row.metrics.at(kMostLoadedLink)},
      {"busiest", row.metrics.at(kBusiestLink) + ", " + percent(row.metrics.at(kLinkUtilisationMax)) + " of the time"},
      {"hops", short_number(row.metrics.at(kMeanHops)) + " routers in the mean"},
      {"saturated", row.metrics.at(kSaturated) == "no" ? "no" : "yes: with a longer --measure the latency is more"},
      {"limited by", row.metrics.at(kLimitedBy)}};
}

Workload traffic_workload() {
  const Axes<TrafficAsked> axes = traffic_axes();
  const Answers<TrafficAsked, PeTraffic> on_pes{.columns = {{"time_ns", "latency (ns)"},
                                                            {"saturated", "saturated"},
                                                            {"accepted_gbs", "GB/s"},
                                                            {"load", "load", true},
                                                            {"latency_p99_ns", "p99 (ns)"}},
                                                .multi_pe = true,
                                                .smaller = "fewer --pes",
                                                .place = place_traffic,
                                                .title = traffic_title,
                                                .run = run_traffic,
                                                .memory = traffic_memory,
                                                .cost = traffic_cost,
                                                .bound = traffic_bound,
                                                .facts = traffic_facts};
  return {.name = "traffic",
          .summary = "Random messages between PEs over the network of a machine, and where that is full",
          .version = "1",
          .folder = "benches/traffic",
          .examples = kExamples,
          .axes = axes.all(),
          .on_pes = on_pes.of(axes),
          .on_gpu = {}};
}

AxisValue rate_of(std::int64_t gbs) { return {std::to_string(gbs) + " GB/s", gbs * kGigabyte}; }

Bench traffic_bench() {
  Bench bench = bench_of(traffic_workload(), {{"over", {"die", "package"}},
                                              {"traffic", {"uniform", "neighbour", "hotspot"}},
                                              {"rate", {rate_of(16), rate_of(48), rate_of(144)}},
                                              {"warm_up", {{"500 ns", kMicrosecond / 2}}},
                                              {"measure", {{"2 us", 2 * kMicrosecond}}}});
  bench.summary = "Random traffic between PEs by pattern and rate: axes over, traffic, rate, size take any values";
  return bench;
}

const bool registered = register_workload(traffic_workload(), traffic_bench());

}  // namespace
}  // namespace kernbench
