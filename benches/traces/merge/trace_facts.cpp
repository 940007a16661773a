#include "benches/traces/merge/trace_facts.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>

#include "benches/io/text/json.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/traces/merge/merged_layout.hpp"
#include "benches/traces/merge/nesting_lanes.hpp"
#include "benches/traces/merge/perfetto_facts.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::string_view kCounted = "XsftiIM";  // phases
constexpr std::size_t kSniffed = 4096;            // bytes

/// JSON begins with a bracket and a quote or bracket; Perfetto's packets with a line feed, which JSON may begin with
/// too.
bool is_json(const std::filesystem::path& file) {
  const std::unique_ptr<ByteSource> source = open_bytes(file);
  std::string begin(kSniffed, '\0');
  begin.resize(source->read(begin.data(), begin.size()));
  if (begin.empty() || begin.front() != '\n') return true;
  const std::size_t bracket = begin.find_first_not_of(" \n\r\t");
  if (bracket == std::string::npos) return false;
  const std::size_t next = begin.find_first_not_of(" \n\r\t", bracket + 1);
  if (next == std::string::npos) return false;
  return (begin[bracket] == '{' && begin[next] == '"') || (begin[bracket] == '[' && begin[next] == '{');
}

std::string metadata_name(const std::map<std::string, std::string>& names, const std::string& key,
                          const std::string& other) {
  const auto found = names.find(key);
  return found == names.end() ? other : found->second;
}

void count_crossing(SortedRecords& records, std::vector<FactsTrack>& tracks) {
  NestingLanes lanes;
  std::uint32_t track = 0;
  SortedRecord record;
  while (records.next(record)) {
    if (record.head.track != track) lanes = {};
    track = record.head.track;
    if (record.head.kind != RecordKind::kSlice) continue;
    lanes.close_until(record.head.start, [](std::size_t, const NestingLanes::Open&) {});
    if (lanes.place(record.head.start, record.head.end()) > 0) ++tracks[track].crossing;
  }
}

void take_tracks(const CollectedEvents& events, TraceFacts& facts) {
  std::vector<IdRange> ranges;
  std::map<std::string, std::set<std::string>> pids_of_tid;
  std::map<std::string, std::set<std::string>> pids_of_name;
  for (const CollectedTrack& track : events.tracks) {
    FactsTrack& shown = facts.tracks.emplace_back();
    shown.process = metadata_name(events.process_names, track.pid, track.pid);
    shown.name = metadata_name(events.thread_names, track.pid + '/' + track.tid, track.tid);
    const auto rank = facts.is_merged ? rank_of_process(shown.process) : std::nullopt;
    for (const CategoryCount& category : track.categories) {
      shown.slices += category.slices;
      add_category(facts.categories, rank, category);
    }
    if (rank && track.last_id > 0) ranges.push_back({*rank, track.first_id, track.last_id});
    pids_of_tid[track.tid].insert(track.pid);
    pids_of_name[shown.process].insert(track.pid);
  }
  if (!facts.is_merged) return;
  add_shared_ids(ranges, facts.problems);
  for (const auto& [tid, pids] : pids_of_tid) {
    if (pids.size() > 1) facts.problems.push_back("thread id of several processes: " + printable(tid));
  }
  for (const auto& [name, pids] : pids_of_name) {
    if (pids.size() > 1) facts.problems.push_back("name of several processes: " + printable(name));
  }
  if (events.named_twice > 0) facts.problems.emplace_back("processes or threads with two names");
}

void read_json_facts(const std::filesystem::path& file, bool skip_bad, TraceFacts& facts) {
  EventCollector collector(std::filesystem::temp_directory_path(), nullptr, nullptr);
  collect_events(file, skip_bad, collector);
  collector.finish(1);
  const CollectedEvents& events = collector.events();
  facts.is_merged = !events.merge.empty();
  facts.merge = events.merge;
  facts.bytes = events.about.bytes;
  facts.bad_events = events.about.bad_events;
  facts.truncated_at = events.about.truncated_at;
  facts.devices = events.about.devices;
  facts.gpu_events = events.gpu_events;
  facts.without_time = events.without_time;
  facts.flows = events.flows.counts();
  facts.steps = events.steps;
  facts.first_ps = Int128{events.about.base_time_ns} * kPsPerNs + events.origin_ps + events.earliest;
  facts.span_ps = events.latest - events.earliest;
  for (const auto& [phase, count] : events.phases) {
    if (phase == 'i' || phase == 'I') facts.instants += count;
    if (kCounted.find(phase) == std::string_view::npos) facts.other_events += count;
  }
  take_tracks(events, facts);
  count_crossing(collector.records(), facts.tracks);
}

