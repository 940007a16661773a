#include "sim/plan/probe/probe_checks.hpp"

#include <algorithm>

#include "sim/base/text.hpp"
#include "sim/plan/known_bound.hpp"

namespace kernbench {
namespace {

using Outcomes = std::vector<ProbeOutcome>;

std::string in_ns(Picoseconds time) { return formatted("%.3f ns", time.ns()); }

std::string named(const ProbeOutcome& outcome) {
  return outcome.probe.name + " of " + std::to_string(outcome.probe.transfers.front().bytes) + " B";
}

void expect(ProbeCheck& check, bool holds, const std::string& failure) {
  ++check.cases;
  if (!holds) check.failures.push_back(failure);
}

std::string against(const ProbeOutcome& a, const std::string& relation, Picoseconds expected) {
  return named(a) + ": " + in_ns(a.time()) + ", expected " + relation + in_ns(expected);
}

std::string against(const ProbeOutcome& a, const std::string& relation, const ProbeOutcome& b) {
  return against(a, relation, b.time()) + ", the time of " + b.probe.name;
}

ProbeCheck exact(const Outcomes& outcomes) {
  ProbeCheck check{"exact", "a transfer that is alone takes its closed form, to the picosecond", 0, {}};
  for (const ProbeOutcome& one : outcomes) {
    if (one.exact()) expect(check, one.time() == one.closed_form(), against(one, "", one.closed_form()));
  }
  return check;
}

ProbeCheck bounded(const Outcomes& outcomes) {
  ProbeCheck check{"bounded", "nothing is faster than its bound", 0, {}};
  for (const ProbeOutcome& one : outcomes) {
    if (one.no_bound.empty() && !one.exact())
      expect(check, one.time() >= one.closed_form(), against(one, "at least ", one.closed_form()));
  }
  return check;
}

/// Both are one transfer of as many bytes, from the same kind of engine, from or to the same kind of memory.
bool alike(const ProbeOutcome& a, const ProbeOutcome& b) {
  return a.probe.transfers.size() == 1 && b.probe.transfers.size() == 1 &&
         a.probe.transfers.front().bytes == b.probe.transfers.front().bytes && a.alone.setup == b.alone.setup &&
         a.alone.memory_service == b.alone.memory_service && a.alone.channel_turns == b.alone.channel_turns;
}

bool same_direction(const ProbeOutcome& a, const ProbeOutcome& b) {
  return a.probe.transfers.front().direction == b.probe.transfers.front().direction;
}

ProbeCheck distance(const Outcomes& outcomes) {
  ProbeCheck check{"distance", "what is farther, over links that are no faster, is not sooner there", 0, {}};
  for (const ProbeOutcome& near : outcomes) {
    for (const ProbeOutcome& far : outcomes) {
      const bool ordered = near.alone.round_trip <= far.alone.round_trip && near.alone.slowest <= far.alone.slowest;
      if (&near == &far || !near.exact() || !alike(near, far) || !same_direction(near, far) || !ordered) continue;
      expect(check, near.time() <= far.time(), against(far, "at least ", near));
    }
  }
  return check;
}

ProbeCheck direction(const Outcomes& outcomes) {
  ProbeCheck check{
      "direction", "a write, which the HBM's read latency does not hold up, takes no longer than a read", 0, {}};
  for (const ProbeOutcome& write : outcomes) {
    for (const ProbeOutcome& read : outcomes) {
      const ProbeTransfer& to = write.probe.transfers.front();
      const ProbeTransfer& from = read.probe.transfers.front();
      if (to.direction != ProbeDirection::kWrite || from.direction != ProbeDirection::kRead || !write.exact()) continue;
      if (to.initiator != from.initiator || to.memory != from.memory || !alike(write, read)) continue;
      if (write.alone.round_trip > read.alone.round_trip || write.alone.slowest > read.alone.slowest) continue;
      expect(check, write.time() <= read.time(), against(read, "at least ", write));
    }
  }
  return check;
}

ProbeCheck utilisation(const Outcomes& outcomes) {
  constexpr double kRounding = 1e-9;  // of the rates, which are floating-point numbers
  ProbeCheck check{"utilisation", "no more than 100 % of the path, or of the max-min fair aggregate", 0, {}};
  for (const ProbeOutcome& one : outcomes) {
    if (!one.no_bound.empty()) continue;
    expect(check, one.utilisation() <= 1 + kRounding,
           named(one) + ": " + std::to_string(one.gbs()) + " GB/s of " + std::to_string(one.peak_gbs()) + " GB/s");
  }
  return check;
}

ProbeCheck contention(const Outcomes& outcomes) {
  ProbeCheck check{"contention", "beside others no PE is done sooner than it would be alone", 0, {}};
  for (const ProbeOutcome& one : outcomes) {
    if (one.probe.transfers.size() == 1 || !one.no_bound.empty()) continue;
    for (std::size_t i = 0; i < one.ends.size(); ++i) {
      const Picoseconds alone = one.contention.alone[i];
      expect(
          check, one.ends[i] >= alone,
          named(one) + ": PE " + std::to_string(i) + " done at " + in_ns(one.ends[i]) + ", alone at " + in_ns(alone));
    }
  }
  return check;
}

}  // namespace

Picoseconds ProbeOutcome::time() const { return std::ranges::max(ends); }

Bytes ProbeOutcome::bytes() const {
  Bytes sum = 0;
  for (const ProbeTransfer& transfer : probe.transfers) sum += transfer.bytes;
  return sum;
}

double ProbeOutcome::gbs() const { return static_cast<double>(bytes()) / time().ns(); }

ProbeOutcome expect_probe(const NetworkPlan& plan, const MachineSpec& machine, const Probe& probe) {
  const ProbeTransfer& first = probe.transfers.front();
  const bool in_hbm = std::ranges::any_of(probe.transfers, [&plan](const ProbeTransfer& transfer) {
    return plan.node(transfer.memory).kind == NodeKind::kHbm;
  });
  return {probe,
          plan.node(first.initiator).name,
          plan.node(first.memory).name,
          probe_time(plan, machine, first),
          probe_contention(plan, machine, probe.transfers),
          in_hbm ? why_no_bound(machine) : ""};
}

std::vector<ProbeCheck> check_probes(const std::vector<ProbeOutcome>& outcomes) {
  return {exact(outcomes),     bounded(outcomes),     distance(outcomes),
          direction(outcomes), utilisation(outcomes), contention(outcomes)};
}

}  // namespace kernbench
