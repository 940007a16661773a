#include "benches/traces/merge/merge_traces.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "benches/io/text/json.hpp"
#include "benches/traces/events/trace_warnings.hpp"
#include "benches/traces/merge/event_collector.hpp"
#include "benches/traces/merge/merged_layout.hpp"
#include "benches/traces/merge/merged_names.hpp"
#include "benches/traces/merge/rank_writer.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/system/trace/trace_file.hpp"
#include "sim/system/trace/trace_writer.hpp"

namespace kernbench::traces {
namespace {

namespace fs = std::filesystem;

constexpr Int128 kMostSpan = Int128{53} * 24 * 3600 * 1'000'000'000'000;  // ps
constexpr std::string_view kWritten = "XsftiIM";                          // phases

/// A rank between reading and writing.
struct ReadRank {
  std::int64_t rank = 0;
  std::unique_ptr<EventCollector> collector;

  [[nodiscard]] const CollectedEvents& events() const { return collector->events(); }
};

void require_other_file(const std::vector<TraceFile>& files, const fs::path& out) {
  for (const TraceFile& file : files) {
    std::error_code error;
    if (fs::equivalent(file.path, out, error)) {
      throw ConfigError("--out " + printable(out.string()) + ": is one of the traces that are read: expected another");
    }
  }
}

/// What all ranks are read with.
struct MergeReading {
  fs::path folder;  ///< of temporary files
  bool skip_bad = false;
  bool is_one_of_several = false;
  MergedEncoding& encoding;
  MergedIds ids{};
  std::uint64_t next_flow = 1;
};

ReadRank read_rank(const TraceFile& file, MergeReading& reading) {
  ReadRank rank;
  rank.collector = std::make_unique<EventCollector>(reading.folder, &reading.encoding, &reading.ids);
  collect_events(file.path, reading.skip_bad, *rank.collector);
  if (reading.is_one_of_several && !rank.events().merge.empty()) {
    throw ConfigError(printable(file.path.string()) +
                      ": is merged of ranks' traces already: expected the files that it came from; leave it out");
  }
  if (rank.events().gpu_events == 0) {
    throw ConfigError(printable(file.path.string()) + ": has no GPU event (cat kernel, gpu_memcpy or gpu_memset)");
  }
  rank.collector->finish(reading.next_flow);
  reading.next_flow += rank.events().flows.paired();
  return rank;
}

/// By rank. Throws where they are no ranks of one run.
std::vector<ReadRank> in_rank_order(const std::vector<TraceFile>& files, std::vector<ReadRank> read) {
  std::vector<PlacedTrace> placed;
  for (std::size_t i = 0; i < files.size(); ++i) placed.push_back(place_trace(files[i], read[i].events().about));
  put_in_order(placed);
  std::vector<ReadRank> ordered;
  for (const PlacedTrace& trace : placed) {
    if (trace.axes != placed.front().axes) {
      throw ConfigError(printable(trace.trace.file.string()) + ": is of another point of the sweep than " +
                        printable(placed.front().trace.file.string()) +
                        ": expected the ranks of one run; name its folder");
    }
    const auto found = std::ranges::find(files, trace.trace.file, &TraceFile::path);
    ReadRank& rank = read[static_cast<std::size_t>(found - files.begin())];
    rank.rank = trace.rank;
    ordered.push_back(std::move(rank));
  }
  return ordered;
}

/// Of the file: its time 0 in ps since 1970, whole ns; where a rank's own time 0 lies behind it, ps.
struct FileClock {
  Int128 base_ps = 0;
  std::vector<TracePs> shifts;
};

/// Names the file that has no base time, else the one that begins latest.
[[noreturn]] void refuse_far_apart(const std::vector<ReadRank>& ranks, const std::vector<RankClock>& clocks,
                                   const std::vector<Int128>& origins) {
  const auto name = [&ranks](std::size_t i) { return printable(ranks[i].events().about.file.string()); };
  const auto has_base = [](const ReadRank& rank) { return rank.events().about.has_base_time; };
  const auto bare = static_cast<std::size_t>(std::ranges::find_if_not(ranks, has_base) - ranks.begin());
  if (bare < ranks.size() && std::ranges::any_of(ranks, has_base)) {
    const auto is_matched = [](const RankClock& clock) { return clock.matched > 0; };
    const bool is_set = bare == 0 ? std::ranges::any_of(clocks, is_matched) : is_matched(clocks[bare]);
    throw ConfigError(
        name(bare) +
        ": has no baseTimeNanoseconds, and other files have: its times are more than 53 days from theirs: "
        "expected it in all files or in none, or " +
        (is_set ? "--align auto, which sets clocks by the collectives that ranks have in common"
                : "collectives in common, by which clocks are set; merge the files without it by "
                  "themselves, or add the field"));
  }
  const auto latest = static_cast<std::size_t>(std::ranges::max_element(origins) - origins.begin());
  const auto first = static_cast<std::size_t>(std::ranges::min_element(origins) - origins.begin());
  throw ConfigError(name(latest) + ": its times are more than 53 days from those of " + name(first) +
                    ": expected ranks of one run; --align ends sets their clocks by their collectives");
}

FileClock clock_of(const std::vector<ReadRank>& ranks, const std::vector<RankClock>& clocks) {
  FileClock clock;
  std::vector<Int128> origins;
  Int128 latest = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const CollectedEvents& events = ranks[i].events();
    origins.push_back(Int128{events.about.base_time_ns} * kPsPerNs + events.origin_ps + clocks[i].shift_ps);
    const Int128 first = origins[i] + events.earliest;
    const Int128 last = origins[i] + events.latest;
    clock.base_ps = i == 0 ? first : std::min(clock.base_ps, first);
    latest = i == 0 ? last : std::max(latest, last);
  }
  const Int128 below_ns = (clock.base_ps % kPsPerNs + kPsPerNs) % kPsPerNs;
  clock.base_ps -= below_ns;
  if (latest - clock.base_ps > kMostSpan) refuse_far_apart(ranks, clocks, origins);
  for (const Int128 origin : origins) clock.shifts.push_back(static_cast<TracePs>(origin - clock.base_ps));
  return clock;
}

double nanoseconds(Int128 time) { return static_cast<double>(time) / static_cast<double>(kPsPerNs); }

std::string metadata_of(const std::vector<MergedRank>& ranks, Alignment align) {
  Json about = {{"schema", kMergeSchema}};
  about["align"] = align == Alignment::kAuto ? "auto" : align == Alignment::kBase ? "base" : "ends";
  Json& list = about["ranks"] = Json::array();
  for (const MergedRank& rank : ranks) {
    Json& entry = list.emplace_back(Json{{"rank", rank.rank}, {"file", printable(rank.file.filename().string())}});
    entry["has_base_time"] = rank.has_base_time;
    entry["collectives_matched"] = rank.clock.matched;
    if (rank.clock.matched > 0) {
      entry["end_difference_ns"] = {{"median", nanoseconds(rank.clock.median_ps)},
                                    {"min", nanoseconds(rank.clock.min_ps)},
                                    {"max", nanoseconds(rank.clock.max_ps)}};
    }
    entry["shift_ns"] = static_cast<std::int64_t>(rank.clock.shift_ps / kPsPerNs);
    entry["slices"] = rank.slices;
    entry["flows"] = rank.flows;
    entry["flow_ends_left_out"] = rank.flow_counts.without_partner();
  }
  return about.dump();
}

MergedRank report_of(const ReadRank& rank, const RankClock& clock) {
  const CollectedEvents& events = rank.events();
  MergedRank report;
  report.rank = rank.rank;
  report.world_size = events.about.distributed.world_size;
  report.file = events.about.file;
  report.has_base_time = events.about.has_base_time;
  report.clock = clock;
  report.slices = events.slices();
  report.flows = events.flows.paired();
  report.flow_counts = events.flows.counts();
  report.without_time = events.without_time;
  report.skipped = skipped(events.about);
  for (const auto& [phase, count] : events.phases) {
    if (kWritten.find(phase) == std::string_view::npos) report.other_events += count;
  }
  return report;
}

}  // namespace

