// Runs a collective in a forked child and brings the numbers back.
#pragma once

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "sim/system/collective/run_collective.hpp"
#include "tests/support/forked.hpp"

namespace kernbench {

/// What tests look at; times in picoseconds.
struct CollectiveNumbers {
  std::int64_t time = 0;
  std::int64_t launch = 0;
  std::int64_t steps = 0;
  std::int64_t sent = 0;
  std::int64_t link_bytes = 0;
  std::int64_t packet_hops = 0;
  std::int64_t wakeups = 0;
  std::int64_t in_hbm = 0;
  std::int64_t busiest = 0;  ///< busy time of the busiest link
  double largest_error = 0;
};

inline CollectiveNumbers collective_numbers(const MachineSpec& machine, const CollectiveSchedule& schedule,
                                            const CollectiveSettings& settings = {}) {
  std::istringstream in(forked([&] {
    const CollectiveResult r = run_collective(machine, schedule, settings);
    Picoseconds busiest{};
    for (const LinkUse& link : r.links) busiest = std::max(busiest, link.totals.busy);
    std::ostringstream out;
    out << r.time.value << ' ' << r.launch.value << ' ' << r.steps << ' ' << r.sent << ' ' << r.link_bytes << ' '
        << r.packet_hops << ' ' << r.wakeups << ' ' << r.in_hbm << ' ' << busiest.value << ' ' << r.largest_error;
    return out.str();
  }));
  CollectiveNumbers n;
  in >> n.time >> n.launch >> n.steps >> n.sent >> n.link_bytes >> n.packet_hops >> n.wakeups >> n.in_hbm >>
      n.busiest >> n.largest_error;
  return n;
}

/// Message of the exception that ends the run; "" where it succeeds.
inline std::string collective_error(const MachineSpec& machine, const CollectiveSchedule& schedule,
                                    const CollectiveSettings& settings = {}) {
  try {
    collective_numbers(machine, schedule, settings);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// A schedule written by hand: one thread a rank, an all_reduce in name.
inline CollectiveSchedule by_hand(std::int64_t elements, std::vector<CollectiveThread> threads) {
  CollectiveSchedule schedule;
  schedule.algorithm = "by hand";
  schedule.count = elements;
  schedule.elements = elements;
  for (CollectiveThread& thread : threads) schedule.ranks.push_back({std::move(thread)});
  return schedule;
}

inline CollectiveStep send_to(std::int32_t peer, std::int64_t count, std::int64_t first = 0) {
  return {.kind = StepKind::kSend, .peer = peer, .first = first, .count = count};
}
inline CollectiveStep receive_from(std::int32_t peer, std::int64_t count, std::int64_t first = 0) {
  return {.kind = StepKind::kReceive, .peer = peer, .first = first, .count = count};
}
inline CollectiveStep reduce_from(std::int32_t peer, std::int64_t count, std::int64_t first = 0) {
  return {.kind = StepKind::kReduce, .peer = peer, .first = first, .count = count};
}

}  // namespace kernbench
