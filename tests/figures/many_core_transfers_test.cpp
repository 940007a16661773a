// many-core-transfers: the published transfers that it holds, how errors are counted, what the simulated programs do.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/many_core_transfers/errors.hpp"
#include "benches/many_core_transfers/placements.hpp"
#include "benches/many_core_transfers/published_transfers.hpp"
#include "benches/many_core_transfers/transfer_programs.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "tests/figures/published_table.hpp"
#include "tests/figures/sample_results.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;
using sample::Cells;
using sample::published_table;
using sample::table;

namespace {

const std::string kTransfers = sample::kSource + "/benches/many_core_transfers/";

MachineSpec wormhole() { return load_machine(sample::kSource + "/topology/wormhole_n150.yaml").spec; }

Point transfer(const std::string& pattern, int transactions, int bytes) {
  return {{"pattern", pattern}, {"transactions", transactions}, {"bytes", bytes}};
}

double simulated_ns(const MachineSpec& machine, const Point& point) {
  return std::stod(forked([&] { return std::to_string(simulate_transfer(machine, point).time.ns()); }));
}

/// Invented: measured 100 ns.
Row invented_transfer(const std::string& pattern, double time_ns, bool fitted) {
  Row row;
  row.point = transfer(pattern, 1, 32);
  row.metrics = {{kTime, time_ns}, {kMeasuredTime, 100.0}, {kError, time_ns / 100 - 1}};
  if (fitted) row.flags.emplace_back("fitted");
  return row;
}

}  // namespace

TEST_CASE("many-core-transfers: its transfers are the published ones, and all of their kind") {
  std::vector<Cells> wanted = published_table("tenstorrent-noc.csv");
  if (wanted.empty()) return;
  std::erase_if(wanted, [](const Cells& row) { return row.at("chip") != "wormhole_b0"; });
  const std::vector<Cells> held = table(kTransfers + "wormhole_n150.csv");
  REQUIRE(held.size() == wanted.size());
  std::map<std::string, std::string> names;  // one of its own for each published pattern
  for (std::size_t i = 0; i < held.size(); ++i) {
    for (const char* column : {"bytes_per_transaction", "transactions", "cycles", "table", "commit"}) {
      CHECK(held[i].at(column) == wanted[i].at(column));
    }
    CHECK(names.try_emplace(wanted[i].at("pattern"), held[i].at("pattern")).first->second == held[i].at("pattern"));
  }
  CHECK(names.size() == transfer_patterns().size());
}

TEST_CASE("many-core-transfers: its bandwidths by placement are the published ones") {
  const std::vector<Cells> wanted = published_table("wormhole-dram-noc.csv");
  if (wanted.empty()) return;
  const std::vector<Cells> held = table(kTransfers + "wormhole_n150_dram.csv");
  REQUIRE(held.size() == wanted.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    for (const char* column : {"dram_channels", "tensix_tiles", "pairing", "direction", "vc", "noc", "gb_s"}) {
      CHECK(held[i].at(column) == wanted[i].at(column));
    }
  }
}

TEST_CASE("many-core-transfers: a transfer is found by its point, each by one of its own") {
  for (const PublishedTransfer& one : published_transfers()) CHECK(&published_transfer(one.point) == &one);
  CHECK(std::ranges::count_if(published_transfers(), &PublishedTransfer::fitted) == 18);
  CHECK_THROWS_AS(static_cast<void>(published_transfer({{"bytes", 1}})), std::out_of_range);
}

TEST_CASE("many-core-transfers: errors are of rows that no constant was chosen by, those of the others apart") {
  Results results;
  results.rows = {invented_transfer("DRAM read", 110, false), invented_transfer("DRAM read", 200, true),
                  invented_transfer("DRAM write", 70, false)};
  std::map<std::string, double> means;
  for (const Row& row : transfer_error_rows(results)) {
    if (row.point.at("derived") == "error") means[row.point.at("of")] = row.metrics.at(kMeanError);
  }
  CHECK(means.size() == 4);
  CHECK(means.at("transfers") == doctest::Approx(0.2));
  CHECK(means.at("DRAM read") == doctest::Approx(0.1));
  CHECK(means.at("DRAM write") == doctest::Approx(0.3));
  CHECK(means.at("transfers that constants were chosen by") == doctest::Approx(1));
}

