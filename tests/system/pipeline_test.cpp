// The PE pipeline on the committed machine: latencies as sums of their parts, intervals as the time of the slowest
// stage.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::pipeline_test {
namespace {

using Overrides = std::vector<std::string>;

constexpr Picoseconds kControl = from_ns(2);
constexpr Picoseconds kDispatch = from_ns(1);
constexpr Picoseconds kSetup = from_ns(4);
constexpr Picoseconds kWay{2030};
constexpr Picoseconds kBurst = from_ns(8);
constexpr Picoseconds kRead = from_ns(32);
constexpr Picoseconds kFetch = from_ns(16);
constexpr Picoseconds kMac = from_ns(16);
constexpr Picoseconds kFill = from_ns(8);
constexpr Picoseconds kVectorLatency = from_ns(4);
constexpr Picoseconds kStore = from_ns(4);

/// From the issue of the first of `bursts` bursts to the delivery of the last; a burst takes a link for 1 ns.
constexpr Picoseconds read_time(std::int64_t bursts) { return kWay + kBurst + kRead + from_ns(bursts) + kWay; }
/// From the end of the store unit's work to the acknowledgement of an output of `bursts` bursts.
constexpr Picoseconds write_time(std::int64_t bursts) { return kSetup + from_ns(bursts) + kWay + kWay; }
/// From the end of the last product of a full output tile to the acknowledgement.
constexpr Picoseconds kLeave = kFill + kStore + write_time(8);

GemmProblem with(GemmProblem problem, const std::string& epilogues) {
  problem.epilogues = parse_epilogues(epilogues);
  return problem;
}

/// One output tile of `k_tiles` K tiles.
GemmProblem one_output(std::int64_t k_tiles, const std::string& epilogues = "") {
  return with({32, 64 * k_tiles, 32}, epilogues);
}
/// A row of outputs of one K tile each.
GemmProblem outputs(std::int64_t count) { return {32, 64, 32 * count}; }

Picoseconds composite_time(const GemmProblem& problem, const std::string& variant, const Overrides& overrides = {}) {
  return simulate_gemm(milestone(overrides), problem, variant).composite();
}

/// Time that each further tile of a long composite takes; it must be the same for all of them.
Picoseconds interval(const std::function<GemmProblem(std::int64_t)>& problem, const std::string& variant,
                     const Overrides& overrides = {}) {
  const Picoseconds ten = composite_time(problem(10), variant, overrides);
  const Picoseconds twenty = composite_time(problem(20), variant, overrides);
  CHECK(composite_time(problem(40), variant, overrides) - twenty == 2 * (twenty - ten));
  CHECK((twenty - ten).value % 10 == 0);
  return {(twenty - ten).value / 10};
}

Picoseconds k_interval(const std::string& variant, const std::string& epilogues = "", const Overrides& overrides = {}) {
  return interval([&](std::int64_t tiles) { return one_output(tiles, epilogues); }, variant, overrides);
}

void check_record(const Observed& run, const std::string& stage, std::size_t index, Picoseconds start, Picoseconds end,
                  Bytes bytes, std::int64_t macs, std::int64_t tile, std::int32_t composite) {
  CAPTURE(stage);
  CAPTURE(index);
  const auto records = run.of(stage);
  REQUIRE(records.size() > index);
  const OpRecord& op = records[index];
  CHECK(op.start == start);
  CHECK(op.end == end);
  CHECK(op.bytes == bytes);
  CHECK(op.macs == macs);
  CHECK(op.tile == tile);
  CHECK(op.composite == composite);
}

}  // namespace

