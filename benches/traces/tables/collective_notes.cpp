#include "benches/traces/tables/collective_notes.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "benches/io/text/numbers.hpp"
#include "benches/traces/events/trace_warnings.hpp"
#include "benches/traces/tables/group_ranks.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

std::string milliseconds(Int128 time) { return formatted("%+.3f ms", static_cast<double>(time) / 1e9); }

/// Which ranks a group lacks, or that nothing says it.
std::string lacking(const CollectiveGroup& group) {
  if (group.missing_count() <= 0) return "not known, for no file says how many ranks the group has";
  std::string which = missing_ranks(group);
  if (group.missing.empty()) return which;
  return which + " of " + (group.is_size_said ? "" : "at least ") + std::to_string(group.size);
}

std::string missing_note(const std::vector<TimedGroup>& groups) {
  std::vector<std::string> missing;
  std::int64_t collectives = 0;
  bool are_seen_to_lack = false;
  for (const TimedGroup& timed : groups) {
    if (!timed.group.may_lack_ranks()) continue;
    collectives += std::ssize(timed.times);
    are_seen_to_lack = are_seen_to_lack || timed.group.missing_count() > 0;
    std::string which = lacking(timed.group);
    if (std::ranges::find(missing, which) == missing.end()) missing.push_back(std::move(which));
  }
  if (missing.empty()) return "";
  constexpr std::size_t kMostNamed = 3;
  const std::size_t others = missing.size() - std::min(missing.size(), kMostNamed);
  missing.resize(missing.size() - others);
  std::string text = "ranks missing: " + joined(missing, "; ");
  if (others > 0) text += "; and in " + counted(static_cast<std::int64_t>(others), "other group") + " others";
  if (collectives == 0) return text + ". No collective that they may be in is matched";
  return text + ". Of " + counted(collectives, "collective") +
         (are_seen_to_lack ? " not all ranks are seen" : " not all ranks may be seen") +
         ": latencies are at most, bandwidths, skews and waits at least what is shown, and who "
         "is last, what is waiting and who is a straggler is not known";
}

std::string rank_name(std::int64_t rank) { return "rank " + std::to_string(rank); }

/// Why a clock is not known.
std::string doubt_words(const RankClock& clock) {
  switch (clock.doubt) {
    case ClockDoubt::kLeftOver:
      return "which were matched by position, and others were left over: they may be matched one off";
    case ClockDoubt::kOneOff:
      return "which were matched by position: they may be matched one off, as each and the next one of its kind end "
             "within 0.1 ms of each other";
    default:
      return "which no one difference of clocks explains";
  }
}

std::string clock_words(const RankClock& clock, const RankTrace& trace) {
  const std::string beside = rank_name(clock.beside);
  const std::string number = counted(static_cast<std::int64_t>(clock.matched), "collective");
  const std::string unknown = ": waits, skews, last and first ranks of its groups are not known";
  const std::string no_base =
      (trace.has_base_time ? beside + "'s file has" : "it has") + " no base time (baseTimeNanoseconds)";
  if (clock.doubt == ClockDoubt::kNoBase) {
    return no_base + ", and no collectives that end together on it and on others say what its clock is" + unknown;
  }
  if (!clock.has_bases) {
    return no_base + ": its clock is set by the ends of its " + number + ", which then lie " +
           milliseconds(clock.min_ps - clock.median_ps) + " to " + milliseconds(clock.max_ps - clock.median_ps) +
           " from " + beside + "'s";
  }
  const std::string ends = "its " + number + " end " + milliseconds(clock.median_ps) + " in the median (" +
                           milliseconds(clock.min_ps) + " to " + milliseconds(clock.max_ps) + ") from " +
                           (clock.is_of_most ? "most ranks'" : beside + "'s");
  if (clock.is_unknown()) return ends + ", " + doubt_words(clock) + unknown;
  const std::string whose = clock.is_of_most
                                ? "its clock is another's"
                                : "its clock and " + beside + "'s are not one, and most ranks have neither";
  return whose + ": " + ends + ". Waits and skews are with it moved by " + milliseconds(clock.shift_ps);
}

/// Of each rank once, whatever groups it is in.
std::vector<FileWarning> clock_warnings(const std::vector<TimedGroup>& groups) {
  std::vector<FileWarning> warnings;
  std::set<const PlacedTrace*> said;
  for (const TimedGroup& timed : groups) {
    for (std::size_t i = 0; i < timed.clocks.size(); ++i) {
      const RankClock& clock = timed.clocks[i];
      const bool is_usual = clock.shift_ps == 0 && clock.has_bases && !clock.is_unknown();
      if (is_usual || !said.insert(timed.group.members[i]).second) continue;
      warnings.push_back(
          {printable(timed.group.members[i]->trace.file.string()), clock_words(clock, timed.group.members[i]->trace)});
    }
  }
  return warnings;
}

/// Of what is matched of groups of which this holds.
template <class Holds>
std::int64_t collectives_of(const std::vector<TimedGroup>& groups, const Holds& holds) {
  std::int64_t count = 0;
  for (const TimedGroup& timed : groups) {
    if (holds(timed.group)) count += std::ssize(timed.times);
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
  const auto is_by_time = [](const CollectiveGroup& group) { return group.membership == Membership::kByTime; };
  if (const std::int64_t count = collectives_of(groups, is_by_time); count > 0) {
    notes.push_back(counted(count, "collective") +
                    " of groups without names: told apart by size and by when their ranks run them");
  }
  const auto is_assumed = [](const CollectiveGroup& group) { return group.membership == Membership::kAssumed; };
  if (const std::int64_t count = collectives_of(groups, is_assumed); count > 0) {
    notes.push_back(counted(count, "collective") + " of which no group is recorded: taken as of all ranks");
  }
  const auto may_be_larger = [&](const CollectiveGroup& group) {
    return !group.is_size_said && !group.may_lack_ranks() && !is_assumed(group);
  };
  if (const std::int64_t count = collectives_of(groups, may_be_larger); count > 0) {
    notes.push_back(counted(count, "collective") +
                    " of groups whose size no file says: taken as of the ranks that there are files of");
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
