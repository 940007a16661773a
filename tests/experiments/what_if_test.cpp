// What to change of a machine: on workloads whose time is a formula, so that every set of changes can be tried.
#include "benches/experiments/whatif/what_if.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "benches/experiments/whatif/what_if_figures.hpp"
#include "benches/io/text/numbers.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/cost.hpp"
#include "tests/experiments/what_if_formula.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

std::vector<std::string> keys_of(const Changes& changes) {
  std::vector<std::string> keys;
  for (const KeyChange& one : changes) keys.emplace_back(one.key.path());
  return keys;
}

const KeyEffect& effect_of(const WhatIf& answer, std::string_view path) {
  const auto found = std::ranges::find(answer.effects, path, [](const KeyEffect& effect) { return effect.key.path(); });
  REQUIRE(found != answer.effects.end());
  return *found;
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.1 a change doubles or halves a key of hardware, within what a machine may be") {
    const MachineSpec machine = milestone();
    CHECK(changed(machine, {change("die.hbm.bandwidth")}).die.hbm.bandwidth.gbs() == 512);
    CHECK(changed(machine, {change("pe.dma.outstanding_bursts", kHalf)}).pe.dma.outstanding_bursts == 32);
    CHECK(changed(milestone({"pe.stream_depth=5"}), {change("pe.stream_depth", kHalf)}).pe.stream_depth == 2);
    CHECK(to_text(change("die.hbm.bandwidth"), machine) == "die.hbm.bandwidth 256 GB/s to 512 GB/s");
    CHECK(setting_of(change("pe.control_latency", kHalf), machine) == "pe.control_latency=1 ns");
    const auto wrong = [&](const Changes& changes) {
      return error_of([&] { static_cast<void>(changed(machine, changes)); });
    };
    CHECK(wrong({change("pe.mac.rows")}) == "pe.mac.rows: expected a value to double or halve, got 0");
    CHECK(wrong({change("die.hbm.burst"), change("pe.dma.outstanding_bursts", kHalf)}).find("burst") !=
          std::string::npos);
    CHECK(wrong({change("system.packages.rows", kHalf)}).find("system.packages.rows: out of range: expected 1 to 64") ==
          0);
    CHECK(changed(machine, {change("die.hbm.bandwidth", kTenthMore)}).die.hbm.bandwidth.gbs() == 281.6);
    CHECK(changed(machine, {change("die.hbm.bandwidth", kQuarter)}).die.hbm.bandwidth.gbs() == 64);
    const std::vector<TopologyKey> keys = hardware_keys(machine);
    const auto is_one = [&](std::string_view path) { return std::ranges::count(keys, path, &TopologyKey::path) == 1; };
    CHECK(is_one("pe.vector.lanes"));
    CHECK_FALSE(is_one("pe.mac.tile.m"));
    CHECK_FALSE(is_one("simulation.packet_bytes"));
    CHECK_FALSE(is_one("name"));
    CHECK_FALSE(may_be_bought(topology_key("die.routers.columns")));
    CHECK_FALSE(may_be_bought(topology_key("pe.clock")));
    CHECK(may_be_bought(topology_key("pe.mac.columns")));
  }

  TEST_CASE("35.1 a machine that leaves a part out has no change of it, nor one that needs it") {
    const MachineSpec machine = load_machine(kernbench::source_dir() + "/topology/tpu_v4_core.yaml").spec;
    for (const TopologyKey& key : hardware_keys(machine)) {
      CAPTURE(key.path());
      CHECK_FALSE(key.path().starts_with("die.sram."));
      CHECK_FALSE(key.path().starts_with("pe.message_queue."));
      CHECK_FALSE(key.path().starts_with("package.die_to_die."));
    }
    const WhatIf answer = what_if(machine, Formula{});
    const KeyEffect& dies = effect_of(answer, "package.dies.rows");
    CHECK(dies.twice.status == "skipped");
    CHECK(dies.twice.reason.find("package.die_to_die: missing section; expected the keys ") == 0);
  }

  TEST_CASE("35.2 each key alone has the effect of the formula") {
    const MachineSpec machine = milestone();
    Formula simulated;
    const WhatIf answer = what_if(machine, std::ref(simulated));
    const auto times = [&](const Row& row) { return times_faster(answer.base, row); };
    const double base = formula(machine);
    CHECK(answer.base.metrics.json().at("time_ns") == base);
    for (const char* path : {"die.hbm.bandwidth", "pe.mac.macs_per_cycle", "pe.control_latency"}) {
      CAPTURE(path);
      CHECK(times(effect_of(answer, path).half) == base / formula(changed(machine, {change(path, kHalf)})));
      CHECK(times(effect_of(answer, path).twice) == base / formula(changed(machine, {change(path)})));
    }
    CHECK(effect_of(answer, "pe.mac.rows").twice.status == "skipped");
    CHECK(times(effect_of(answer, "pe.mac.rows").twice) == 1);
  }

  TEST_CASE("35.2 each key alone with 10 % more, rounded down, where a tenth of it can be had") {
    const MachineSpec machine = milestone();
    const auto with_tenth = [](const std::string& setting, const char* path) {
      return changed(milestone({setting}), {change(path, kTenthMore)});
    };
    const char* const bursts = "pe.dma.outstanding_bursts";
    CHECK(changed(machine, {change(bursts, kTenthMore)}).pe.dma.outstanding_bursts == 70);
    CHECK(with_tenth("pe.dma.outstanding_bursts=10", bursts).pe.dma.outstanding_bursts == 11);
    for (const char* value : {"16", "19", "8", "1"}) {
      CAPTURE(value);
      const std::string setting = "pe.dma.outstanding_bursts=" + std::string(value);
      CHECK(error_of([&] { static_cast<void>(with_tenth(setting, bursts)); }) ==
            "pe.dma.outstanding_bursts: expected a value to grow by 10 %, got " + std::string(value));
    }
    Formula simulated;
    const WhatIf answer = what_if(machine, std::ref(simulated));
    CHECK(times_faster(answer.base, effect_of(answer, "pe.control_latency").tenth_more) ==
          formula(machine) / formula(changed(machine, {change("pe.control_latency", kTenthMore)})));
    CHECK(effect_of(answer, "die.routers.columns").tenth_more.status == "skipped");
    const std::vector<Row> rows = rows_of(answer, machine);
    const auto row = std::ranges::find_if(
        rows, [](const Row& one) { return one.point.value("set", "") == "die.hbm.bandwidth=281.6 GB/s"; });
    REQUIRE(row != rows.end());
    CHECK(row->point.at("with") == "10 % more");
  }

  TEST_CASE("35.3 35.4 the first stair is the best of all sets of up to three keys, for each key") {
    for (const std::vector<std::string>& start :
         {std::vector<std::string>{},
          {"die.hbm.bandwidth=64 GB/s"},
          {"pe.mac.macs_per_cycle=64"},
          {"pe.control_latency=900 us"},
          {"die.router.link_bandwidth=100 GB/s", "pe.dma.outstanding_bursts=16"}}) {
      const MachineSpec machine = milestone(start);
      const double base = formula(machine);
      Changes all;  // of all keys in the formula, both ways
      for (const char* path : {"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.dma.outstanding_bursts",
                               "pe.mac.macs_per_cycle", "pe.control_latency"}) {
        all.push_back(change(path));
        all.push_back(change(path, kHalf));
      }
      double best = 0;
      for (const Changes& set : sets_of(all, 3)) {
        try {
          const double faster = base / formula(changed(machine, set));
          if (faster >= 1.05) best = std::max(best, std::log(faster) / static_cast<double>(set.size()));
        } catch (const ConfigError&) {
          continue;  // twice and half of one key, or no machine
        }
      }
      Formula simulated;
      const WhatIf answer = what_if(machine, std::ref(simulated));
      REQUIRE_FALSE(answer.stairs.empty());
      const Stair& first = answer.stairs.front();
      CAPTURE(keys_of(first.changes).front());
      CHECK(std::log(first.faster) / static_cast<double>(first.changes.size()) == doctest::Approx(best));
    }
  }

  TEST_CASE("35.4 on a machine with a cost the first stair gains most for what it adds, and what is free comes first") {
    // By the formula memory, link and credits limit together; memory costs most, credits nothing.
    std::vector<std::string> prices{"cost.pe=0",
                                    "cost.mac.bf16=0.01",
                                    "cost.lane=0",
                                    "cost.buffer=0",
                                    "cost.tcm=0",
                                    "cost.tcm_bandwidth=0",
                                    "cost.sram=0",
                                    "cost.sram_bandwidth=0",
                                    "cost.hbm=0",
                                    "cost.hbm_bandwidth=1",
                                    "cost.router_bandwidth=0.01",
                                    "cost.die_to_die_bandwidth=0",
                                    "cost.package_link_bandwidth=0",
                                    "cost.host_link_bandwidth=0"};
    for (const char* dtype : {"fp16", "fp8_e4m3", "fp8_e5m2", "int8", "tf32", "fp32"}) {
      prices.push_back("cost.mac." + std::string(dtype) + "=0");
    }
    prices.emplace_back("pe.control_latency=1 us");
    for (const char* start :
         {"pe.mac.macs_per_cycle=1024", "die.hbm.bandwidth=128 GB/s", "die.hbm.bandwidth=200 GB/s"}) {
      std::vector<std::string> settings = prices;
      settings.emplace_back(start);
      const MachineSpec machine = milestone(settings);
      const double base = formula(machine);
      Changes all;
      for (const char* path :
           {"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.dma.outstanding_bursts", "pe.mac.macs_per_cycle"}) {
        all.push_back(change(path));
      }
      double best = 0;
      for (const Changes& set : sets_of(all, 3)) {
        const MachineSpec other = changed(machine, set);
        const double faster = base / formula(other);
        const double added = *machine_cost(other).total - *machine_cost(machine).total;
        REQUIRE((added > 0 || faster < 1.05));
        if (faster >= 1.05) best = std::max(best, std::log(faster) / added);
      }
      Formula simulated;
      const WhatIf answer = what_if(machine, std::ref(simulated));
      REQUIRE_FALSE(answer.stairs.empty());
      const Stair& first = answer.stairs.front();
      CAPTURE(start);
      CHECK(*first.added_cost == *machine_cost(first.machine).total - *machine_cost(machine).total);
      CHECK(std::log(first.faster) / *first.added_cost == doctest::Approx(best));
      const std::vector<Row> rows = rows_of(answer, machine);
      const auto stair = std::ranges::find_if(rows, [](const Row& row) { return row.point.at("what") == "stair"; });
      CHECK(stair->metrics.json().at("added_cost") == *first.added_cost);
      const Json drawn = what_if_stairs(answer, machine, {}, "gemm").spec;
      CHECK(drawn.at("data").at("values")[1].at("adds") == short_number(*first.added_cost));
      CHECK(drawn.dump().find("adds (") != std::string::npos);
    }
    // Of 200 GB/s, memory alone gains most for each key, with its cheap link and free credits for what it costs.
    std::vector<std::string> dear = prices;
    dear.emplace_back("die.hbm.bandwidth=200 GB/s");
    const auto first_of = [](const std::vector<std::string>& settings) {
      Formula simulated;
      return keys_of(what_if(milestone(settings), std::ref(simulated)).stairs.front().changes);
    };
    CHECK(first_of({"pe.control_latency=1 us", "die.hbm.bandwidth=200 GB/s"}) ==
          std::vector<std::string>{"die.hbm.bandwidth"});
    CHECK(first_of(dear) ==
          std::vector<std::string>{"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.dma.outstanding_bursts"});
    std::vector<std::string> slow_calls = prices;
    slow_calls.back() = "pe.control_latency=900 us";
    Formula simulated;
    const WhatIf free = what_if(milestone(slow_calls), std::ref(simulated));
    CHECK(keys_of(free.stairs.front().changes) == std::vector<std::string>{"pe.control_latency"});
    CHECK(free.stairs.front().added_cost == 0.0);
    slow_calls.emplace_back("cost.sram=none");
    slow_calls.erase(std::ranges::find(slow_calls, "cost.sram=0"));
    Formula again;
    CHECK_FALSE(what_if(milestone(slow_calls), std::ref(again)).stairs.front().added_cost.has_value());
  }

  TEST_CASE("35.4 stairs stand on each other, and end where nothing is 5 % faster or so many are there") {
    const MachineSpec machine = milestone();
    Formula simulated;
    const WhatIf answer = what_if(machine, std::ref(simulated), {.stairs = 2});
    REQUIRE(answer.stairs.size() == 2);
    CHECK(keys_of(answer.stairs[0].changes) ==
          std::vector<std::string>{"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.dma.outstanding_bursts"});
    double before = formula(machine);
    for (const Stair& stair : answer.stairs) {
      CHECK(formula(stair.machine) == stair.row.metrics.json().at("time_ns"));
      CHECK(stair.faster == before / formula(stair.machine));
      CHECK(stair.faster >= 1.05);
      before = formula(stair.machine);
    }
    const auto constant = [](const std::vector<MachineSpec>& machines) {
      Row row;
      row.metrics.json()["time_ns"] = 7.0;
      return std::vector<Row>(machines.size(), row);
    };
    CHECK(what_if(machine, constant).stairs.empty());
    CHECK(what_if(machine, std::ref(simulated), {.stairs = 0}).stairs.empty());
  }

  TEST_CASE("35.4 no key goes beyond four times or a quarter of what the machine has") {
    const MachineSpec machine = milestone({"pe.control_latency=64 ns"});
    const auto by_control = [](const std::vector<MachineSpec>& machines) {
      std::vector<Row> rows;
      for (const MachineSpec& one : machines) {
        rows.emplace_back().metrics.json()["time_ns"] =
            static_cast<double>(one.pe.control.value) / static_cast<double>(one.pe.mac.macs_per_cycle);
      }
      return rows;
    };
    const WhatIf answer = what_if(machine, by_control, {.stairs = 20});
    CHECK(answer.stairs.size() == 4);
    const MachineSpec& last = answer.stairs.back().machine;
    CHECK(last.pe.control.value == machine.pe.control.value / 4);
    CHECK(last.pe.mac.macs_per_cycle == machine.pe.mac.macs_per_cycle * 4);
  }

  TEST_CASE("35.4 fewer PEs, or what a technology gives, are no stair, whatever they gain") {
    const MachineSpec machine = milestone();
    const auto by_pes = [](const std::vector<MachineSpec>& machines) {
      std::vector<Row> rows;
      for (const MachineSpec& one : machines) {
        rows.emplace_back().metrics.json()["time_ns"] =
            static_cast<double>(one.die.routers.rows * one.die.routers.columns) /
            static_cast<double>(one.pe.clock.hertz);
      }
      return rows;
    };
    const WhatIf answer = what_if(machine, by_pes);
    CHECK(times_faster(answer.base, effect_of(answer, "die.routers.rows").half) == 2);
    CHECK(times_faster(answer.base, effect_of(answer, "pe.clock").twice) == 2);
    CHECK(answer.stairs.empty());
  }

  TEST_CASE("35.3 without a ledger a path is followed where one of its keys alone has an effect") {
    const MachineSpec machine = milestone();
    std::set<std::string> forms;
    const auto by_array = [&forms](const std::vector<MachineSpec>& machines) {
      std::vector<Row> rows;
      for (const MachineSpec& one : machines) {
        forms.insert(canonical_form(one));
        rows.emplace_back().metrics.json()["time_ns"] = 1e9 / static_cast<double>(one.pe.mac.macs_per_cycle);
      }
      return rows;
    };
    const WhatIf answer = what_if(machine, by_array, {.stairs = 1});
    REQUIRE(answer.stairs.size() == 1);
    CHECK(keys_of(answer.stairs.front().changes) == std::vector<std::string>{"pe.mac.macs_per_cycle"});
    const auto was_run = [&](const Changes& set) { return forms.contains(canonical_form(changed(machine, set))); };
    CHECK(was_run({change("pe.mac.macs_per_cycle"), change("pe.fetch_bandwidth")}));
    CHECK_FALSE(was_run({change("pe.dma.setup_latency", kHalf), change("pe.control_latency", kHalf)}));
  }

  TEST_CASE("35.3 paths whose causes take no time are not followed; of the whole set the needless keys go") {
    const MachineSpec machine = milestone({"pe.mac.macs_per_cycle=512"});
    Formula simulated;
    simulated.ledger_of_array = true;
    const WhatIf answer = what_if(machine, std::ref(simulated), {.stairs = 1});
    REQUIRE(answer.stairs.size() == 1);
    CHECK(keys_of(answer.stairs.front().changes) == std::vector<std::string>{"pe.mac.macs_per_cycle"});
    const auto was_run = [&](const Changes& set) {
      return simulated.forms.contains(canonical_form(changed(machine, set)));
    };
    CHECK(was_run({change("pe.mac.macs_per_cycle"), change("pe.fetch_bandwidth")}));
    CHECK_FALSE(was_run({change("die.hbm.bandwidth"), change("die.router.link_bandwidth")}));
  }

  TEST_CASE("35.6 no machine is simulated twice, and one that cannot run the workload is no stair") {
    const MachineSpec machine = milestone();
    Formula simulated;
    const WhatIf answer = what_if(machine, std::ref(simulated));
    CHECK(simulated.runs == simulated.forms.size());
    CHECK(answer.runs == simulated.runs);
    const auto only_base = [&](const std::vector<MachineSpec>& machines) {
      std::vector<Row> rows;
      for (const MachineSpec& one : machines) {
        Row& row = rows.emplace_back();
        row.metrics.json()["time_ns"] = formula(one);
        if (canonical_form(one) != canonical_form(machine)) row.status = "skipped";
      }
      return rows;
    };
    CHECK(what_if(machine, only_base).stairs.empty());
    const auto nothing = [](const std::vector<MachineSpec>& machines) {
      Row row;
      row.status = "skipped";
      row.reason = "does not fit";
      return std::vector<Row>(machines.size(), row);
    };
    CHECK_THROWS_WITH_AS(static_cast<void>(what_if(machine, nothing)), "does not fit", ConfigError);
  }

  TEST_CASE("35.4 rows of programs say the settings of each machine") {
    const MachineSpec machine = milestone();
    Formula simulated;
    const WhatIf answer = what_if(machine, std::ref(simulated), {.stairs = 2});
    const std::vector<Row> rows = rows_of(answer, machine);
    CHECK(rows.size() == 1 + 3 * answer.effects.size() + 2);
    CHECK(rows.front().point == Json{{"what", "base"}, {"set", ""}});
    CHECK(
        rows[1].point ==
        Json{{"what", "stair"},
             {"set", "die.hbm.bandwidth=512 GB/s; die.router.link_bandwidth=512 GB/s; pe.dma.outstanding_bursts=128"}});
    CHECK(rows[2].point.at("set") ==
          "die.hbm.bandwidth=1.024 TB/s; die.router.link_bandwidth=1.024 TB/s; pe.dma.outstanding_bursts=256; "
          "pe.mac.macs_per_cycle=8192");
    CHECK(rows[2].metrics.json().at("times_faster") == formula(machine) / formula(answer.stairs.back().machine));
    CHECK(rows[3].point.at("what") == "key");
    WhatIf with_free = answer;
    with_free.free = FreeChange{"tile=32x64x32", {}};
    with_free.free->row.metrics.json()["time_ns"] = formula(machine) / 4;
    const std::vector<Row> more = rows_of(with_free, machine);
    CHECK(more.size() == rows.size() + 1);
    CHECK(more[1].point == Json{{"what", "mapping"}, {"set", "tile=32x64x32"}});
    CHECK(more[1].metrics.json().at("times_faster") == 4.0);
    CHECK(more[2].point == rows[1].point);
    const Json drawn = what_if_stairs(with_free, machine, {}, "gemm").spec.at("data").at("values");
    CHECK(drawn.at(1).at("stair") == "free");
    CHECK(drawn.at(1).at("times") == 4.0);
    CHECK(drawn.at(2).at("stair") == "stair 1");
  }

  TEST_CASE("35.2 35.4 the figures show the stairs in their order, and the effect of each key that matters") {
    const MachineSpec machine = milestone();
    Formula simulated;
    const WhatIf answer = what_if(machine, std::ref(simulated), {.stairs = 2});
    Results results;
    const Json stairs = what_if_stairs(answer, machine, results, "gemm").spec.at("data").at("values");
    REQUIRE(stairs.size() == 3);
    CHECK(stairs[0].at("time_ns") == formula(machine));
    CHECK(stairs[1].at("stair") == "stair 1");
    CHECK(stairs[1].at("changes") ==
          "die.hbm.bandwidth 256 GB/s to 512 GB/s\ndie.router.link_bandwidth 256 GB/s to 512 GB/s\n"
          "pe.dma.outstanding_bursts 64 to 128");
    CHECK(stairs[2].at("time_ns") == formula(answer.stairs[1].machine));
    const Json bars = what_if_tornado(answer, machine, results, "gemm").spec.at("data").at("values");
    const auto bar = [&](const std::string& key, const std::string& with) {
      const auto found =
          std::ranges::find_if(bars, [&](const Json& one) { return one.at("key") == key && one.at("with") == with; });
      return found == bars.end() ? Json() : found->at("effect");
    };
    const double half = formula(changed(machine, {change("die.hbm.bandwidth", kHalf)}));
    CHECK(what_if_stairs(answer, machine, results, "gemm").spec.dump().find("adds (") == std::string::npos);
    CHECK(bar("die.hbm.bandwidth, now 256 GB/s", "with half") == formula(machine) / half - 1);
    const auto is_vector = [](const Json& one) { return one.at("key").get<std::string>().starts_with("pe.vector"); };
    CHECK(std::ranges::none_of(bars, is_vector));
  }
}