/// What makes a merged trace a wrong one, whatever its format.
void add_problems(TraceFacts& facts) {
  const auto add = [&facts](std::uint64_t count, const char* what, const char* which) {
    if (count > 0) facts.problems.push_back(counted(static_cast<std::int64_t>(count), what) + " " + which);
  };
  if (facts.gpu_events == 0) facts.problems.emplace_back("no GPU event");
  add(facts.flows.without_partner(), "flow end", "without a partner");
  add(facts.flows.begun_twice, "flow id", "begun twice");
  add(facts.crossing(), "slice", "across others of their track");
  add(facts.without_time, "event", "without ts");
  add(facts.bad_events, "event", "left out");
  if (facts.truncated_at) facts.problems.push_back("truncated at byte " + std::to_string(*facts.truncated_at));
}

std::string of_rank(const FactsCategory& entry) {
  return (entry.rank ? "rank " + std::to_string(*entry.rank) + ", " : "") + "category \"" +
         printable(entry.count.category) + "\"";
}

std::string amount_in_words(const FactsCategory* entry, bool is_perfetto) {
  if (entry == nullptr) return "none";
  const Int128 duration = is_perfetto ? entry->count.duration_ns * kPsPerNs : entry->count.duration_ps;
  return counted(static_cast<std::int64_t>(entry->count.slices), "slice") + " of " +
         formatted("%.6f µs", static_cast<double>(duration) / 1e6);
}

const FactsCategory* find_category(const std::vector<FactsCategory>& all, const FactsCategory& wanted) {
  const auto found = std::ranges::find_if(all, [&wanted](const FactsCategory& entry) {
    return entry.rank == wanted.rank && entry.count.category == wanted.count.category;
  });
  return found == all.end() ? nullptr : &*found;
}

Json category_json(const FactsCategory& entry) {
  Json row = Json::object();
  row["rank"] = entry.rank ? Json(*entry.rank) : Json(nullptr);
  row["category"] = printable(entry.count.category);
  row["slices"] = entry.count.slices;
  row["duration_us"] = static_cast<double>(entry.count.duration_ps) / 1e6;
  return row;
}

}  // namespace

std::uint64_t TraceFacts::slices() const {
  std::uint64_t sum = 0;
  for (const FactsTrack& track : tracks) sum += track.slices;
  return sum;
}

std::uint64_t TraceFacts::crossing() const {
  std::uint64_t sum = 0;
  for (const FactsTrack& track : tracks) sum += track.crossing;
  return sum;
}

void add_shared_ids(const std::vector<IdRange>& ranges, std::vector<std::string>& problems) {
  std::map<std::int64_t, IdRange> of_rank;
  for (const IdRange& range : ranges) {
    IdRange& hull = of_rank.try_emplace(range.rank, range).first->second;
    hull.first = std::min(hull.first, range.first);
    hull.last = std::max(hull.last, range.last);
  }
  for (auto one = of_rank.begin(); one != of_rank.end(); ++one) {
    for (auto other = std::next(one); other != of_rank.end(); ++other) {
      const IdRange& a = one->second;
      const IdRange& b = other->second;
      if (a.last < b.first || b.last < a.first) continue;
      problems.push_back("correlation ids of ranks " + std::to_string(a.rank) + " and " + std::to_string(b.rank) +
                         " lie among each other");
    }
  }
}

