#include "benches/harness/trace_tables/collective_notes.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "benches/harness/text/numbers.hpp"
#include "benches/harness/trace/trace_warnings.hpp"
#include "benches/harness/trace_tables/group_ranks.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

std::string milliseconds(Int128 time) { return formatted("%+.3f ms", static_cast<double>(time) / 1e9); }

std::string missing_note(const std::vector<TimedGroup>& groups) {
  std::vector<std::string> missing;
  std::int64_t collectives = 0;
  for (const TimedGroup& timed : groups) {
    if (timed.group.missing_count() <= 0 || timed.times.empty()) continue;
    collectives += std::ssize(timed.times);
    std::string which = missing_ranks(timed.group);
    if (!timed.group.missing.empty()) which += " of " + std::to_string(timed.group.size);
    if (std::ranges::find(missing, which) == missing.end()) missing.push_back(std::move(which));
  }
  if (missing.empty()) return "";
  constexpr std::size_t kMostNamed = 3;
  const std::size_t others = missing.size() - std::min(missing.size(), kMostNamed);
  missing.resize(missing.size() - others);
  std::string text = "ranks missing: " + joined(missing, "; ");
  if (others > 0) text += "; and in " + counted(static_cast<std::int64_t>(others), "other group") + " others";
  return text + ". Of " + counted(collectives, "collective") +
         " not all ranks are seen: latencies are at most, bandwidths, skews and waits at least what is shown, and who "
         "is last, what is waiting and who is a straggler is not known";
}

std::string clock_words(const RankClock& clock) {
  const std::string ends = counted(static_cast<std::int64_t>(clock.matched), "collective") + " end " +
                           milliseconds(clock.median_ps) + " in the median (" + milliseconds(clock.min_ps) + " to " +
                           milliseconds(clock.max_ps) + ") from most ranks'";
  if (clock.is_unknown()) {
    return "its " + ends +
           ", which no one difference of clocks explains: waits, skews, last and first ranks of its "
           "groups are not known";
  }
  return "its clock is another's: its " + ends + ". Waits and skews are with it moved by " +
         milliseconds(clock.shift_ps);
}

/// Of each rank once, whatever groups it is in.
std::vector<FileWarning> clock_warnings(const std::vector<TimedGroup>& groups) {
  std::vector<FileWarning> warnings;
  std::set<const PlacedTrace*> said;
  for (const TimedGroup& timed : groups) {
    for (std::size_t i = 0; i < timed.clocks.size(); ++i) {
      const RankClock& clock = timed.clocks[i];
      if ((clock.shift_ps == 0 && !clock.is_unknown()) || !said.insert(timed.group.members[i]).second) continue;
      warnings.push_back({printable(timed.group.members[i]->trace.file.string()), clock_words(clock)});
    }
  }
  return warnings;
}

/// Of what is matched of groups that are known in this way.
std::int64_t collectives_of(const std::vector<TimedGroup>& groups, Membership membership) {
  std::int64_t count = 0;
  for (const TimedGroup& timed : groups) {
    if (timed.group.membership == membership) count += std::ssize(timed.times);
  }
  return count;
}

}  // namespace

std::vector<std::string> collective_notes(const std::vector<TimedGroup>& groups) {
  std::vector<std::string> notes;
  if (std::string missing = missing_note(groups); !missing.empty()) notes.push_back(std::move(missing));
  for (std::string& line : warning_lines(clock_warnings(groups))) notes.push_back(std::move(line));
  std::int64_t never_met = 0;
  for (const TimedGroup& timed : groups) never_met += timed.never_met();
  if (never_met > 0) {
    notes.push_back(
        counted(never_met, "collective") +
        " of which a rank's kernel is over before the last one begins: it did not wait for that one, or "
        "their clocks are not one; where it is more than a quarter of a group's, its waits, skews, last and "
        "first ranks are not known");
  }
  if (const std::int64_t count = collectives_of(groups, Membership::kByTime); count > 0) {
    notes.push_back(counted(count, "collective") +
                    " of groups without names: told apart by size and by when their ranks run them");
  }
  if (const std::int64_t count = collectives_of(groups, Membership::kAssumed); count > 0) {
    notes.push_back(counted(count, "collective") + " of which no group is recorded: taken as of all ranks");
  }
  std::int64_t left_over = 0;
  for (const TimedGroup& timed : groups) left_over += std::ssize(timed.group.left_over);
  if (left_over > 0) {
    notes.push_back(counted(left_over, "communication event") +
                    " without a partner on every rank left out: --table left_over lists them");
  }
  return notes;
}

}  // namespace kernbench::traces
