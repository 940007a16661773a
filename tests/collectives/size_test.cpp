// Sizes of schedules, foretold and counted.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

#include "sim/plan/collective/message_channel.hpp"
#include "tests/collectives/random_request.hpp"

using namespace kernbench;

namespace {

struct Counted {
  double steps = 0;
  double channels = 0;
};

Counted count(const CollectiveSchedule& schedule) {
  Counted counted;
  std::set<MessageChannel> channels;
  for (std::int32_t rank = 0; rank < schedule.size(); ++rank) {
    for (const CollectiveThread& thread : schedule.ranks[static_cast<std::size_t>(rank)]) {
      counted.steps += static_cast<double>(thread.size());
      for (const CollectiveStep& step : thread) {
        if (step.kind != StepKind::kCopy) channels.insert(channel_of(rank, step));
      }
    }
  }
  counted.channels = static_cast<double>(channels.size());
  return counted;
}

}  // namespace

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.12 no schedule is larger than foretold, and none with an element for each rank is much smaller") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      CAPTURE(algorithm.name);
      CHECK(rc::check([&algorithm] {
        const CollectiveRequest request = random_request(algorithm);
        RC_LOG(described(request));
        const Counted counted = count(algorithm.generate(request));
        const ScheduleSize size = algorithm.schedule_size(request);
        const double steps = size.steps(request.chunk);
        RC_ASSERT(counted.steps <= steps);
        RC_ASSERT(counted.channels <= size.channels);
        if (request.count < 4 * request.grid.size()) return;  // some shards and halves are empty
        RC_ASSERT(steps <= 3 * counted.steps);
        RC_ASSERT(size.channels <= 3 * counted.channels);
      }));
    }
  }

  TEST_CASE("18.12 a ring over 8192 ranks and messages of one element are foretold without being made") {
    CollectiveRequest request;
    request.grid.pes = {1, 8192};
    request.count = 1 << 20;
    const auto size = find_collective_algorithm("ring").schedule_size(request);
    CHECK(size.steps(0) == 4.0 * 8191 * 8192);
    CHECK(size.channels == 8192);
    request.grid.pes = {1, 16};
    request.count = 1 << 25;
    CHECK(find_collective_algorithm("ring").schedule_size(request).steps(1) == doctest::Approx(4.0 * 15 * (1 << 25)));
  }
}