void add_category(std::vector<FactsCategory>& categories, std::optional<std::int64_t> rank,
                  const CategoryCount& count) {
  const auto place = std::ranges::find_if(categories, [&](const FactsCategory& entry) {
    return std::tie(entry.rank, entry.count.category) >= std::tie(rank, count.category);
  });
  if (place == categories.end() || place->rank != rank || place->count.category != count.category) {
    categories.insert(place, {rank, count});
    return;
  }
  place->count.slices += count.slices;
  place->count.duration_ps += count.duration_ps;
  place->count.duration_ns += count.duration_ns;
}

TraceFacts read_trace_facts(const std::filesystem::path& file, bool skip_bad) {
  TraceFacts facts;
  facts.file = file;
  if (is_json(file)) {
    read_json_facts(file, skip_bad, facts);
  } else {
    read_perfetto_facts(file, facts);
  }
  add_problems(facts);
  return facts;
}

std::vector<std::string> compare_with_inputs(const TraceFacts& merged, const std::vector<TraceFile>& inputs,
                                             bool skip_bad) {
  std::vector<FactsCategory> expected;
  for (const TraceFile& input : inputs) {
    EventCollector collector(std::filesystem::temp_directory_path(), nullptr, nullptr);
    collect_events(input.path, skip_bad, collector);
    const std::int64_t rank = place_trace(input, collector.events().about).rank;
    for (const CollectedTrack& track : collector.events().tracks) {
      for (const CategoryCount& category : track.categories) add_category(expected, rank, category);
    }
  }
  std::vector<std::string> differences;
  const auto differ = [&](const FactsCategory* has, const FactsCategory* wanted) {
    differences.push_back(of_rank(has == nullptr ? *wanted : *has) + ": has " +
                          amount_in_words(has, merged.is_perfetto) + ", the inputs " +
                          amount_in_words(wanted, merged.is_perfetto));
  };
  for (const FactsCategory& wanted : expected) {
    const FactsCategory* has = find_category(merged.categories, wanted);
    const bool is_same = has != nullptr && has->count.slices == wanted.count.slices &&
                         has->count.duration_ns == wanted.count.duration_ns &&
                         (merged.is_perfetto || has->count.duration_ps == wanted.count.duration_ps);
    if (!is_same) differ(has, &wanted);
  }
  for (const FactsCategory& has : merged.categories) {
    if (find_category(expected, has) == nullptr) differ(&has, nullptr);
  }
  return differences;
}

std::string facts_json(const TraceFacts& facts) {
  Json document = {{"schema", "kernbench.trace-facts/1"}, {"file", printable(facts.file.string())}};
  document["format"] = facts.is_perfetto ? "perfetto" : "chrome";
  document["merge"] = facts.merge.empty() ? Json(nullptr) : parse_json(facts.merge, facts.file.string());
  document["bytes"] = facts.bytes;
  document["gpu_events"] = facts.gpu_events;
  document["instants"] = facts.instants;
  document["other_events"] = facts.other_events;
  document["events_without_ts"] = facts.without_time;
  document["events_that_do_not_parse"] = facts.bad_events;
  document["flows"] = {{"begins", facts.flows.begins},
                       {"ends", facts.flows.ends},
                       {"begins_without_end", facts.flows.begins_without_end},
                       {"ends_without_begin", facts.flows.ends_without_begin},
                       {"begun_twice", facts.flows.begun_twice}};
  document["first_us"] = static_cast<double>(facts.first_ps) / 1e6;
  document["span_us"] = static_cast<double>(facts.span_ps) / 1e6;
  document["steps"] = facts.steps;
  Json& devices = document["devices"] = Json::array();
  for (const std::string& device : facts.devices) devices.push_back(printable(device));
  Json& tracks = document["tracks"] = Json::array();
  for (const FactsTrack& track : facts.tracks) {
    tracks.push_back({{"process", printable(track.process)},
                      {"name", printable(track.name)},
                      {"slices", track.slices},
                      {"crossing", track.crossing}});
  }
  Json& categories = document["categories"] = Json::array();
  for (const FactsCategory& entry : facts.categories) categories.push_back(category_json(entry));
  Json& problems = document["problems"] = Json::array();
  for (const std::string& problem : facts.problems) problems.push_back(printable(problem));
  return document.dump(2) + "\n";
}

}  // namespace kernbench::traces
