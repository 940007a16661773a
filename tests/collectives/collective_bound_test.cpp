// What no schedule beats: every registered algorithm tries.
#include "sim/plan/collective/collective_bound.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/collective/bandwidth_metrics.hpp"
#include "tests/collectives/random_request.hpp"

using namespace kernbench;

namespace {

CollectiveTraffic traffic_of(const CollectiveRequest& request, Bytes element_bytes = 1) {
  return {request.collective, request.count, request.grid.size(), request.root, element_bytes};
}

/// Each rank's part, of at most `parts`.
std::vector<std::vector<std::int32_t>> random_parts(std::int32_t ranks, std::int32_t parts) {
  std::vector<std::vector<std::int32_t>> split(static_cast<std::size_t>(parts));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    split[static_cast<std::size_t>(*rc::gen::inRange(0, parts))].push_back(rank);
  }
  return split;
}

bool holds(const std::vector<std::int32_t>& part, std::int32_t rank) {
  return std::ranges::find(part, rank) != part.end();
}

/// What a schedule sends out of a part, and takes into it.
Crossing crossing_of(const CollectiveSchedule& schedule, const std::vector<std::int32_t>& part) {
  Crossing crossing;
  for (std::int32_t rank = 0; rank < schedule.size(); ++rank) {
    for (const CollectiveThread& thread : schedule.ranks[static_cast<std::size_t>(rank)]) {
      for (const CollectiveStep& step : thread) {
        if (step.kind == StepKind::kCopy || holds(part, rank) == holds(part, step.peer)) continue;
        if (step.kind == StepKind::kSend) (holds(part, rank) ? crossing.out : crossing.in) += step.count;
      }
    }
  }
  return crossing;
}

/// What a schedule lets a rank do.
RankWork work_of(const CollectiveSchedule& schedule, std::int32_t rank) {
  RankWork work;
  for (const CollectiveThread& thread : schedule.ranks[static_cast<std::size_t>(rank)]) {
    for (const CollectiveStep& step : thread) {
      if (step.kind == StepKind::kSend) work.sent += step.count;
      if (step.kind == StepKind::kReceive || step.kind == StepKind::kReduce) work.taken += step.count;
      if (step.kind == StepKind::kReduce) work.added += step.count;
      if (step.kind == StepKind::kCopy) work.copied += step.count;
    }
  }
  return work;
}

/// A way out of each rank, and one in.
std::vector<RankUnits> ports(Bandwidth out, Bandwidth in) {
  return {{.name = "injection", .bandwidth = out, .gives = {.sent = 1}},
          {.name = "ejection", .bandwidth = in, .gives = {.taken = 1}}};
}

