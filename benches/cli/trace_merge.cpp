// `kernbench trace merge`: the ranks of a run in one trace to look at.
#include <spdlog/spdlog.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/io/files/own_file.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/events/trace_warnings.hpp"
#include "benches/traces/merge/merge_traces.hpp"
#include "benches/traces/tables/group_ranks.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::trace_merge_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace merge run/ --out all.pftrace.gz                 to open in ui.perfetto.dev
  kernbench trace merge rank0.json rank1.json --out all.json.gz   Chrome's trace events
  kernbench trace check all.pftrace.gz --against run/             is everything in it, once?

Clocks: a file's baseTimeNanoseconds + ts. --align auto moves a rank by the median difference of the ends of the collectives it
shares with the first one, where base times are missing or that difference is above 0.1 ms; base never does, ends always.
docs/trace-merge.md says what is written and what is left out.)";

struct Options {
  std::vector<std::filesystem::path> paths;
  std::string layout;
  std::filesystem::path out;
  std::string align = "auto";
  bool skip_bad = false;
};

std::string microseconds(Int128 picoseconds) { return formatted("%+.3f µs", static_cast<double>(picoseconds) / 1e6); }

/// What its clock rests on, where that is not all well.
std::string clock_warning(const traces::MergedRank& rank) {
  if (rank.clock.matched == 0) return "no collective in common with the first rank: its clock is taken as it is";
  if (!rank.clock.is_unknown() || rank.clock.shift_ps != 0) return "";
  if (rank.clock.doubt == traces::ClockDoubt::kOneOff) {
    return "its collectives have no Seq and may be matched one off with the first rank's, as each and the next one of "
           "its kind end within 0.1 ms of each other: its clock is taken as it is; --align ends moves it";
  }
  return "the ends of its collectives say that its clock is not the first rank's, and not by what";
}

std::string clock_info(const traces::RankClock& clock) {
  const std::string number = counted(static_cast<std::int64_t>(clock.matched), "collective");
  if (!clock.has_bases && clock.shift_ps != 0) {
    return "its clock is set by the ends of its " + number + ", which then lie " +
           microseconds(clock.min_ps - clock.median_ps) + " to " + microseconds(clock.max_ps - clock.median_ps) +
           " from the first rank's";
  }
  const std::string moved = clock.shift_ps == 0 ? "not moved" : "moved by " + microseconds(clock.shift_ps);
  return number + " end " + microseconds(clock.median_ps) + " after the first rank's in the median (" +
         microseconds(clock.min_ps) + " to " + microseconds(clock.max_ps) + "): " + moved;
}

void say_left_out(const std::string& name, const traces::MergedRank& rank) {
  const auto say = [&name](std::uint64_t count, const char* what, const char* why) {
    if (count > 0) spdlog::info("{}: {} {}", name, counted(static_cast<std::int64_t>(count), what), why);
  };
  say(rank.flow_counts.without_partner(), "flow end", "without a partner left out");
  say(rank.crossing, "slice", "that cross others of their track written to a second lane");
  say(rank.without_time, "event", "without ts left out");
  say(rank.other_events, "event", "of other phases (counters, asynchronous ones) left out");
}

/// Those that are alike in a line.
void warn(const std::vector<traces::MergedRank>& ranks) {
  std::vector<traces::FileWarning> warnings;
  for (const traces::MergedRank& rank : ranks) {
    const std::string no_base = rank.has_base_time ? "" : "no baseTimeNanoseconds";
    const std::string clock = &rank == &ranks.front() ? "" : clock_warning(rank);
    for (const std::string& text : {clock, rank.skipped, no_base}) {
      if (!text.empty()) warnings.push_back({printable(rank.file.string()), text});
    }
  }
  for (const std::string& line : traces::warning_lines(warnings)) spdlog::warn("{}", line);
}

void say_missing(const std::vector<traces::MergedRank>& ranks) {
  std::vector<std::int64_t> present;
  for (const traces::MergedRank& rank : ranks) present.push_back(rank.rank);
  const std::vector<std::int64_t> missing = traces::ranks_without(present, ranks.front().world_size);
  if (missing.empty()) return;
  spdlog::warn("ranks missing: {} of {}", traces::ranks_in_words(missing), ranks.front().world_size);
}

int merge(const Options& options) {
  require_own_trace(options.out);
  const std::vector<traces::TraceFile> files = traces::find_trace_files(options.paths, options.layout);
  warn_passed_over(files);
  const std::vector<traces::MergedRank> ranks =
      traces::merge_traces(files, options.out, {traces::parse_alignment(options.align), options.skip_bad});
  std::uint64_t slices = 0;
  std::uint64_t flows = 0;
  say_missing(ranks);
  warn(ranks);
  for (const traces::MergedRank& rank : ranks) {
    const std::string name = "rank " + std::to_string(rank.rank);
    if (&rank != &ranks.front() && rank.clock.matched > 0) spdlog::info("{}: {}", name, clock_info(rank.clock));
    say_left_out(name, rank);
    slices += rank.slices;
    flows += rank.flows;
  }
  spdlog::info("{}: {}, {}, {}", printable(options.out.string()),
               counted(static_cast<std::int64_t>(ranks.size()), "rank"),
               counted(static_cast<std::int64_t>(slices), "slice"), counted(static_cast<std::int64_t>(flows), "flow"));
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("traces", options->paths, "The ranks of a run: trace files (.json, .json.gz) or their folder")
      .required()
      .type_name("TRACES")
      .reads();
  command
      .add_option("--out", options->out,
                  "The merged trace: .pftrace or .perfetto-trace (Perfetto), .json (Chrome), each with .gz or without")
      .required()
      .type_name("FILE")
      .writes();
  command.add_option("--layout", options->layout, "Where paths name the rank: 'run/trace_{rank}.json'")
      .type_name("LAYOUT");
  command.add_option("--align", options->align, "Whether clocks are set by collectives: auto, base or ends [auto]")
      .type_name("HOW");
  command.add_flag("--skip-bad", options->skip_bad, "Leave out events that do not parse, and count them");
  command.footer(kExamples);
  return [options] { return merge(*options); };
}

}  // namespace kernbench::trace_merge_command
