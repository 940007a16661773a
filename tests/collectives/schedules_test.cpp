// Every algorithm's schedules are right, whatever is asked of them.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/plan/collective/check.hpp"
#include "tests/collectives/random_request.hpp"
#include "tests/support/many_cases.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0018") {
  TEST_CASE("18.4 any schedule of any algorithm moves what it should, once, without waiting for ever or racing") {
    for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
      CAPTURE(algorithm.name);
      CHECK(check_many(3, [&] {
        const CollectiveRequest request = random_request(algorithm);
        RC_TAG(std::string(kCollectives[request.collective]));
        RC_LOG(described(request));
        const std::string fault = schedule_fault(algorithm.generate(request), *rc::gen::arbitrary<std::uint64_t>());
        RC_LOG(fault);
        RC_ASSERT(fault.empty());
      }));
    }
  }
}