/// Ranks 0 ... ranks / 2 - 1 and the others, each half with one bandwidth out and one in.
NetworkLimits two_halves(std::int32_t ranks, Bandwidth out, Bandwidth in) {
  const Bandwidth port{1'000'000'000};
  NetworkLimits limits{{}, ports(port, port), {{"halves", {{"left", {}, out, in}, {"right", {}, out, in}}}}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    limits.groups[0].cuts[rank < ranks / 2 ? 0 : 1].ranks.push_back(rank);
  }
  return limits;
}

}  // namespace

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.8 no schedule moves less than the least across any cut and between any parts") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      CAPTURE(algorithm.name);
      CHECK(rc::check([&] {
        const CollectiveRequest request = random_request(algorithm);
        RC_LOG(described(request));
        const CollectiveTraffic traffic = traffic_of(request);
        const auto parts = random_parts(traffic.ranks, *rc::gen::inRange(1, 5));
        const CollectiveSchedule schedule = algorithm.generate(request);
        std::int64_t exchanged = 0;
        for (const auto& part : parts) {
          const Crossing least = least_crossing(traffic, part);
          const Crossing moved = crossing_of(schedule, part);
          exchanged += moved.out;
          RC_ASSERT(moved.out >= least.out);
          RC_ASSERT(moved.in >= least.in);
        }
        RC_ASSERT(exchanged >= least_exchange(traffic, parts));
      }));
    }
  }

  TEST_CASE("18.8 the least across a cut by hand: 10 elements, 4 ranks, ranks 0 and 3 inside") {
    const auto least = [](Collective collective, std::int32_t root, std::int64_t count = 10) {
      return least_crossing({collective, count, 4, root, 1}, {0, 3});
    };
    const auto is = [](Crossing crossing, std::int64_t out, std::int64_t in) {
      return crossing.out == out && crossing.in == in;
    };
    CHECK(is(least(Collective::kAllReduce, 0), 10, 10));
    CHECK(is(least(Collective::kReduceScatter, 0), 5, 5));  // blocks of 3, 3, 2, 2
    CHECK(is(least_crossing({Collective::kReduceScatter, 10, 4, 0, 1}, {0}), 7, 3));
    CHECK(is(least_crossing({Collective::kAllGather, 10, 4, 0, 1}, {0}), 3, 7));
    CHECK(is(least(Collective::kBroadcast, 3), 10, 0));
    CHECK(is(least(Collective::kBroadcast, 1), 0, 10));
    CHECK(is(least(Collective::kReduce, 3), 0, 10));
    CHECK(is(least(Collective::kReduce, 1), 10, 0));
    CHECK(is(least(Collective::kAllToAll, 0, 12), 12, 12));
    CHECK(is(least_crossing({Collective::kAllReduce, 10, 4, 0, 1}, {0, 1, 2, 3}), 0, 0));
    CHECK(least_exchange({Collective::kAllReduce, 10, 4, 0, 1}, {{0, 1}, {}, {2, 3}}) == 20);
    CHECK(least_exchange({Collective::kAllReduce, 10, 4, 0, 1}, {{0}, {1}, {2}, {3}}) == 60);
    CHECK(least_exchange({Collective::kReduce, 10, 4, 0, 1}, {{0}, {1}, {2}, {3}}) == 30);
    CHECK(least_exchange({Collective::kAllToAll, 12, 4, 0, 1}, {{0}, {1}, {2}, {3}}) == 36);
  }

  TEST_CASE("18.14 no rank of a schedule does less, nor do all together") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      CAPTURE(algorithm.name);
      CHECK(rc::check([&] {
        const CollectiveRequest request = random_request(algorithm);
        RC_LOG(described(request));
        if (request.grid.size() == 1 || request.count == 0) return;
        const CollectiveTraffic traffic = traffic_of(request);
        const CollectiveSchedule schedule = algorithm.generate(request);
        RankWork all;
        for (std::int32_t rank = 0; rank < schedule.size(); ++rank) {
          const RankWork work = work_of(schedule, rank);
          const RankWork least = least_work(traffic, rank);
          RC_ASSERT(work.sent >= least.sent);
          RC_ASSERT(work.taken >= least.taken);
          RC_ASSERT(work.sent + work.added >= least.sent + least.added);
          RC_ASSERT(2 * work.copied + work.sent + work.taken >= 2 * least.copied + least.sent + least.taken);
          all = {all.sent + work.sent, all.taken + work.taken, all.added + work.added, all.copied + work.copied};
        }
        const RankWork least = least_work(traffic);
        RC_ASSERT(all.sent >= least.sent);
        RC_ASSERT(all.taken >= least.taken);
        RC_ASSERT(all.added >= least.added);
        RC_ASSERT(2 * all.copied + all.sent + all.taken >= 2 * least.copied + least.sent + least.taken);
      }));
    }
  }

  TEST_CASE("18.14 the least work by hand, and who does no more: 12 elements, 4 ranks, root 2") {
    const auto is = [](const RankWork& work, const std::vector<std::int64_t>& expected) {
      return std::vector{work.sent, work.taken, work.added, work.copied} == expected;
    };
    const auto of = [](Collective collective) { return CollectiveTraffic{collective, 12, 4, 2, 1}; };
    CHECK(is(least_work(of(Collective::kAllReduce), 2), {12, 12, 0, 0}));
    CHECK(is(least_work(of(Collective::kReduceScatter), 2), {9, 3, 3, 0}));
    CHECK(is(least_work(of(Collective::kAllGather), 2), {3, 9, 0, 0}));
    CHECK(is(least_work(of(Collective::kBroadcast), 2), {12, 0, 0, 0}));
    CHECK(is(least_work(of(Collective::kReduce), 2), {0, 12, 12, 0}));
    CHECK(is(least_work(of(Collective::kReduce), 1), {12, 0, 0, 0}));
    CHECK(is(least_work(of(Collective::kAllToAll), 2), {9, 9, 0, 3}));
    const auto done = [&](const char* algorithm, Collective collective) {
      CollectiveRequest request;
      request.collective = collective;
      request.count = 12;
      request.root = 2;
      request.grid.pes = {1, 4};
      const CollectiveSchedule schedule = find_collective_algorithm(algorithm).generate(request);
      RankWork all;
      for (std::int32_t rank = 0; rank < 4; ++rank) {
        const RankWork work = work_of(schedule, rank);
        all = {all.sent + work.sent, all.taken + work.taken, all.added + work.added, all.copied + work.copied};
      }
      const RankWork least = least_work(of(collective));
      return is(all, {least.sent, least.taken, least.added, least.copied});
    };
    CHECK(is(least_work(of(Collective::kAllReduce)), {72, 72, 36, 0}));
    for (const Collective collective : find_collective_algorithm("ring").collectives) CHECK(done("ring", collective));
    CHECK(done("two_shot", Collective::kAllReduce));
    CHECK(done("pairwise", Collective::kAllToAll));
    CHECK(!done("direct", Collective::kAllReduce));
  }

  TEST_CASE("18.9 no schedule is faster than the bound; ring and direct reach it without latency") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      CAPTURE(algorithm.name);
      CHECK(rc::check([&] {
        const CollectiveRequest request = random_request(algorithm);
        const AlphaBeta cost{{*rc::gen::element(0, 1, 1000, 100'000)}, {1'000'000'007}, 2};
        RC_LOG(described(request));
        const CollectiveBound bound =
            collective_bound(traffic_of(request, 2), {cost.alpha, ports(cost.bandwidth, cost.bandwidth), {}});
        RC_ASSERT(alpha_beta_time(algorithm.generate(request), cost) >= bound.time);
      }));
    }
    const auto reached = [](const std::string& algorithm, Collective collective) {
      CollectiveRequest request;
      request.collective = collective;
      request.count = 8 * 1000;
      request.grid.pes = {2, 4};
      const Bandwidth rate{1'000'000'000};
      const CollectiveBound bound = collective_bound(traffic_of(request), {{}, ports(rate, rate), {}});
      return bound.time == find_collective_algorithm(algorithm).closed_time(request, {{}, rate, 1});
    };
    CHECK(reached("ring", Collective::kAllReduce));
    CHECK(reached("ring", Collective::kReduceScatter));
    CHECK(reached("ring", Collective::kAllGather));
    CHECK(reached("direct", Collective::kAllToAll));
    CHECK(!reached("direct", Collective::kAllReduce));
  }

  TEST_CASE("18.9 the largest term binds and is named") {
    const CollectiveTraffic all_reduce{Collective::kAllReduce, 1000, 8, 0, 2};
    const Bandwidth wide{1'000'000'000'000};
    const auto binds = [&](const CollectiveTraffic& traffic, const NetworkLimits& limits, std::int64_t ns,
                           const std::string& resource) {
      const CollectiveBound bound = collective_bound(traffic, limits);
      return bound.time == from_ns(ns) && bound.resource == resource;
    };
    CHECK(binds(all_reduce, two_halves(8, wide, wide), 3500, "injection"));  // 1750 elements of 2 B at 1 GB/s
    CHECK(binds(all_reduce, two_halves(8, {500'000'000}, wide), 4000, "left out"));
    CHECK(binds(all_reduce, two_halves(8, wide, {250'000'000}), 8000, "left in"));
    NetworkLimits far = two_halves(8, wide, wide);
    far.farthest = from_ns(3501);
    CHECK(binds(all_reduce, far, 3501, "latency"));
    far.units[1].bandwidth = {999'000'000};
    far.farthest = {};
    CHECK(collective_bound(all_reduce, far).resource == "ejection");
    // Four dies of two: 2 x 3 x 2000 B leave them by 4 x 0.5 GB/s; a die alone would allow 4 us.
    NetworkLimits dies{{}, ports({1'000'000'000}, {1'000'000'000}), {{"dies", {}}}};
    for (std::int32_t die = 0; die < 4; ++die) {
      dies.groups[0].cuts.push_back({"die", {2 * die, 2 * die + 1}, {500'000'000}, {500'000'000}});
    }
    CHECK(binds(all_reduce, dies, 6000, "dies out"));
    dies.groups[0].cuts.pop_back();  // not all ranks: each die for itself
    CHECK(binds(all_reduce, dies, 4000, "die out"));
    CHECK(binds({Collective::kAllReduce, 1000, 1, 0, 2}, {}, 0, ""));
    CHECK(binds({Collective::kAllReduce, 0, 8, 0, 2}, {}, 0, ""));
  }

  TEST_CASE("18.9 units that several ranks share, and what they hold at the end") {
    const CollectiveTraffic reduce{Collective::kReduce, 1000, 4, 3, 2};
    const auto bound = [&](const RankUnits& units) { return collective_bound(reduce, {{}, {units}, {}}); };
    RankUnits memory{.name = "memory",
                     .bandwidth = {1'000'000'000},
                     .gives = {.sent = 1, .added = 1},
                     .takes = {.taken = 1},
                     .ranks = {{0, 1, 2}, {3}}};
    // Root 3 takes 1000 and adds to 1000; the others send 3 x 1000; of all 9 x 1000, two memories do 4500 each.
    CHECK(bound(memory).time == from_ns(9000));
    CHECK(bound(memory).resource == "memory");
    memory.held = 500;
    CHECK(bound(memory).time == from_ns(8500));
    memory.held = 100'000;  // what is read is done with
    CHECK(bound(memory).time == from_ns(6000));
    memory.ranks = {{0}, {1}, {2}, {3}};
    memory.held = 0;
    CHECK(bound(memory).time == from_ns(4500));
    memory.ranks.clear();
    CHECK(bound(memory).time == from_ns(4500));
    memory.ranks = {{0, 1, 2, 3}};
    CHECK(bound(memory).time == from_ns(18'000));
    memory.ranks = {{0, 1}, {2}, {3}};
    memory.gives = {};
    memory.takes = {.copied = 1};
    CHECK(bound(memory).resource.empty());
  }

  TEST_CASE("18.10 bandwidths are nccl-tests': 1 MB in 10 us over 8 ranks") {
    const auto busbw = [](Collective collective) {
      return bandwidth_of(collective, 8, 1'000'000, from_ns(10'000)).busbw_gbs;
    };
    CHECK(bandwidth_of(Collective::kAllReduce, 8, 1'000'000, from_ns(10'000)).algbw_gbs == 100.0);
    CHECK(busbw(Collective::kAllReduce) == 175.0);
    CHECK(busbw(Collective::kReduceScatter) == 87.5);
    CHECK(busbw(Collective::kAllGather) == 87.5);
    CHECK(busbw(Collective::kAllToAll) == 87.5);
    CHECK(busbw(Collective::kBroadcast) == 100.0);
    CHECK(busbw(Collective::kReduce) == 100.0);
  }

  TEST_CASE("18.10 a count is what a rank gives or gets of its own") {
    using kernbench::nccl_count;
    for (const Collective whole : {Collective::kAllReduce, Collective::kBroadcast, Collective::kReduce}) {
      CHECK(nccl_count(whole, 8, 64) == 64);
    }
    for (const Collective part : {Collective::kReduceScatter, Collective::kAllGather, Collective::kAllToAll}) {
      CHECK(nccl_count(part, 8, 64) == 8);
      CHECK(nccl_count(part, 8, 128) == 16);
      CHECK(nccl_count(part, 3, 100) == 34);
      CHECK(nccl_count(part, 1, 100) == 100);
    }
  }
}