TEST_CASE("many-core-transfers: committed errors follow from the committed rows, and the page has them") {
  Results committed = read_results(kTransfers + "results/results.json");
  std::vector<Row> told;
  for (const Row& row : committed.rows) {
    if (row.point.contains("derived")) told.push_back(row);
  }
  std::erase_if(committed.rows, [](const Row& row) { return row.point.contains("derived"); });
  CHECK(committed.rows.size() == published_transfers().size());
  const std::vector<Row> derived = transfer_error_rows(committed);
  REQUIRE(derived.size() == told.size());
  const std::string page = read_file(sample::kSource + "/docs/many-core-transfers.md");
  for (std::size_t i = 0; i < derived.size(); ++i) {
    CHECK(derived[i].metrics.json() == told[i].metrics.json());
    if (derived[i].point.at("derived") != "error") continue;
    const Metrics& metrics = derived[i].metrics;
    const std::string line = "| " + derived[i].point.at("of").get<std::string>() + " | " +
                             std::to_string(metrics.at(kRowCount)) + " | " + percent(metrics.at(kMeanError)) + " | " +
                             percent(metrics.at(kMedianError)) + " | " + percent(metrics.at(kBias)) + " | ";
    CHECK_MESSAGE(page.find(line) != std::string::npos, line);
  }
}

TEST_CASE("many-core-transfers: a write takes its call, set-up, ways; each further one a call, or its bytes") {
  const MachineSpec machine = wormhole();
  const DieSpec& die = machine.die;
  // To the diagonal neighbour: three routers. A burst at each port, since it is more than the 32 B.
  const Picoseconds way = 2 * die.wire.delay(die.wire.pe_to_router_um) + 3 * die.router.hop;
  const Picoseconds burst = die.router.link.time_for(die.hbm.burst);
  const double first = (machine.pe.control + machine.pe.dma.setup + 2 * way + burst).ns();
  CHECK(simulated_ns(machine, transfer("unicast write", 1, 32)) == doctest::Approx(first));
  CHECK(simulated_ns(machine, transfer("unicast write", 5, 32)) ==
        doctest::Approx(first + (4 * machine.pe.control).ns()));
  const double large = simulated_ns(machine, transfer("unicast write", 1, 8192));
  CHECK(simulated_ns(machine, transfer("unicast write", 5, 8192)) ==
        doctest::Approx(large + (4 * die.router.link.time_for(8192)).ns()));
}

TEST_CASE("many-core-transfers: what is not linked waits for all receivers; of what is linked the last alone does") {
  const MachineSpec machine = wormhole();
  const auto ns = [&](const std::string& pattern, int transactions) {
    return simulated_ns(machine, transfer(pattern, transactions, 32));
  };
  const double one = ns("multicast write to all", 1);
  CHECK(ns("linked multicast write to all", 1) == one);
  // A round trip to the farthest core each.
  const DieSpec& die = machine.die;
  const auto routers = die.routers.rows + die.routers.columns - 1;
  const double round = 2 * (2 * die.wire.delay(die.wire.pe_to_router_um) + routers * die.router.hop).ns();
  const double each = (ns("multicast write to all", 9) - one) / 8;
  CHECK(each > round);
  CHECK(each < 1.1 * round);
  CHECK(ns("linked multicast write to all", 9) < one + 4 * each);
}

TEST_CASE(
    "many-core-transfers: a channel's bandwidth is shared by the cores that use it, near ones have all of theirs") {
  const MachineSpec machine = wormhole();
  const double channel = static_cast<double>(machine.die.hbm.bandwidth.bytes_per_second) / 1e9;
  const auto gbs = [&](const DramPlacement& placement) {
    return std::stod(forked([&] { return std::to_string(simulate_placement(machine, placement)); }));
  };
  CHECK(gbs({.channels = 1, .cores = 12, .careful = true, .writes = false}) == doctest::Approx(channel).epsilon(0.02));
  CHECK(gbs({.channels = 12, .cores = 12, .careful = true, .writes = false}) ==
        doctest::Approx(12 * channel).epsilon(0.02));
}

TEST_CASE("many-core-transfers: a machine that cannot is refused before anything is simulated") {
  MachineSpec machine = wormhole();
  CHECK_THROWS_WITH_AS(check_placement(machine, {.channels = 13, .cores = 13}),
                       "expected a die of 13 cores that share 13 controllers of HBM (die.hbm.controllers)",
                       ConfigError);
  machine.die.router.multicast = false;
  check_transfer(machine, transfer("unicast write", 1, 32));
  CHECK_THROWS_WITH_AS(check_transfer(machine, transfer("multicast write to all", 1, 32)),
                       "die.router.multicast: expected true, got false", ConfigError);
  machine.die.routers.rows = 1;
  CHECK_THROWS_WITH_AS(check_transfer(machine, transfer("unicast write", 1, 32)),
                       "die.routers: expected 2 x 2 cores or more", ConfigError);
}
