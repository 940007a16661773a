// Collectives whose ranks are several PEs each: their rails by hand, beside each other, and with values.
#include "sim/plan/collective/rails.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/system/collective/run_collective.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/random_collective.hpp"
#include "tests/system/collective_run.hpp"

using namespace kernbench;

namespace {

CollectiveRequest all_reduce_between(std::int64_t count, const RankGrid& grid) {
  CollectiveRequest request;
  request.count = count;
  request.grid = grid;
  return request;
}

CollectiveRails ring_rails(const CollectiveRequest& request, std::int32_t rails) {
  return generate_rails(find_collective_algorithm("ring"), request, rails);
}

struct RailNumbers {
  std::int64_t time = 0;
  std::int64_t sent = 0;
  std::int64_t steps = 0;
  std::int64_t last_phase = 0;
};

RailNumbers rail_numbers(const MachineSpec& machine, const CollectiveRails& rails,
                         CollectiveValues values = CollectiveValues::kNone) {
  std::istringstream in(forked([&] {
    const CollectiveResult run = run_collective(machine, rails, {.values = values});
    std::ostringstream out;
    out << run.time.value << ' ' << run.sent << ' ' << run.steps << ' ' << run.phase_ends.back().value;
    return out.str();
  }));
  RailNumbers numbers;
  in >> numbers.time >> numbers.sent >> numbers.steps >> numbers.last_phase;
  return numbers;
}

std::string rails_error(const MachineSpec& machine, const CollectiveRails& rails) {
  try {
    static_cast<void>(rail_numbers(machine, rails, CollectiveValues::kIntegers));
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::shared_ptr<const CollectiveSchedule> rail_by_hand(std::vector<CollectiveThread> threads) {
  return std::make_shared<const CollectiveSchedule>(by_hand(4, std::move(threads)));
}

/// The keys of a row of so many dies, each of `pes` PEs one above the other: dies are one beside the other, so that PE
/// i of a die has its own links to PE i of its neighbours.
std::vector<std::string> row_of_dies(int dies, int pes) {
  return {"system.packages.columns=1",
          "package.dies.rows=1",
          "package.dies.columns=" + std::to_string(dies),
          "die.routers.columns=1",
          "die.routers.rows=" + std::to_string(pes),
          "package.die_to_die.connections=" + std::to_string(2 * pes)};
}

}  // namespace

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.19 on the textbook's ring the rails of a rank follow each other on its one link") {
    // A step of a rail takes alpha + w, w the time of its block. The link is free again when the rail before it has
    // passed, so rail i is i x w behind rail 0 in every step: 14 steps of ring all_reduce over 8 ranks end after
    // 14 (alpha + w) + (P - 1) w.
    constexpr std::int64_t kAlpha = 936'250;
    for (const std::int64_t pes : {1, 2, 4}) {
      CAPTURE(pes);
      const MachineSpec machine = load_machine(kernbench::source_dir() + "/topology/alpha_beta.yaml",
                                               {"die.routers.columns=" + std::to_string(pes),
                                                "package.die_to_die.connections=" + std::to_string(pes)})
                                      .spec;
      const std::int64_t block = 1'048'576 / 8 / pes * 1000 / 400;  // ps at 400 GB/s
      const RailNumbers numbers = rail_numbers(
          machine, ring_rails(all_reduce_between(524'288, {{1, 8}, {}, {}}), static_cast<std::int32_t>(pes)));
      CHECK(numbers.time == 14 * (kAlpha + block) + (pes - 1) * block);
      CHECK(numbers.last_phase == numbers.time);
      CHECK(numbers.sent == 14 * 1'048'576);  // 2 (n - 1) / n of S a rank, whatever its PEs
      CHECK(numbers.steps == 28);
    }
  }

  TEST_CASE("19.19 rails that share no link take as long as collectives of their own, the longest of them") {
    for (const char* tier : {"tcm", "hbm"}) {
      for (const std::int64_t count : {2, 3, 4001, 60'000}) {
        CAPTURE(tier);
        CAPTURE(count);
        const std::string slots = std::string("pe.message_queue.tier=") + tier;
        std::vector<std::string> of_two = row_of_dies(4, 2);
        std::vector<std::string> of_one = row_of_dies(4, 1);
        of_two.push_back(slots);
        of_one.push_back(slots);
        const RankGrid dies{{}, {1, 4}, {}};
        const auto alone = [&](std::int64_t share) {
          return collective_numbers(milestone(of_one),
                                    find_collective_algorithm("ring").generate(all_reduce_between(share, dies)));
        };
        const RailNumbers both = rail_numbers(milestone(of_two), ring_rails(all_reduce_between(count, dies), 2));
        const CollectiveNumbers more = alone((count + 1) / 2);
        const CollectiveNumbers less = alone(count / 2);
        CHECK(both.time == std::max(more.time, less.time));
        CHECK(both.sent == more.sent + less.sent);
      }
    }
  }

  TEST_CASE("19.19 one rail is the collective of PEs, and rail i is on PE i of every rank") {
    const RankGrid dies{{}, {1, 4}, {}};
    const MachineSpec machine = milestone(row_of_dies(4, 1));
    CHECK(rail_numbers(machine, ring_rails(all_reduce_between(1000, dies), 1)).time ==
          collective_numbers(machine, find_collective_algorithm("ring").generate(all_reduce_between(1000, dies))).time);
    // Two dies of 2 x 4 PEs. Only the last rail has something to send, and its PEs read it.
    struct Engines : OpSink {
      std::string names;
      void record(std::string_view engine, const Stage&, const OpRecord&) override {
        names += std::string(engine) + ' ';
      }
    };
    const std::string names = forked([&] {
      CollectiveRails rails(8, rail_by_hand({{}, {}}));
      rails.back() = rail_by_hand({{send_to(1, 4)}, {reduce_from(0, 4)}});
      Engines engines;
      static_cast<void>(
          run_collective(milestone({"package.dies.rows=1", "package.dies.columns=2"}), rails, {.sink = &engines}));
      return engines.names;
    });
    CHECK(names.find("package0_die0_pe7.") != std::string::npos);
    CHECK(names.find("package0_die1_pe7.") != std::string::npos);
    for (const char* other : {"pe0.", "pe6.", "package1"}) CHECK(names.find(other) == std::string::npos);
  }

  TEST_CASE("19.19 what goes wrong in a rail is said of that rail") {
    const MachineSpec machine = milestone(row_of_dies(2, 2));
    const auto exchange = rail_by_hand({{send_to(1, 4), reduce_from(1, 4)}, {send_to(0, 4), reduce_from(0, 4)}});
    const auto error = [&](std::vector<CollectiveThread> threads) {
      return rails_error(machine, {exchange, rail_by_hand(std::move(threads))});
    };
    CHECK(rails_error(machine, {exchange, exchange}).empty());
    CHECK(error({{send_to(1, 4), reduce_from(1, 4)}, {send_to(0, 4), receive_from(0, 4)}})
              .find("wrong result: rank 1 of rail 1, element 0: expected") == 0);
    const std::string dead =
        error({{send_to(1, 4), reduce_from(1, 4), reduce_from(1, 4)}, {send_to(0, 4), reduce_from(0, 4)}});
    CHECK(dead.find("deadlock: nothing is left to happen and the collective of rail 1 has not ended") == 0);
    CHECK(dead.find("\n  the collective of rail 1, rank 0 (package0.die0.pe1) waits since ") != std::string::npos);
    CHECK(error({{send_to(1, 4), reduce_from(1, 4)}, {reduce_from(0, 4)}})
              .find("rank 0 of rail 1 receives from rank 1 on channel 0, where nothing is ever sent") !=
          std::string::npos);
    CHECK(rails_error(machine, {exchange, exchange, exchange}) ==
          "the collective has 2 ranks of 3 PEs; machine milestone-1h has 4 PEs");
    CHECK(rails_error(machine, ring_rails(all_reduce_between(std::int64_t{1} << 30U, {{}, {1, 2}, {}}), 2))
              .find("expected at most 536870912 elements in all, got 2 ranks x 2 PEs x 536870912") !=
          std::string::npos);
  }

  TEST_CASE("19.19 whatever the machine, every rail ends with the right values") {
    CHECK(rc::check([] {
      CollectiveCase chosen = random_collective();
      CollectiveRequest request = chosen.request;
      const bool per_die = one_of({true, false});
      const std::int32_t rails = request.grid.pes.size() * (per_die ? 1 : request.grid.dies.size());
      request.grid.pes = {};
      if (!per_die) request.grid.dies = {};
      const std::int32_t ranks = request.grid.size();
      request.root %= ranks;
      request.count -= request.collective == Collective::kAllToAll ? request.count % ranks : 0;
      RC_LOG(chosen.text + " rails " + std::to_string(rails));
      const CollectiveRails all = generate_rails(find_collective_algorithm(chosen.schedule.algorithm), request, rails);
      const std::string error = rails_error(chosen.machine, all);
      if (!error.empty()) RC_FAIL(error);
    }));
  }
}