std::vector<MergedRank> merge_traces(const std::vector<TraceFile>& files, const fs::path& out,
                                     const MergeOptions& options) {
  const bool is_chrome = trace_format(out, "--out") == TraceFormat::kChrome;
  require_other_file(files, out);
  const std::unique_ptr<MergedEncoding> encoding = is_chrome ? merged_chrome_encoding() : merged_perfetto_encoding();
  kernbench::TraceFile file(out);
  MergeReading reading{out.parent_path(), options.skip_bad, files.size() > 1, *encoding};
  std::vector<ReadRank> read;
  for (const TraceFile& input : files) read.push_back(read_rank(input, reading));
  const std::vector<ReadRank> ranks = in_rank_order(files, std::move(read));
  std::vector<const CollectedEvents*> all;
  for (const ReadRank& rank : ranks) all.push_back(&rank.events());
  const std::vector<RankClock> clocks = measure_clocks(all, options.align);
  const FileClock clock = clock_of(ranks, clocks);
  std::vector<MergedRank> reports;
  for (std::size_t i = 0; i < ranks.size(); ++i) reports.push_back(report_of(ranks[i], clocks[i]));

  std::string head;
  const auto base_ns = static_cast<std::int64_t>(clock.base_ps / kPsPerNs);
  encoding->begin(std::max<std::int64_t>(0, base_ns), metadata_of(reports, options.align), head);
  file.write(head);
  std::int64_t next_tid = 1;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    RankWriter writer(*encoding, ranks[i].events(), name_rank(ranks[i].events(), ranks[i].rank, i), clock.shifts[i],
                      next_tid, [&file](const std::string& bytes) { file.write(bytes); });
    writer.write_all(ranks[i].collector->records());
    reports[i].crossing = writer.crossing();
  }
  std::string tail;
  encoding->end(tail);
  file.write(tail);
  file.commit();
  return reports;
}

}  // namespace kernbench::traces
