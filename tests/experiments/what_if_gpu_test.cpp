// What to change of a GPU: keys that go along, what may be bought, and that rows are those of --set.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "benches/experiments/whatif/what_if.hpp"
#include "benches/experiments/whatif/what_if_bench.hpp"
#include "benches/results/rows/row_from_gpu.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "tests/machine/example_gpu.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

const std::string kH200 = kernbench::source_dir() + "/topology/h200.yaml";

MachineSpec h200(const std::vector<std::string>& overrides = {}) { return load_gpu_machine(kH200, overrides).spec; }

KeyChange of(std::string_view path, Factor factor = kTwice) { return {topology_key(path), factor}; }

/// Products on machines in this process; how often it was asked.
struct Products {
  GpuGemm gemm{4096, 4096, 4096};
  struct Asked {
    std::string kernel{};
    L2State l2 = L2State::kWarm;
    GpuState state = GpuState::kBurst;
  };
  Asked asked{};
  std::size_t calls = 0;

  [[nodiscard]] Row on(const MachineSpec& machine) const {
    try {
      const GpuSpec& gpu = machine.gpu->spec;
      check_gemm(gemm, gpu);
      return row_from_gpu(gemm, gpu_kernel_of(asked.kernel, gemm, gpu, "--map"), gpu, asked.l2, asked.state);
    } catch (const ConfigError& error) {
      Row row;
      row.status = "skipped";
      row.reason = error.what();
      return row;
    }
  }
  std::vector<Row> operator()(const std::vector<MachineSpec>& machines) {
    calls += machines.size();
    std::vector<Row> rows;
    for (const MachineSpec& machine : machines) rows.push_back(on(machine));
    return rows;
  }
};

const KeyEffect& effect(const WhatIf& answer, std::string_view path) {
  const auto found = std::ranges::find(answer.effects, path, [](const KeyEffect& one) { return one.key.path(); });
  REQUIRE(found != answer.effects.end());
  return *found;
}

/// "sm.count=264; sm.clustered=264" as --set takes them.
std::vector<std::string> settings_in(const std::string& set) {
  std::vector<std::string> settings;
  for (std::size_t begin = 0; begin < set.size();) {
    const std::size_t end = std::min(set.size(), set.find("; ", begin));
    settings.push_back(set.substr(begin, end - begin));
    begin = end + 2;
  }
  return settings;
}