TEST_SUITE("ADR-0005") {
  TEST_CASE("5.1 the latency of a single tile is the sum of its parts, for each variant") {
    const Picoseconds from_fetch = kFetch + kMac + kLeave;
    CHECK(composite_time(one_output(1), "load_load") == kDispatch + from_fetch);
    CHECK(composite_time(one_output(1), "load_ref") == kDispatch + kSetup + read_time(16) + from_fetch);
    // B is set up behind A and streams right behind it.
    CHECK(composite_time(one_output(1), "ref_ref") == kDispatch + kSetup + read_time(32) + from_fetch);
  }

  TEST_CASE("5.2 composites run without a gap between them: two take what one of as many tiles takes") {
    const auto two = [](bool wait_between, const Overrides& overrides = {}) {
      const MachineSpec machine = milestone(overrides);
      const GemmProblem problem = one_output(20);
      const GemmCall call{problem, place_gemm(problem, machine)};
      return simulate(machine, [=](KernelPe pe) -> Process {
        const Operand a = co_await pe.load(call.matrices.a);
        const Operand b = co_await pe.ref(call.matrices.b);
        co_await pe.wait(a);
        const Pending first = co_await pe.composite(call, a, b);
        if (wait_between) co_await pe.wait(first);
        co_await pe.wait(co_await pe.composite(call, a, b));
      });
    };
    const Observed run = two(false);
    const Observed one = simulate_gemm(milestone(), {32, 64 * 20, 64}, "load_ref");
    for (const std::string stage : {"schedule", "dma_in", "fetch", "mac", "store", "dma_out"}) {
      CAPTURE(stage);
      const auto records = run.of(stage);
      const auto expected = one.of(stage);
      REQUIRE(records.size() == expected.size());
      for (std::size_t i = 0; i < records.size(); ++i) {
        CHECK(records[i].start == expected[i].start);
        CHECK(records[i].end == expected[i].end);
      }
      CHECK(records.front().composite == 0);
      CHECK(records.back().composite == 1);
      CHECK(records.back().tile == 19);
    }
    // With a wait between them, one after the other and the call that starts the second, if the memory need not turn
    // around from the output of the first.
    CHECK(two(true, {"die.hbm.turnaround=0 ns"}).composite() ==
          2 * composite_time(one_output(20), "load_ref") + kControl);
  }

  TEST_CASE("5.6 the fill latency is paid once an output, whatever its tiles") {
    for (const std::int64_t tiles : {1, 2, 20}) {
      CAPTURE(tiles);
      CHECK(composite_time(one_output(tiles), "load_load", {"pe.mac.fill_cycles=108"}) ==
            composite_time(one_output(tiles), "load_load") + from_ns(100));
    }
    // Outputs of several tiles: the array works on while the results before are on their way.
    const GemmProblem four{32, 1024, 128};
    CHECK(composite_time(four, "load_load", {"pe.mac.fill_cycles=208"}) ==
          composite_time(four, "load_load") + from_ns(200));
  }

  TEST_CASE("5.7 vector work adds its cycles and the unit's latency to a result; none costs nothing") {
    const Picoseconds plain = composite_time(one_output(3), "load_ref");
    const auto added = [&](const std::string& epilogues) {
      return composite_time(one_output(3, epilogues), "load_ref") - plain;
    };
    CHECK(added("relu") == from_ns(8) + kVectorLatency);  // 1024 elements on 128 lanes
    CHECK(added("bias,relu") == from_ns(16) + kVectorLatency);
    CHECK(added("gelu") == from_ns(64) + kVectorLatency);
    CHECK(simulate_gemm(milestone(), one_output(3), "load_ref").of("vector").empty());
    CHECK(composite_time(one_output(3), "load_ref", {"pe.vector.latency_cycles=99"}) == plain);
    // Results go through the unit one after the other; its latency is not paid again.
    const auto gelu = [](std::int64_t count) { return with(outputs(count), "gelu"); };
    CHECK(interval(gelu, "load_load") == from_ns(64));
  }

  TEST_CASE("5.7 a result without vector work does not overtake those before it") {
    const MachineSpec machine = milestone({"pe.mac.accumulators=16", "pe.output_depth=16"});
    const GemmCall plain{outputs(6), place_gemm(outputs(6), machine)};
    const GemmCall gelu{with(outputs(6), "gelu"), plain.matrices};
    const Observed run = simulate(machine, [&](KernelPe pe) -> Process {
      const Operand a = co_await pe.load(plain.matrices.a);
      const Operand b = co_await pe.load(plain.matrices.b);
      co_await pe.wait(b);
      static_cast<void>(co_await pe.composite(gelu, a, b));
      co_await pe.wait(co_await pe.composite(plain, a, b));
    });
    const auto stores = run.of("store");
    REQUIRE(stores.size() == 12);
    for (std::size_t o = 0; o < 12; ++o) {
      CHECK(stores[o].composite == static_cast<std::int32_t>(o / 6));
      CHECK(stores[o].tile == static_cast<std::int64_t>(o % 6));
    }
    // The plain results have long been there when the last of the others leaves the vector unit.
    CHECK(stores[5].start == run.of("vector").back().end + kVectorLatency);
    for (std::size_t o = 6; o < 12; ++o) CHECK(stores[o].start == stores[o - 1].end);
  }

  TEST_CASE("5.9 a slot is free when its last packet has left the TCM") {
    const Picoseconds slow_store = from_ns(64);
    const Picoseconds leave_tcm = kSetup + from_ns(4);  // 8 bursts through a port of half a nanosecond each
    const auto with_depth = [](const std::string& depth, const std::string& port) {
      return interval(outputs, "load_load",
                      {"pe.store_bandwidth=32GB/s", "pe.output_depth=" + depth, "pe.tcm.read_bandwidth=" + port});
    };
    CHECK(with_depth("2", "512GB/s") == slow_store);
    CHECK(with_depth("1", "512GB/s") == slow_store + leave_tcm);
    CHECK(with_depth("1", "128GB/s") == slow_store + kSetup + from_ns(16));
    CHECK(with_depth("2", "128GB/s") == slow_store);
    CHECK(with_depth("2", "16GB/s") == from_ns(128));  // the port itself: set-ups are hidden behind it
  }

  TEST_CASE("5.10 a composite is complete when its last output has been acknowledged") {
    const Observed run = simulate_gemm(milestone(), outputs(5), "load_ref");
    const auto out = run.of("dma_out");
    REQUIRE(out.size() == 5);
    CHECK(run.result.composite.end == out.back().end);
    const MachineSpec machine = milestone();
    const GemmCall call{outputs(5), place_gemm(outputs(5), machine)};
    const Observed then = simulate(machine, [=](KernelPe pe) -> Process {
      const Operand a = co_await pe.ref(call.matrices.a);
      const Operand b = co_await pe.ref(call.matrices.b);
      co_await pe.wait(co_await pe.composite(call, a, b));
      static_cast<void>(co_await pe.ref(call.matrices.b));
    });
    CHECK(then.of("control").back().start == then.of("dma_out").back().end);
  }

  TEST_CASE("5.11 partial products: each tile passes the vector unit, and as many are under way as there are sets") {
    // Scaling and adding take 2 x 8 cycles. A set is taken for product, fill, vector work and latency: 44 ns.
    const Picoseconds set_time = kMac + kFill + from_ns(16) + kVectorLatency;
    CHECK(k_interval("load_load", "scale@k_tile", {"pe.mac.accumulators=1"}) == set_time);
    CHECK(2 * k_interval("load_load", "scale@k_tile", {"pe.mac.accumulators=2"}) == set_time);
    CHECK(k_interval("load_load", "scale@k_tile", {"pe.mac.accumulators=3"}) == kMac);
    CHECK(k_interval("load_load", "scale@k_tile", {"pe.mac.accumulators=3", "pe.vector.lanes=64"}) == from_ns(32));
    CHECK(composite_time(one_output(1, "scale@k_tile"), "load_load") ==
          composite_time(one_output(1), "load_load") + from_ns(16) + kVectorLatency);
    // The sum of an output is in use until it is stored: with one set and a slow store, outputs follow one another.
    const auto scaled = [](std::int64_t count) { return with(outputs(count), "scale@k_tile"); };
    CHECK(interval(scaled, "load_load", {"pe.mac.accumulators=1", "pe.store_bandwidth=32GB/s"}) ==
          from_ns(64) + from_ns(16) + kVectorLatency);
  }

  TEST_CASE("5.12 an element-wise tile passes the array in no time and leaves no record there") {
    const auto time = [](VectorOp op, std::int64_t columns, const Overrides& overrides = {}) {
      const Observed run = simulate_math(milestone(overrides), {op, 32, columns});
      CHECK(run.of("mac").empty());
      return run.composite();
    };
    const auto parts = [](std::int64_t bursts, Picoseconds fetch, Picoseconds vector) {
      return kDispatch + kSetup + read_time(bursts) + fetch + vector + kVectorLatency + kStore + write_time(8);
    };
    CHECK(time(VectorOp::kRelu, 32) == parts(8, from_ns(4), from_ns(8)));
    CHECK(time(VectorOp::kAdd, 32) == parts(16, from_ns(8), from_ns(8)));
    CHECK(time(VectorOp::kGelu, 32) == parts(8, from_ns(4), from_ns(64)));
    // It holds accumulators from the array to the end of its store: with one set, tiles follow one another.
    const Overrides one = {"pe.mac.accumulators=1"};
    CHECK(time(VectorOp::kRelu, 32 * 6, one) - time(VectorOp::kRelu, 32 * 5, one) ==
          from_ns(8) + kVectorLatency + kStore);
  }

  TEST_CASE("5.13 with buffers deep enough a tile leaves every time of the slowest stage, for each variant") {
    CHECK(k_interval("ref_ref") == from_ns(32));  // DMA of A and B: 8192 bytes at 256 GB/s
    CHECK(k_interval("load_ref") == from_ns(16));
    CHECK(k_interval("load_load") == from_ns(16));
    CHECK(k_interval("load_ref", "", {"pe.mac.macs_per_cycle=1024"}) == from_ns(64));
    CHECK(k_interval("load_load", "", {"pe.fetch_bandwidth=256GB/s"}) == from_ns(32));
    CHECK(k_interval("load_ref", "", {"pe.fetch_bandwidth=1TB/s", "pe.mac.macs_per_cycle=16384"}) == from_ns(16));
    CHECK(k_interval("load_load", "", {"pe.fetch_bandwidth=1TB/s", "pe.mac.macs_per_cycle=16384"}) ==
          Picoseconds{8192});
    // One tile at a time instead: the way of a tile to its registers is not hidden any more.
    CHECK(k_interval("load_ref", "", {"pe.stream_depth=1"}) == kDispatch + kSetup + read_time(16) + kFetch);
    CHECK(k_interval("load_load", "", {"pe.mac.operand_registers=1"}) == kFetch + kMac);
  }
}

