// The cost of a machine, by hand.
#include "sim/machine/cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/machine/schema.hpp"

using namespace kernbench;

namespace {

const std::string kMilestone = kernbench::source_dir() + "/topology/milestone_1h.yaml";

/// Of a MAC of a dtype that the machine has none of.
bool counts_nothing(std::string_view key) { return key.starts_with("cost.mac.bfp") || key.starts_with("cost.mac.mx"); }

/// Every price is a different power of two of a unit, so that no two parts can be mixed up.
std::vector<std::string> all_prices() {
  std::vector<std::string> settings;
  std::int64_t price = 1;
  for (const MachineKey& key : machine_keys()) {
    if (!key.path.starts_with("cost.") || key.path == "cost.unit" || counts_nothing(key.path)) continue;
    settings.push_back(std::string(key.path) + "=" + std::to_string(price));
    price *= 2;
  }
  return settings;
}

MachineSpec priced(std::vector<std::string> settings) { return load_machine(kMilestone, settings).spec; }

std::vector<std::string> and_also(std::vector<std::string> settings, const std::string& more) {
  settings.push_back(more);
  return settings;
}

double part(const MachineCost& cost, std::string_view name) {
  for (const CostPart& one : cost.parts) {
    if (one.name == name) return one.cost.value();
  }
  return -1;
}

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.6 the milestone machine's parts are what its keys come to by hand") {
    const MachineCost cost = machine_cost(priced(all_prices()));
    // 2 packages of 16 dies of 8 PEs; prices in the order of the table: 2^0, 2^1, ...
    const double pes = 256;
    const double dies = 32;
    CHECK(part(cost, "pe") == pes * 1);
    // bf16, fp16, both fp8, int8, tf32, fp32 at rates 1, 1, 2, 2, 2, 0.5, 0.25.
    CHECK(part(cost, "mac") == pes * 4096 * (2 + 4 + 2 * (8 + 16 + 32) + 0.5 * 64 + 0.25 * 128));
    CHECK(part(cost, "lane") == pes * 128 * 256);
    CHECK(part(cost, "tcm") == pes * 16 * 1024);
    CHECK(part(cost, "tcm_bandwidth") == pes * 4 * 512 * 2048);
    CHECK(part(cost, "sram") == dies * 32 * 4096);
    CHECK(part(cost, "sram_bandwidth") == dies * 128 * 8192);
    CHECK(part(cost, "hbm") == pes * 1 * 16384);
    CHECK(part(cost, "hbm_bandwidth") == pes * 256 * 32768);
    // A 2 x 4 mesh: 10 pairs of neighbours; 8 PEs, 8 memories and an SRAM; both directions.
    CHECK(part(cost, "router_bandwidth") == dies * 2 * (10 + 17) * 256 * 65536);
    // 4 x 4 dies: 24 sides inside, 4 to the switch, of 4 connections; both directions.
    CHECK(part(cost, "die_to_die_bandwidth") == 2.0 * 2 * 28 * 4 * 128 * 131072);
    CHECK(part(cost, "package_link_bandwidth") == 2.0 * 512 * 262144);
    CHECK(part(cost, "host_link_bandwidth") == 2.0 * 2 * 64 * 524288);
    CHECK(cost.unit == "unit");
    CHECK(cost.missing.empty());
  }

  TEST_CASE("36.7 buffers of the milestone machine by hand") {
    const double pe = 2 * (32 * 64 + 64 * 32) * 2 + 2 * 32 * 32 * 4 + 2 * 64 * 256 + 16384;
    const double links = 32.0 * (2 * 10 + 17) * 8192 + 2.0 * 2 * 28 * 4 * 16384 + 2.0 * 65536 + 2.0 * 65536;
    const double bytes = 256 * pe + 32.0 * 16384 + 2 * links;
    CHECK(part(machine_cost(priced(all_prices())), "buffer") == doctest::Approx(bytes / 1024 * 512).epsilon(1e-12));
    const MachineSpec resting = priced(and_also(
        and_also(and_also(all_prices(), "pe.mac.dataflow=weight_stationary"), "pe.mac.rows=64"), "pe.mac.columns=64"));
    CHECK(part(machine_cost(resting), "buffer") ==
          doctest::Approx((bytes + 256 * 2.0 * 4096) / 1024 * 512).epsilon(1e-12));
  }

  TEST_CASE("36.6 parts add up to the total, and a price that doubles doubles its part alone") {
    const MachineCost before = machine_cost(priced(all_prices()));
    double sum = 0;
    for (const CostPart& one : before.parts) sum += one.cost.value();
    CHECK(before.total.value() == sum);
    std::vector<std::string> prices = all_prices();
    for (std::string& price : prices) {
      if (price.starts_with("cost.hbm=")) price = "cost.hbm=" + std::to_string(2 * 16384);
    }
    const MachineCost after = machine_cost(priced(prices));
    CHECK(after.total.value() - before.total.value() == part(before, "hbm"));
  }

  TEST_CASE("36.8 twice of a key costs something, or the key is one of the free") {
    const std::vector<std::string_view> free{"system.package_link.latency",
                                             "system.package_link.switch_latency",
                                             "system.host_link.latency",
                                             "system.io_processor_latency",
                                             "package.die_to_die.port_latency",
                                             "die.router.hop_latency",
                                             "die.wire.",
                                             "die.hbm.pseudo_channels",
                                             "die.hbm.read_latency",
                                             "die.hbm.turnaround",
                                             "die.hbm.write_",
                                             "die.hbm.interleave",
                                             "die.sram.latency",
                                             "die.sram.router",
                                             "pe.clock",
                                             "pe.control_latency",
                                             "pe.scheduler_latency",
                                             "pe.dma.setup_latency",
                                             "pe.stream_depth",
                                             "pe.output_depth",
                                             "pe.mac.depth",
                                             "pe.mac.weight_buffers",
                                             "pe.mac.fill_cycles",
                                             "pe.mac.register_block.",
                                             "pe.vector.latency_cycles",
                                             "pe.vector.rates.special",
                                             "pe.message_queue.",
                                             "simulation.",
                                             "energy.",
                                             "cost."};
    const MachineSpec machine = priced(all_prices());
    const double now = machine_cost(machine).total.value();
    int priced = 0;
    for (const MachineKey& key : machine_keys()) {
      const auto* field = std::get_if<QuantityField>(&key.field);
      if (field == nullptr || field->get(machine) <= 0) continue;
      CAPTURE(key.path);
      MachineSpec doubled = machine;
      field->ref(doubled) *= 2;
      const bool is_free = std::ranges::any_of(free, [&](std::string_view of) { return key.path.starts_with(of); });
      if (key.path.starts_with("cost.")) continue;
      const double then = machine_cost(doubled).total.value();
      if (is_free) {
        CHECK(then == now);
      } else {
        CHECK(then > now);
        ++priced;
      }
    }
    CHECK(priced >= 35);
  }

  TEST_CASE("36.6 36.9 MACs of a dtype with a rate cost what that is times their price, which is asked for") {
    for (const std::string dtype : {"bfp8", "bfp4", "mxfp8", "mxfp4"}) {
      const std::vector<std::string> rated = and_also(all_prices(), "pe.mac.rates." + dtype + "=3");
      CHECK(machine_cost(priced(rated)).missing == "cost.mac." + dtype);
      CHECK(part(machine_cost(priced(and_also(rated, "cost.mac." + dtype + "=5"))), "mac") ==
            part(machine_cost(priced(all_prices())), "mac") + 256.0 * 4096 * 3 * 5);
    }
  }

  TEST_CASE("36.9 a price that is missing leaves the cost uncomputed and is named; zero is a price") {
    CHECK(machine_cost(priced({})).missing == "cost");
    CHECK_FALSE(machine_cost(priced({})).total.has_value());
    for (const std::string& price : all_prices()) {
      const std::string key = price.substr(0, price.find('='));
      std::vector<std::string> prices;
      for (const std::string& other : all_prices()) prices.push_back(other == price ? key + "=none" : other);
      const MachineCost cost = machine_cost(priced(prices));
      CHECK(cost.missing == key);
      CHECK_FALSE(cost.total.has_value());
      prices.clear();
      for (const std::string& other : all_prices()) prices.push_back(other == price ? key + "=0" : other);
      CHECK(machine_cost(priced(prices)).total.has_value());
    }
    CHECK(machine_cost(priced({"cost.pe=1"})).missing == "cost.mac.bf16");
  }

  TEST_CASE("36.9 a price of what the machine has not is not needed") {
    const std::string smallest = kernbench::source_dir() + "/tests/machine/smallest.yaml";
    std::vector<std::string> prices;
    for (const std::string& price : all_prices()) {
      const bool needed = !price.starts_with("cost.sram") && !price.starts_with("cost.die_to_die") &&
                          !price.starts_with("cost.package_link") && !price.starts_with("cost.host_link") &&
                          (!price.starts_with("cost.mac.") || price.starts_with("cost.mac.bf16"));
      if (needed) prices.push_back(price);
    }
    const MachineCost cost = machine_cost(load_machine(smallest, prices).spec);
    CHECK(cost.total.has_value());
    CHECK(part(cost, "sram") == -1);
  }
}
