// `kernbench sim noc`: random traffic over a mesh of routers, of flits or of packets: latency and throughput by load.
#include <cstddef>
#include <iostream>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "benches/cli/children.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/cli/sim_noc_rates.hpp"
#include "benches/cli/sim_noc_report.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/lists.hpp"
#include "benches/io/text/terminal.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::sim_noc_command {
namespace {

constexpr const char* kExamples =
    R"(Latency is in cycles, from a packet's creation (the wait at its source included) to the arrival of its last flit.
A run warms up, measures the packets created in the window, and goes on, traffic and all, until these have arrived. It
is given up after as many cycles again as warm-up and window. Where something has not arrived then, less than 98 % of the
created flits arrived in the window, a channel is offered more than it carries, or the latency grows with the window, the
run is called saturated: the mean latency then says how long was measured.

Examples:
  kernbench sim noc --rate 0.1 --packet-flits 8
  kernbench sim noc --mesh 8x8 --traffic uniform --rate 0.05:0.45:0.05
  kernbench sim noc --traffic transpose --rate 0.05,0.1,0.15 --virtual-channels 8 --buffer-flits 4
  kernbench sim noc --traffic hotspot --hotspot-nodes 27,36 --hotspot-fraction 0.2 --rate 0.1
  kernbench sim noc --rate 0.1:0.4:0.1 --packet-flits 8 --network packets
  kernbench sim noc --traffic multicast --group row --packet-flits 8 --rate 0.02:0.1:0.02
  kernbench sim noc --traffic multicast --group 2x4 --network packets
  kernbench sim noc --rate 0.3 --json noc.json

Exit codes: 0 all well (saturated or not), 1 a simulation failed, 2 wrong input. How the router works: docs/noc.md.)";

struct Options {
  std::string mesh = "8x8";
  std::string network = "flits";
  std::string traffic = "uniform";
  std::string rates = "0.1";
  std::string hot_nodes;
  std::string group;
  const Option* hot_fraction = nullptr;
  NocTest test;
  ChildOptions children;
  OutputOptions output;
};

constexpr std::int64_t kLargestMeshSide = 1024;
/// Of runs that end within days.
constexpr std::int64_t kMostCycles = 1'000'000'000;

std::int64_t mesh_side(const std::string& text) {
  const std::int64_t side = parse_quantity(text, Dimension::kCount);
  if (side < 1 || side > kLargestMeshSide) throw ConfigError("out of range");
  return side;
}

/// "8x4".
std::pair<int, int> rows_by_columns(const std::string& option, const std::string& text) {
  const std::size_t by = text.find_first_of("xX");
  try {
    if (by == std::string::npos) throw ConfigError("no x");
    return {static_cast<int>(mesh_side(text.substr(0, by))), static_cast<int>(mesh_side(text.substr(by + 1)))};
  } catch (const ConfigError&) {
    throw ConfigError(option + " " + printable(shortened(text, 80)) + ": expected rows x columns, each 1 to " +
                      std::to_string(kLargestMeshSide) + ", as 8x8");
  }
}

std::vector<std::int32_t> nodes_of(const std::string& option, const std::string& text) {
  const ValueRule number = whole_number(0, kLargestMeshSide * kLargestMeshSide - 1);
  std::vector<std::int32_t> nodes;
  for (std::string item : list_items(option, text)) {
    if (const std::string wrong = number.read(item); !wrong.empty()) throw ConfigError(option + ": " + wrong);
    nodes.push_back(static_cast<std::int32_t>(std::stol(item)));
  }
  return nodes;
}

TrafficGroups groups_of(const std::string& text) {
  if (text == "row") return {.rows = 1, .columns = 0};
  if (text == "column") return {.rows = 0, .columns = 1};
  if (text == "all") return {.rows = 0, .columns = 0};
  if (text.find_first_of("xX") != std::string::npos) {
    const auto [rows, columns] = rows_by_columns("--group", text);
    return {.rows = rows, .columns = columns};
  }
  if (text.find_first_not_of("0123456789, ") != std::string::npos) {
    throw ConfigError("--group " + printable(shortened(text, 80)) +
                      ": expected row, column, all, blocks of rows x columns as 2x4, or nodes as 3,12,40");
  }
  return {.nodes = nodes_of("--group", text)};
}

/// What a pattern alone has.
void check_belongs(bool given, const char* option, TrafficPattern of, TrafficPattern pattern) {
  if (!given || pattern == of) return;
  throw ConfigError(std::string(option) + " needs --traffic " + std::string(kTrafficPatterns[of]));
}