TEST_SUITE("ADR-0006") {
  TEST_CASE("6.8 each variant loads what it loads once, and streams the rest again for every tile that needs it") {
    const GemmProblem problem{96, 128, 64};  // 3 x 2 outputs
    const Bytes a = 96 * 128 * 2;
    const Bytes b = 128 * 64 * 2;
    const auto moved = [&](const std::string& variant) {
      std::map<std::string, Bytes> bytes;
      for (const StageTotals& stage : simulate_gemm(milestone(), problem, variant).result.stages) {
        bytes[stage.stage] += stage.bytes;
      }
      CHECK(bytes["dma_out"] == 96 * 64 * 2);
      CHECK(bytes["store"] == 96 * 64 * 2);
      CHECK(bytes["fetch"] == 2 * a + 3 * b);
      return std::pair{bytes["load"], bytes["dma_in"]};
    };
    CHECK(moved("ref_ref") == std::pair<Bytes, Bytes>{0, 2 * a + 3 * b});
    CHECK(moved("load_ref") == std::pair<Bytes, Bytes>{a, 3 * b});
    CHECK(moved("load_load") == std::pair<Bytes, Bytes>{a + b, 0});
  }
}

TEST_SUITE("ADR-0008") {
  TEST_CASE("8.1 the records of a tile: stage, times, bytes, MACs, tile and composite") {
    const Observed run = simulate_gemm(milestone(), with({20, 128, 30}, "relu"), "load_ref");
    std::string stages;
    for (const StageTotals& totals : run.result.stages) stages += totals.stage + ' ';
    CHECK(stages == "control load schedule dma_in fetch mac vector store dma_out ");
    // Two K tiles. A is 20 x 64 in each of two slots: 10 bursts a tile; B is 64 x 30: 15 bursts.
    const Picoseconds a_start = kControl;
    // Both tiles of A begin at channel 0: its fourth burst is the last but one to come.
    const Picoseconds a_end = a_start + kSetup + kWay + 4 * kBurst + kRead + from_ns(2) + kWay;
    check_record(run, "load", 0, a_start, a_end, 20 * 128 * 2, 0, -1, -1);
    const Picoseconds submitted = a_end + kControl;
    const Picoseconds dispatched = submitted + kDispatch;
    check_record(run, "schedule", 0, submitted, dispatched, 0, 0, 0, 0);
    check_record(run, "schedule", 1, dispatched, dispatched + kDispatch, 0, 0, 1, 0);
    const Picoseconds there = dispatched + kSetup + read_time(15);
    check_record(run, "dma_in", 0, dispatched, there, 64 * 30 * 2, 0, 0, 0);
    // Taken up when the first has been issued, its data come one burst later on.
    check_record(run, "dma_in", 1, dispatched + kSetup, there + from_ns(16), 64 * 30 * 2, 0, 1, 0);
    const Picoseconds fetch_time = Bandwidth{512'000'000'000}.time_for(50 * 64 * 2);
    const Picoseconds second = there + from_ns(16) + fetch_time;
    check_record(run, "fetch", 0, there, there + fetch_time, 50 * 64 * 2, 0, 0, 0);
    check_record(run, "fetch", 1, there + from_ns(16), second, 50 * 64 * 2, 0, 1, 0);
    check_record(run, "mac", 0, there + fetch_time, there + fetch_time + kMac, 0, 65536, 0, 0);
    check_record(run, "mac", 1, second, second + kMac, 0, 65536, 1, 0);
    const Picoseconds result = second + kMac + kFill;
    check_record(run, "vector", 0, result, result + from_ns(5), 0, 0, 1, 0);  // 600 elements on 128 lanes
    const Picoseconds stored = result + from_ns(5) + kVectorLatency + Bandwidth{512'000'000'000}.time_for(1200);
    check_record(run, "store", 0, result + from_ns(5) + kVectorLatency, stored, 1200, 0, 1, 0);
    check_record(run, "dma_out", 0, stored, stored + write_time(5), 1200, 0, 1, 0);
    check_record(run, "control", 0, {}, kControl, 0, 0, -1, -1);
    CHECK(run.of("control").size() == 5);

    std::map<std::string, std::string> engines;
    for (const Logged& logged : run.records) engines[logged.stage] = logged.engine;
    CHECK(engines.at("load") == engines.at("dma_in"));
    CHECK(engines.at("dma_in") != engines.at("dma_out"));
    CHECK(engines.at("mac") != engines.at("fetch"));
  }

  TEST_CASE("8.4 the PE window spans all records, the composite window those of composites") {
    for (const std::string variant : {"ref_ref", "load_ref", "load_load"}) {
      CAPTURE(variant);
      const Observed run = simulate_gemm(milestone(), {64, 128, 64}, variant);
      Span all;
      Span composite;
      for (const Logged& logged : run.records) {
        const bool outside = logged.stage == "control" || logged.stage == "load" || logged.stage == "store_out";
        CHECK((logged.op.composite < 0) == outside);
        all.cover(logged.op.start, logged.op.end);
        if (!outside) composite.cover(logged.op.start, logged.op.end);
      }
      CHECK(run.result.pe.start == Picoseconds{});
      CHECK(run.result.pe.end == all.end);
      CHECK(run.result.composite.start == composite.start);
      CHECK(run.result.composite.end == composite.end);
      CHECK(composite.start > all.start);
    }
  }

  TEST_CASE("8.6 an observer sees the very records whose totals are reported") {
    const Observed run = simulate_gemm(milestone(), with({70, 200, 50}, "bias,scale@k_tile,gelu"), "load_ref");
    using Intervals = std::vector<std::pair<Picoseconds, Picoseconds>>;
    std::map<std::pair<std::string, std::string>, StageTotals> expected;
    std::map<std::pair<std::string, std::string>, Intervals> intervals;
    for (const auto& [engine, stage, op] : run.records) {
      StageTotals& totals = expected[{stage, engine}];
      ++totals.records;
      totals.busy += op.end - op.start;
      totals.bytes += op.bytes;
      totals.macs += op.macs;
      intervals[{stage, engine}].emplace_back(op.start, op.end);
    }
    CHECK(run.result.stages.size() == expected.size());
    CHECK(expected.size() == 9);  // all but store_out
    for (const StageTotals& totals : run.result.stages) {
      CAPTURE(totals.stage);
      const StageTotals& sum = expected.at({totals.stage, totals.engine});
      CHECK(totals.records == sum.records);
      CHECK(totals.busy == sum.busy);
      CHECK(totals.bytes == sum.bytes);
      CHECK(totals.macs == sum.macs);
      Intervals sorted = intervals.at({totals.stage, totals.engine});
      std::ranges::sort(sorted);
      Picoseconds wall{};
      Picoseconds covered{};
      for (const auto& [start, end] : sorted) {
        const Picoseconds from = std::max(start, covered);
        if (end > from) wall += end - from;
        covered = std::max(covered, end);
      }
      CHECK(totals.wall == wall);
    }
  }
}

}  // namespace kernbench::pipeline_test
