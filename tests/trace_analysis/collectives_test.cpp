// Waits, skews, bandwidths, what kept the last rank, stragglers.
#include "benches/traces/tables/collectives.hpp"

#include <doctest/doctest.h>

#include "benches/traces/tables/collective_kinds.hpp"
#include "benches/traces/tables/collective_notes.hpp"
#include "tests/support/error_of.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

using kernbench::traces::AloneTimes;
using kernbench::traces::busbw_factor_of;
using kernbench::traces::collective_bytes;
using kernbench::traces::collectives_table;
using kernbench::traces::CollectiveSignature;
using kernbench::traces::PlacedTrace;
using kernbench::traces::timed_groups;

namespace {

using Texts = std::vector<std::string>;

std::int64_t bytes_of(const std::string& kind) {
  CollectiveSignature signature;
  signature.kind = kind;
  signature.dtype = "Float";
  signature.in_elements = 10;
  signature.out_elements = 40;
  return collective_bytes(signature);
}

/// Two ranks, four collectives of 100 µs; rank 1 is late by `late` µs in the first `times` of them.
std::vector<PlacedTrace> late_rank(int times, double late) {
  RankEvents first;
  RankEvents second;
  for (int i = 0; i < 4; ++i) {
    const double start = 1000.0 * i;
    const double delay = i < times ? late : -1;
    first.collective(start, 100 + late);
    second.collective(start + delay, 100 + late - delay);
  }
  return {first.placed(0), second.placed(1)};
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.21 latency, waits, skews and bandwidths of one collective by hand") {
    const RankEvents::Signature signature{"allreduce", 1'000'000, -1, 3, "0", "[0, 1, 2]"};  // 2 MB
    const std::vector<PlacedTrace> traces{RankEvents().collective(100, 80, signature).placed(0),
                                          RankEvents().collective(130, 52, signature).placed(1),
                                          RankEvents().collective(110, 71, signature).placed(2)};
    CHECK(of_collectives(traces, "bytes") == Texts{"2000000"});
    CHECK(of_collectives(traces, "latency_us") == Texts{"52"});
    CHECK(of_collectives(traces, "start_skew_us") == Texts{"30"});
    CHECK(of_collectives(traces, "end_skew_us") == Texts{"2"});
    CHECK(of_collectives(traces, "last_rank") == Texts{"1"});
    CHECK(of_collectives(traces, "first_rank") == Texts{"0"});
    CHECK(of_collectives(traces, "wait_rank0_us") == Texts{"30"});
    CHECK(of_collectives(traces, "wait_rank1_us") == Texts{"0"});
    CHECK(of_collectives(traces, "wait_rank2_us") == Texts{"20"});
    CHECK(of_collectives(traces, "algbw_gbs") == Texts{"38.46153846"});
    CHECK(of_collectives(traces, "busbw_gbs") == Texts{"51.28205128"});  // three traces: 2 (3 - 1) / 3
    CHECK(of_collectives(traces, "waiting_pct") == Texts{"24.63054187"});
    CHECK(of_collectives(traces, "mostly") == Texts{"mixed"});
  }