std::vector<NocTest> tests_of(const Options& options) {
  NocTest test = options.test;
  test.network = kNocNetworks.parse(options.network, "--network");
  std::tie(test.mesh.rows, test.mesh.columns) = rows_by_columns("--mesh", options.mesh);
  const TrafficPattern pattern = kTrafficPatterns.parse(options.traffic, "--traffic");
  test.traffic.pattern = pattern;
  check_belongs(!options.hot_nodes.empty(), "--hotspot-nodes", TrafficPattern::kHotspot, pattern);
  check_belongs(options.hot_fraction->given(), "--hotspot-fraction", TrafficPattern::kHotspot, pattern);
  check_belongs(!options.group.empty(), "--group", TrafficPattern::kMulticast, pattern);
  if (!options.hot_nodes.empty()) test.traffic.hot_nodes = nodes_of("--hotspot-nodes", options.hot_nodes);
  if (!options.group.empty()) test.traffic.groups = groups_of(options.group);
  std::vector<NocTest> tests;
  for (const double rate : parse_rates(options.rates)) {
    test.rate = rate;
    tests.push_back(checked(test));
  }
  return tests;
}

std::vector<NocRow> simulate(const std::vector<NocTest>& tests, const Options& options) {
  std::vector<Work> works;
  works.reserve(tests.size());
  for (const NocTest& test : tests) {
    works.emplace_back([test] { return noc_result_to_json(run_noc_test(test)).dump(); });
  }
  const MemoryNeed need{"mesh of " + options.mesh, noc_memory(tests.front()),
                        "a smaller --mesh, fewer --virtual-channels or --buffer-flits"};
  const ChildOptions children = options.children.fitted(std::vector<MemoryNeed>(tests.size(), need));
  const std::vector<Outcome> outcomes = run_children("sim noc", works, children);
  std::vector<NocRow> rows;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    NocRow row{tests[i], {}, outcomes[i].reason};
    if (outcomes[i].ok) row.result = noc_result_from_json(Json::parse(outcomes[i].payload));
    rows.push_back(std::move(row));
  }
  return rows;
}

int run(const Options& options) {
  const std::vector<NocTest> tests = tests_of(options);
  const std::vector<NocRow> rows = simulate(tests, options);
  options.output.deliver([&](const Terminal& terminal) { return format_noc_report(rows, terminal); },
                         results_documents([&] { return noc_results(rows); }));
  int failed = 0;
  for (const NocRow& row : rows) {
    if (row.reason.empty()) continue;
    ++failed;
    std::cerr << "error: rate " << row.test.rate << ": " << row.reason << "\n";
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  NocTest& test = options->test;
  const auto add = [&command](const char* name, auto& value, const char* help, const char* type) -> Option& {
    return command.add_option(name, value, help).type_name(type).show_default();
  };
  add("--mesh", options->mesh, "Rows x columns of routers, each with a node", "RxC");
  add("--network", options->network,
      "What carries the traffic\nflits: routers followed flit by flit, cycle by cycle\npackets: the routers of a "
      "machine's network, whole packets; without --credit-cycles",
      "NETWORK");
  add("--traffic", options->traffic,
      "Where packets go\nuniform: to any node, the own one included\ntranspose: from row r, column c to row c, column "
      "r\n"
      "neighbour: one row and one column on, round the ends\nhotspot: some to hot nodes, the others as "
      "uniform\nmulticast: one packet to all others of the sender's --group",
      "PATTERN");
  add("--rate", options->rates,
      "Flits that a node creates per cycle: 0.1, several 0.1,0.2 or a range start:stop:step; each is a run", "RATE");
  const auto add_number = [&add](const char* name, auto& value, const char* help, const char* type, std::int64_t least,
                                 std::int64_t most) { add(name, value, help, type).rule(whole_number(least, most)); };
  add_number("--packet-flits", test.mesh.packet_flits, "Flits of a packet", "N", 1, 100'000);
  add_number("--virtual-channels", test.mesh.virtual_channels, "Virtual channels of every port", "N", 1,
             kMostVirtualChannels);
  add_number("--buffer-flits", test.mesh.buffer_flits, "Flits that the buffer of a virtual channel holds", "N", 1,
             4096);
  add_number("--router-cycles", test.mesh.router_cycles, "Cycles of a head from router input to link", "N", 3, 1000);
  add_number("--link-cycles", test.mesh.link_cycles, "Cycles of a flit, and of a credit, on a link between routers",
             "N", 1, 1000);
  add_number("--credit-cycles", test.mesh.credit_cycles, "Cycles that a router takes to count a credit", "N", 0, 1000);
  command
      .add_option("--hotspot-nodes", options->hot_nodes, "Hot nodes, row x columns + column; the middle one by default")
      .type_name("N,...");
  command
      .add_option(
          "--group", options->group,
          "Of multicast: row, column, all, blocks of the mesh as 2x4, or nodes that all send to; row by default")
      .type_name("GROUP");
  options->hot_fraction =
      &add("--hotspot-fraction", test.traffic.hot_fraction, "Fraction of the packets that go to a hot node", "FRACTION")
           .rule(decimal_number(0, 1));
  add_number("--seed", test.seed, "Of the random numbers: the same seed, the same result", "N", 0,
             std::numeric_limits<std::int64_t>::max());
  add_number("--warm-up", test.warm_up, "Cycles before the window", "CYCLES", 0, kMostCycles);
  add_number("--measure", test.measure, "Cycles of the window in which packets are created that are measured", "CYCLES",
             1, kMostCycles);
  options->children.add_jobs(command);
  options->children.add_limits(command);
  options->output.add_to(command);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench::sim_noc_command