std::vector<std::string> paths_of(const Changes& changes) {
  std::vector<std::string> paths;
  for (const KeyChange& change : changes) paths.emplace_back(change.key.path());
  return paths;
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.13 keys that mean little alone go along by the same factor, and count as one") {
    const MachineSpec machine = h200();
    const GpuSpec& was = machine.gpu->spec;
    const GpuSpec more = changed(machine, {of("sm.count")}).gpu->spec;
    CHECK(more.sm.count == 2 * was.sm.count);
    CHECK(more.sm.clustered == 2 * was.sm.clustered);
    const GpuSpec larger = changed(machine, {of("l2.capacity")}).gpu->spec;
    CHECK(larger.l2.capacity == 2 * was.l2.capacity);
    CHECK(larger.l2.resident == 2 * was.l2.resident);
    CHECK(larger.l2.spill == 2 * was.l2.spill);
    const GpuSpec slower = changed(machine, {of("sm.clock", kHalf)}).gpu->spec;
    CHECK(slower.sm.clock == was.sm.clock / 2);
    CHECK(slower.power.peak == was.power.peak);
    CHECK(setting_of(of("sm.count"), machine) ==
          "sm.count=264; sm.clustered=" + std::to_string(2 * std::lround(was.sm.clustered)));
    CHECK(name_with_others(topology_key("l2.capacity"), machine) == "l2.capacity with resident, spill");
    CHECK(name_with_others(topology_key("hbm.bandwidth"), machine) ==
          "hbm.bandwidth with operators.bandwidth, operators.sustained");
    CHECK(name_with_others(topology_key("hbm.capacity"), machine) == "hbm.capacity");
    const auto wrong = [&](const KeyChange& change) {
      return error_of([&] { static_cast<void>(changed(machine, {change})); });
    };
    // Alone the last one contradicts the count.
    CHECK(wrong(of("sm.clustered")).find("sm.clustered: expected at most sm.count, 132, got ") == 0);
    CHECK(wrong(of("tensor.bf16.share")).find("tensor.bf16.share: expected 0.001 to 1, got ") == 0);
  }

  TEST_CASE("35.13 all numbers of the file are keys, and none that its optional sections leave out") {
    const std::vector<TopologyKey> keys = hardware_keys(h200());
    CHECK(keys.size() == h200().gpu->origins.size());
    MachineSpec example;
    example.gpu = std::make_shared<const LoadedGpu>(gpu_of(kExampleGpu));
    const auto has = [](const std::vector<TopologyKey>& all, std::string_view path) {
      return std::ranges::count(all, path, &TopologyKey::path) == 1;
    };
    CHECK(has(keys, "library.request"));
    CHECK(has(keys, "nvlink.bandwidth"));
    CHECK_FALSE(has(hardware_keys(example), "nvlink.bandwidth"));
    CHECK_FALSE(has(hardware_keys(example), "die.hbm.bandwidth"));
    CHECK(has(hardware_keys(example), "tensor.fp8.share"));
  }

  TEST_CASE("35.13 every row of the answer is that of a GPU read with its settings") {
    for (const auto& [gemm, state] : {std::pair(GpuGemm{4096, 4096, 4096}, GpuState::kSteady),
                                      std::pair(GpuGemm{64, 8192, 2048}, GpuState::kBurst)}) {
      Products products{gemm, {.kernel = {}, .l2 = L2State::kWarm, .state = state}};
      const MachineSpec machine = h200();
      const WhatIf answer = what_if(machine, std::ref(products), {.curves = 2});
      std::size_t compared = 0;
      const std::vector<Row> rows = rows_of(answer, machine);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        if (row.status != "ok" || (row.point.at("what") == "key" && i % 7 != 0)) continue;  // reading a file takes long
        const std::string set = row.point.at("set");
        CAPTURE(set);
        CHECK(row.metrics.json().at("time_ns") == products.on(h200(settings_in(set))).metrics.json().at("time_ns"));
        ++compared;
      }
      CHECK(compared > 50);
      CHECK(products.calls == answer.runs);
    }
  }

  TEST_CASE("35.14 the first stair gains most for each key of all sets of up to three keys of one path") {
    for (const GpuState state : {GpuState::kBurst, GpuState::kSteady}) {
      Products products{{4096, 4096, 4096}, {.kernel = {}, .l2 = L2State::kWarm, .state = state}};
      const MachineSpec machine = h200();
      const WhatIf answer = what_if(machine, std::ref(products));
      REQUIRE_FALSE(answer.stairs.empty());
      const auto gain = [&](const Changes& set) {
        const Row row = products.on(changed(machine, set));
        return std::log(times_faster(answer.base, row)) / static_cast<double>(set.size());
      };
      const Stair& first = answer.stairs.front();
      CAPTURE(first.changes.front().key.path());
      CHECK(gain(first.changes) == doctest::Approx(std::log(first.faster) / static_cast<double>(first.changes.size())));
      Changes all;
      for (const char* path : {"sm.count", "hbm.bandwidth", "l2.capacity", "power.limit", "tensor.bf16.macs",
                               "sm.store", "sm.registers", "sm.shared_memory"}) {
        all.push_back(of(path));
      }
      for (const char* path : {"l2.request", "sm.receive"}) all.push_back(of(path, kHalf));
      double best = 0;
      for (const Changes& set : sets_of(all, 1)) best = std::max(best, gain(set));
      CHECK(gain(first.changes) >= best - 1e-12);
      for (const CoupledKeys& path : coupled_keys(MachineKind::kGpu)) {
        for (const Changes& set : candidates_on(path, machine, machine, 2)) {
          if (path.whole) continue;
          CAPTURE(set.front().key.path());
          CHECK(gain(first.changes) >= gain(set) - 1e-12);
        }
      }
    }
  }

  TEST_CASE("35.14 what a technology, a fit or software gives is shown alone and never a stair") {
    for (const char* path : {"sm.clock", "tensor.bf16.share", "tensor.bf16.energy", "launch.kernel", "split.bandwidth",
                             "library.request", "overlap.body", "power.exponent", "l2.resident", "sm.clustered"}) {
      CAPTURE(path);
      CHECK_FALSE(may_be_bought(topology_key(path)));
    }
    // A product that is launched and little else: less of that is what helps, and nobody sells it.
    Products products{{16, 64, 16}};
    const WhatIf answer = what_if(h200(), std::ref(products));
    CHECK(times_faster(answer.base, effect(answer, "launch.kernel").half) > 1.2);
    for (const Stair& stair : answer.stairs) {
      for (const KeyChange& change : stair.changes) CHECK(may_be_bought(change.key));
    }
    for (const CoupledKeys& path : coupled_keys(MachineKind::kGpu)) {
      for (const KeyChange& change : path.better) CHECK(may_be_bought(change.key));
    }
  }

  TEST_CASE("35.14 a product that waits for HBM alone speeds up as HBM does") {
    // One part of the time is all of it where p is large and nothing is launched.
    const MachineSpec machine = h200({"overlap.body=1000", "launch.kernel=0 ns", "launch.cta=0 ns", "launch.drain=0 ns",
                                      "launch.from_hbm=0 ns", "tensor.bf16.launch=0 ns", "hbm.bandwidth=200 GB/s"});
    Products products{{64, 8192, 8192}, {.kernel = "64x64", .l2 = L2State::kFlushed, .state = GpuState::kBurst}};
    const WhatIf answer = what_if(machine, std::ref(products), {.stairs = 1});
    CHECK(answer.base.metrics.json().at("limited_by") == "HBM");
    CHECK(times_faster(answer.base, effect(answer, "hbm.bandwidth").twice) == doctest::Approx(2).epsilon(1e-6));
    CHECK(times_faster(answer.base, effect(answer, "hbm.bandwidth").half) == doctest::Approx(0.5).epsilon(1e-6));
    CHECK(times_faster(answer.base, effect(answer, "hbm.bandwidth").tenth_more) == doctest::Approx(1.1).epsilon(1e-6));
    CHECK(times_faster(answer.base, effect(answer, "sm.count").twice) == doctest::Approx(1).epsilon(1e-6));
    REQUIRE(answer.stairs.size() == 1);
    CHECK(paths_of(answer.stairs.front().changes) == std::vector<std::string>{"hbm.bandwidth"});
  }

  TEST_CASE("35.15 the library chooses anew on every machine, and a kernel that is named stays or does not fit") {
    const MachineSpec machine = h200();
    Products chooses;
    const WhatIf free = what_if(machine, std::ref(chooses), {.stairs = 0});
    const std::string before = free.base.metrics.json().at("kernel");
    CHECK(std::ranges::any_of(free.effects, [&](const KeyEffect& one) {
      return one.half.status == "ok" && one.half.metrics.json().at("kernel") != before;
    }));
    Products stays{{4096, 4096, 4096}, {.kernel = before, .l2 = L2State::kWarm, .state = GpuState::kBurst}};
    const WhatIf named = what_if(machine, std::ref(stays), {.stairs = 0});
    CHECK(named.base.metrics.json() == free.base.metrics.json());
    for (const KeyEffect& one : named.effects) {
      for (const Row* row : {&one.half, &one.twice}) {
        if (row->status == "ok") CHECK(row->metrics.json().at("kernel") == before);
      }
    }
    const Row& small = effect(named, "sm.accumulators").half;
    CHECK(small.status == "skipped");
    CHECK(small.reason.find("sm.accumulators") != std::string::npos);
    CHECK(times_faster(named.base, small) == 1);
  }

  TEST_CASE("35.7 points on a GPU are limited by what most of them are") {
    const auto row = [](double ns, const char* limit) {
      Row one;
      one.metrics.json() = {{"time_ns", ns}, {"limited_by", limit}};
      return one;
    };
    const std::vector<Row> rows{row(1, "HBM"), row(2, "tensor cores"), row(4, "tensor cores")};
    const Row mean = mean_row(rows, rows);
    CHECK(mean.metrics.json().at("time_ns").get<double>() == doctest::Approx(2));
    CHECK(mean.metrics.json().at("limited_by") == "tensor cores");
    CHECK(mean_row({rows[0], rows[1]}, {rows[0], rows[1]}).metrics.json().at("limited_by") == "HBM");
  }
}
