#include "benches/traces/merge/event_collector.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <utility>

#include "benches/io/text/json.hpp"
#include "benches/traces/events/decimal_time.hpp"
#include "benches/traces/events/event_times.hpp"
#include "benches/traces/events/parse_events.hpp"
#include "benches/traces/events/rank_clock.hpp"
#include "benches/traces/events/trace_fields.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::uint64_t kLargeId = std::uint64_t{1} << 62U;  // as MergedIds numbers ids that are as large
constexpr std::string_view kStepName = "ProfilerStep#";

/// Rounded down.
template <typename Integer>
Integer whole_nanoseconds(Integer picoseconds) {
  const Integer whole = picoseconds / kPsPerNs;
  return picoseconds % kPsPerNs < 0 ? whole - 1 : whole;
}

std::string without_quotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::string place_key(std::string_view pid, std::string_view tid) {
  return without_quotes(pid) + '/' + without_quotes(tid);
}

std::int64_t size_of_group(const WholeEvent& event) {
  std::uint64_t size = 0;
  constexpr std::uint64_t kMost = 1U << 30U;
  return read_id(event.argument("Group size"), size) && size > 0 && size < kMost ? static_cast<std::int64_t>(size) : -1;
}

std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

}  // namespace

std::optional<std::int64_t> profiler_step(std::string_view name) {
  if (!name.starts_with(kStepName)) return std::nullopt;
  std::int64_t number = 0;
  const std::string_view digits = name.substr(kStepName.size());
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || rest != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::uint64_t CollectedEvents::slices() const {
  std::uint64_t sum = 0;
  for (const CollectedTrack& track : tracks) {
    for (const CategoryCount& category : track.categories) sum += category.slices;
  }
  return sum;
}

EventCollector::EventCollector(std::filesystem::path temporary_folder, MergedEncoding* encoding, MergedIds* ids)
    : records_(std::move(temporary_folder)), encoding_(encoding), ids_(ids) {
  if (ids_ != nullptr) ids_->start_rank();
}

std::uint32_t EventCollector::track_of(const WholeEvent& event) {
  key_.assign(event.pid);
  key_ += '/';
  key_ += event.tid;
  if (key_ == last_key_) return last_track_;
  const auto [found, is_new] = track_ids_.try_emplace(key_, static_cast<std::uint32_t>(events_.tracks.size()));
  if (is_new) {
    CollectedTrack& track = events_.tracks.emplace_back();
    track.pid = without_quotes(event.pid);
    track.tid = without_quotes(event.tid);
  }
  last_key_ = key_;
  last_track_ = found->second;
  return last_track_;
}

void EventCollector::take_metadata(const WholeEvent& event) {
  const std::string pid = without_quotes(event.pid);
  const std::string name(trimmed(event.argument("name")));
  const auto set = [this](std::string& known, const std::string& name) {
    if (!known.empty() && known != name) ++events_.named_twice;
    known = name;
  };
  if (event.name == "process_name") set(events_.process_names[pid], name);
  if (event.name == "process_labels") events_.process_labels[pid] = event.argument("labels");
  if (event.name == "thread_name") set(events_.thread_names[place_key(event.pid, event.tid)], name);
}

void EventCollector::cover(const EventTimes& times) {
  events_.earliest = is_covered_ ? std::min(events_.earliest, times.start) : times.start;
  events_.latest = is_covered_ ? std::max(events_.latest, times.end) : times.end;
  is_covered_ = true;
}

void EventCollector::count(CollectedTrack& track, const WholeEvent& event, const EventTimes& times) {
  auto category = std::ranges::find(track.categories, event.category, &CategoryCount::category);
  if (category == track.categories.end()) {
    category = track.categories.insert(category, {std::string(event.category), 0, 0, 0});
  }
  ++category->slices;
  category->duration_ps += times.end - times.start;
  category->duration_ns += whole_nanoseconds(times.end) - whole_nanoseconds(times.start);
  if (const auto step = profiler_step(event.name)) events_.steps.insert(*step);
}

void EventCollector::take_id(CollectedTrack& track, const WholeEvent& event) {
  std::uint64_t id = 0;
  if (!read_id(event.argument("correlation"), id) || id == 0 || id >= kLargeId) return;
  track.first_id = track.first_id == 0 ? id : std::min(track.first_id, id);
  track.last_id = std::max(track.last_id, id);
}

void EventCollector::take_collective(const WholeEvent& event, const EventTimes& times) {
  const std::string kind = without_quotes(event.argument("Collective name"));
  if (kind.empty() || !ends_together(kind)) return;
  std::string key = kind + '\n';
  for (const char* name :
       {"dtype", "In msg nelems", "Out msg nelems", "Process Group Name", "Process Group Ranks", "Seq"}) {
    key += event.argument(name);
    key += '\n';
  }
  const bool is_recorded =
      !event.argument("Process Group Name").empty() || !event.argument("Process Group Ranks").empty();
  events_.collectives.push_back({hash_of(key), is_recorded ? 0 : size_of_group(event), times.start, times.end});
}

std::string EventCollector::take_slice(const WholeEvent& event) {
  EventTimes times;
  if (std::string wrong = read_times(event.ts, event.duration, events_.origin_ps, times); !wrong.empty()) return wrong;
  const std::uint32_t id = track_of(event);
  CollectedTrack& track = events_.tracks[id];
  count(track, event, times);
  cover(times);
  const EventCategory category = category_of(event.category);
  const bool is_kernel = category == EventCategory::kKernel;
  const bool is_gpu_event = is_kernel || category == EventCategory::kMemcpy || category == EventCategory::kMemset;
  if (is_gpu_event) ++events_.gpu_events;
  if (is_gpu_event || category == EventCategory::kGpuMark) track.is_of_gpu = true;
  if (is_kernel) take_collective(event, times);
  payload_.clear();
  if (encoding_ != nullptr) {
    encoding_->describe(event, *ids_, payload_);
  } else {
    take_id(track, event);
  }
  records_.add({id, RecordKind::kSlice, times.start, times.end - times.start}, payload_);
  return "";
}

/// An instant, or an end of a flow.
std::string EventCollector::take_other(const WholeEvent& event) {
  EventTimes times;
  if (std::string wrong = read_times(event.ts, "", events_.origin_ps, times); !wrong.empty()) return wrong;
  const bool is_instant = event.phase == 'i' || event.phase == 'I';
  if (!is_instant && event.id.empty()) {
    ++events_.flows_without_id;
    return "";
  }
  payload_.clear();
  if (is_instant) {
    cover(times);
  } else {
    const StoredFlow flow{hash_of(std::string(event.category) + '\n' + without_quotes(event.id)), event.phase};
    events_.flows.add(flow.key, flow.phase);
    payload_.append(reinterpret_cast<const char*>(&flow), sizeof(flow));
  }
  if (encoding_ != nullptr) encoding_->describe(event, *ids_, payload_);
  records_.add({track_of(event), is_instant ? RecordKind::kInstant : RecordKind::kFlow, times.start, 0}, payload_);
  return "";
}

std::string EventCollector::take(const WholeEvent& event) {
  const std::string_view taken = "XsftiI";
  const bool is_taken = taken.find(event.phase) != std::string_view::npos;
  std::string wrong;
  if (event.phase == 'M') {
    take_metadata(event);
  } else if (is_taken && event.ts.empty()) {
    ++events_.without_time;
  } else if (is_taken) {
    if (!has_origin_) {
      const auto first = picoseconds_from_microseconds(event.ts);
      if (first) events_.origin_ps = whole_nanoseconds(*first) * kPsPerNs;
      has_origin_ = first.has_value();
    }
    wrong = event.phase == 'X' ? take_slice(event) : take_other(event);
  }
  if (wrong.empty()) ++events_.phases[event.phase];
  return wrong;
}

void EventCollector::finish(std::uint64_t first_flow) {
  events_.flows.finish(first_flow);
  records_.finish();
}

void collect_events(const std::filesystem::path& file, bool skip_bad, EventCollector& collector) {
  const std::unique_ptr<ByteSource> source = open_bytes(file);
  const std::string name = source->name();
  WholeEventParser parser(collector);
  EventBatches batches(*source, kTraceWindow, EventParser::padding());
  CollectedEvents& events = collector.events();
  events.about.bad_events = parse_events(
      batches, [&parser](const EventBatch& batch, BadEvent& bad) { return parser.parse(batch, bad); }, name, skip_bad);
  events.about.truncated_at = batches.truncated_at();
  events.about.file = file;
  events.about.bytes = batches.bytes();
  read_trace_fields(batches, name, events.about);
  const auto merge = batches.fields().find(EventBatches::kMerge);
  if (merge != batches.fields().end()) events.merge = merge->second;
}

}  // namespace kernbench::traces