  TEST_CASE("40.21 bytes and factors of each kind") {
    for (const char* kind : {"allreduce", "_reduce_scatter_base", "broadcast", "all_to_all", "reduce", "send"}) {
      CHECK(bytes_of(kind) == 40);
    }
    CHECK(bytes_of("_allgather_base") == 160);
    CHECK(bytes_of("all_to_allv") == 0);
    CHECK(busbw_factor_of("allreduce_coalesced", 4) == 1.5);
    CHECK(busbw_factor_of("reduce_scatter_tensor_coalesced", 4) == 0.75);
    CHECK(busbw_factor_of("allgather_into_tensor_coalesced", 4) == 0.75);
    CHECK(busbw_factor_of("all_to_allv", 4) == 0.75);
    for (const char* kind : {"broadcast", "_broadcast_oop", "_reduce_oop", "send", "recv"}) {
      CHECK(busbw_factor_of(kind, 4) == 1.0);
    }
    CHECK(bytes_of("gather") == 160);  // what the root gets, and gives
    CHECK(bytes_of("scatter") == 40);
    CHECK(busbw_factor_of("gather", 4) == 0.75);
    CHECK(busbw_factor_of("scatter", 8) == 0.875);
    CHECK_FALSE(busbw_factor_of("barrier", 4));
    CHECK_FALSE(busbw_factor_of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 4));
  }

  TEST_CASE("40.21 waiting, transfer and mixed; no sizes, no bandwidth") {
    const auto verdict = [](double start) {
      return of_collectives(
          {RankEvents().collective(0, 100).placed(0), RankEvents().collective(start, 100 - start).placed(1)}, "mostly");
    };
    CHECK(verdict(18) == Texts{"transfer"});  // 18 of 182
    CHECK(verdict(19) == Texts{"mixed"});
    CHECK(verdict(66) == Texts{"mixed"});
    CHECK(verdict(67) == Texts{"waiting"});  // 67 of 133
    const std::vector<PlacedTrace> without{RankEvents().kernel("ncclKernel", 0, 9).placed(0)};
    CHECK(of_collectives(without, "latency_us") == Texts{"9"});
    CHECK(of_collectives(without, "algbw_gbs") == Texts{""});
  }

  TEST_CASE("40.21 clocks: base times and where files begin; too far apart is a warning, and refused") {
    RankEvents later;
    later.kernel("relu", -7, 1).collective(40, 60);  // on a clock that began 30 µs later
    const auto placed = [&](const std::string& base) {
      return std::vector<PlacedTrace>{RankEvents().collective(50, 80).placed(0, {}, R"("baseTimeNanoseconds":1000000)"),
                                      later.placed(1, {}, "\"baseTimeNanoseconds\":" + base)};
    };
    CHECK(of_collectives(placed("1030000"), "wait_rank0_us") == Texts{"20"});
    CHECK(of_collectives(placed("1030000"), "end_skew_us") == Texts{"0"});
    CHECK(collective_notes(timed_groups(placed("1030000"), {})).empty());
    CHECK(collective_notes(timed_groups(placed("2031000"), {})).size() == 1);
    CHECK(::error_of([&] {
            static_cast<void>(timed_groups(placed("9000000000000000"), {}));
          }).find("expected ranks of one run") != std::string::npos);
  }

  TEST_CASE("40.22 what kept the last rank") {
    const auto kept = [](RankEvents last) {
      const std::vector<PlacedTrace> traces{RankEvents().collective(0, 200).placed(0),
                                            last.collective(100, 100).placed(1)};
      return of_collectives(traces, "kept_by")[0] + " " + of_collectives(traces, "kept_idle_us")[0];
    };
    CHECK(kept(RankEvents().kernel("a", 10, 30).kernel("b", 50, 48.5)) == "b 0");
    CHECK(kept(RankEvents().kernel("a", 10, 30).kernel("b", 50, 48)) == "idle 2");
    CHECK(kept(RankEvents().kernel("a", 10, 300).kernel("b", 50, 20)) == "b 0");  // busy with a meanwhile
    CHECK(kept(RankEvents().kernel("a", 60, 80)) == " 0");                        // nothing ended before
    CHECK(kept(RankEvents().kernel("a", 60, 40).kernel("b", 70, 30)) == "b 0");
  }

  TEST_CASE("40.22 a straggler is late in half of them by more than 5 %, else nobody is") {
    CHECK(of_ranks(late_rank(2, 20), "straggler") == Texts{"", "straggler"});
    CHECK(of_ranks(late_rank(1, 20), "straggler") == Texts{"", ""});  // rank 0 is last thrice, by 1 µs
    CHECK(of_ranks(late_rank(4, 5), "straggler") == Texts{"", ""});   // 5 of 100
    CHECK(of_ranks(late_rank(4, 5.1), "straggler") == Texts{"", "straggler"});
    CHECK(of_ranks({RankEvents().collective(0, 9, {"allreduce", 1, -1, 1, "0", "[0]"}).placed(0)}, "straggler") ==
          Texts{""});
    const std::vector<PlacedTrace> late = late_rank(3, 20);
    CHECK(of_ranks(late, "collectives") == Texts{"4", "4"});
    CHECK(of_ranks(late, "wait_us") == Texts{"60", "1"});
    CHECK(of_ranks(late, "times_last") == Texts{"1", "3"});
    CHECK(of_ranks(late, "times_first") == Texts{"3", "1"});
    CHECK(of_ranks(late, "others_wait_us") == Texts{"1", "20"});
    CHECK(of_ranks(late, "kept_by") == Texts{"idle", "idle"});
  }

  TEST_CASE("40.23 alone: measured, between two sizes, beyond them") {
    kernbench::Results results;
    const auto add = [&results](std::int64_t bytes, double ns, const char* setting) {
      kernbench::Row row;
      row.point = {{"collective", "all_reduce"}, {"gpus", 2}, {"bytes", bytes}, {"setting", setting}};
      row.metrics.json() = {{"time_ns", ns}};
      results.rows.push_back(row);
    };
    add(1000, 4000, "default");
    add(3000, 8000, "default");
    add(2000, 1, "ring");
    const AloneTimes alone(results);
    const auto alone_of = [&alone](std::int64_t elements, const std::string& column) {
      const RankEvents::Signature signature{"allreduce", elements};
      return of_collectives(
          {RankEvents().collective(0, 10, signature).placed(0), RankEvents().collective(0, 9, signature).placed(1)},
          column, alone);
    };
    CHECK(alone_of(500, "alone_us") == Texts{"4"});
    CHECK(alone_of(500, "alone_basis") == Texts{"measured"});
    CHECK(alone_of(500, "above_alone_us") == Texts{"5"});
    CHECK(alone_of(750, "alone_us") == Texts{"5"});
    CHECK(alone_of(750, "alone_basis") == Texts{"between sizes"});
    CHECK(alone_of(499, "alone_us") == Texts{""});
    CHECK(alone_of(1501, "alone_us") == Texts{""});
    CHECK_FALSE(alone.at("all_reduce", 4, 1000));
    CHECK_FALSE(alone.at("broadcast", 2, 1000));
    CHECK_FALSE(kernbench::traces::read_alone_times("no-such-folder", "NVIDIA H200").at("all_reduce", 2, 1024));
  }
}
