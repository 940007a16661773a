// Max-min fair rates: cases from textbooks, and the property that defines them.
#include "sim/plan/network/max_min.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <stdexcept>

using namespace kernbench;

namespace {

/// Rates for capacities in bytes per second.
std::vector<double> rates(const std::vector<std::int64_t>& capacities, const std::vector<FlowResources>& flows) {
  std::vector<Bandwidth> bandwidths;
  bandwidths.reserve(capacities.size());
  for (const std::int64_t capacity : capacities) bandwidths.push_back({capacity});
  return max_min_rates(bandwidths, flows);
}

}  // namespace

TEST_SUITE("ADR-0021") {
  TEST_CASE("21.8 flows share a link alike") {
    CHECK(rates({12}, {{0}}) == std::vector<double>{12});
    CHECK(rates({12}, {{0}, {0}, {0}}) == std::vector<double>{4, 4, 4});
    CHECK(rates({}, {}).empty());
    CHECK_THROWS_AS(rates({12}, {{}}), std::invalid_argument);
  }

  TEST_CASE("21.8 a flow held up elsewhere leaves its share to the others") {
    // One of two flows over a link of 10 has a link of 2 before it.
    CHECK(rates({10, 2}, {{0, 1}, {0}}) == std::vector<double>{2, 8});
    // Parking lot: the long flow over three links shares each with another one.
    CHECK(rates({10, 10, 10}, {{0, 1, 2}, {0}, {1}, {2}}) == std::vector<double>{5, 5, 5, 5});
    CHECK(rates({10, 4, 10}, {{0, 1, 2}, {0}, {1}, {2}}) == std::vector<double>{2, 8, 2, 8});
    // Five sessions over four links of capacity 1 (here 6): 1/3 three times, then 2/3, then 1.
    CHECK(rates({6, 6, 6, 6}, {{1}, {0, 1, 2}, {1}, {2}, {3}}) == std::vector<double>{2, 2, 2, 4, 6});
  }

  TEST_CASE("21.8 every flow has a full resource on which no other has more") {
    CHECK(rc::check("max-min fair", [] {
      const auto resources = *rc::gen::inRange<std::int32_t>(1, 8);
      std::vector<std::int64_t> capacities(static_cast<std::size_t>(resources));
      for (std::int64_t& capacity : capacities) capacity = *rc::gen::inRange<std::int64_t>(1, 1000);
      std::vector<FlowResources> flows(*rc::gen::inRange<std::size_t>(1, 10));
      for (FlowResources& flow : flows) {
        for (std::int32_t i = 0; i < resources; ++i) {
          if (*rc::gen::arbitrary<bool>()) flow.push_back(i);
        }
        if (flow.empty()) flow.push_back(*rc::gen::inRange<std::int32_t>(0, resources));
      }
      const std::vector<double> fair = rates(capacities, flows);
      std::vector<double> used(capacities.size(), 0.0);
      std::vector<double> most(capacities.size(), 0.0);
      for (std::size_t flow = 0; flow < flows.size(); ++flow) {
        for (const std::int32_t resource : flows[flow]) {
          used[static_cast<std::size_t>(resource)] += fair[flow];
          most[static_cast<std::size_t>(resource)] = std::max(most[static_cast<std::size_t>(resource)], fair[flow]);
        }
      }
      constexpr double kSlack = 1e-6;
      for (std::size_t i = 0; i < capacities.size(); ++i) {
        RC_ASSERT(used[i] <= static_cast<double>(capacities[i]) + kSlack);
      }
      for (std::size_t flow = 0; flow < flows.size(); ++flow) {
        RC_ASSERT(std::ranges::any_of(flows[flow], [&](std::int32_t resource) {
          const auto i = static_cast<std::size_t>(resource);
          return used[i] >= static_cast<double>(capacities[i]) - kSlack && fair[flow] >= most[i] - kSlack;
        }));
      }
    }));
  }
}
