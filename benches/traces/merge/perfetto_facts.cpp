// Events of a track lie in the file in the order of time, or not: they are sorted, then their begins and ends are
// paired.
#include "benches/traces/merge/perfetto_facts.hpp"

#include <algorithm>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/traces/merge/merged_layout.hpp"
#include "benches/traces/merge/packet_reader.hpp"
#include "benches/traces/merge/perfetto_events.hpp"
#include "benches/traces/merge/perfetto_ids.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/system/trace/perfetto_packets.hpp"

namespace kernbench::traces {
namespace {

using namespace perfetto;
using protozero::pbf_reader;

class PerfettoFacts {
 public:
  explicit PerfettoFacts(TraceFacts& facts) : facts_(facts), records_(std::filesystem::temp_directory_path()) {}

  void read(const std::filesystem::path& file) {
    const std::unique_ptr<ByteSource> source = open_bytes(file);
    PacketReader packets(*source);
    std::string_view packet;
    while (packets.next(packet)) {
      try {
        take(pbf_reader(packet.data(), packet.size()));
      } catch (const protozero::exception& error) {
        packets.refuse(std::string("a packet does not parse (") + error.what() + ")");
      }
    }
    facts_.bytes = packets.byte();
    finish();
  }

 private:
  void take(pbf_reader packet);
  void take_descriptor(pbf_reader descriptor);
  void take_ids(const PerfettoIds& ids, TrackFacts& track);
  void take_interned(pbf_reader data);
  [[nodiscard]] PacketEvent read_event(pbf_reader event);
  void read_annotation(pbf_reader annotation, PacketEvent& event);
  void take_event(const PacketEvent& event, std::uint64_t time);
  std::uint32_t track_index(std::uint64_t uuid);
  std::uint32_t category_index(std::string_view category);
  std::string_view name_of(const Names& names, std::uint64_t iid);
  void finish();
  void pair_slices();
  void name_tracks();
  void count_flows();
  void problem(const std::string& what, std::uint64_t count) {
    if (count > 0) facts_.problems.push_back(counted(static_cast<std::int64_t>(count), what));
  }

  TraceFacts& facts_;
  SortedRecords records_;
  std::unordered_map<std::uint64_t, std::uint32_t> track_ids_;
  std::vector<TrackFacts> tracks_;
  std::map<std::int64_t, std::string> processes_;
  std::map<std::int64_t, std::uint64_t> tids_;  ///< how many tracks have it
  std::unordered_map<std::uint64_t, InternedNames> interned_;
  InternedNames* current_ = nullptr;  ///< of the packet's sequence
  std::vector<std::string> categories_;
  std::vector<std::uint64_t> flows_;
  std::uint64_t unknown_names_ = 0;
  bool has_time_ = false;
  std::int64_t ps_of_unit_ = kPsPerNs;  ///< of its times; the simulator writes a picosecond as if it were the unit
};

std::string_view PerfettoFacts::name_of(const Names& names, std::uint64_t iid) {
  const auto found = names.find(iid);
  if (found != names.end()) return found->second;
  ++unknown_names_;
  return {};
}

std::uint32_t PerfettoFacts::track_index(std::uint64_t uuid) {
  const auto [found, is_new] = track_ids_.try_emplace(uuid, static_cast<std::uint32_t>(tracks_.size()));
  if (is_new) tracks_.emplace_back();
  return found->second;
}

std::uint32_t PerfettoFacts::category_index(std::string_view category) {
  const auto found = std::ranges::find(categories_, category);
  const auto index = static_cast<std::uint32_t>(found - categories_.begin());
  if (found == categories_.end()) categories_.emplace_back(category);
  return index;
}

void PerfettoFacts::take(pbf_reader packet) {
  std::uint64_t time = 0;
  std::uint64_t sequence = 0;
  std::uint32_t flags = 0;
  pbf_reader event;
  pbf_reader interned;
  pbf_reader descriptor;
  while (packet.next()) {
    switch (packet.tag()) {
      case tag_of(PacketField::kTimestamp):
        time = packet.get_uint64();
        break;
      case tag_of(PacketField::kSequenceId):
        sequence = packet.get_uint32();
        break;
      case tag_of(PacketField::kSequenceFlags):
        flags = packet.get_uint32();
        break;
      case tag_of(PacketField::kTrackEvent):
        event = packet.get_message();
        break;
      case tag_of(PacketField::kInternedData):
        interned = packet.get_message();
        break;
      case tag_of(PacketField::kTrackDescriptor):
        descriptor = packet.get_message();
        break;
      default:
        packet.skip();
    }
  }
  current_ = &interned_[sequence];
  if ((flags & kStateCleared) != 0) *current_ = {};
  if (interned) take_interned(interned);
  if (descriptor) take_descriptor(descriptor);
  if (event) take_event(read_event(event), time);
  if (!interned && !descriptor && !event) ++facts_.other_events;
}

void PerfettoFacts::take_interned(pbf_reader data) {
  while (data.next()) {
    Names* names = nullptr;
    if (data.tag() == tag_of(InternedField::kCategories)) names = &current_->categories;
    if (data.tag() == tag_of(InternedField::kNames)) names = &current_->names;
    if (data.tag() == tag_of(InternedField::kAnnotationNames)) names = &current_->arguments;
    if (names == nullptr) {
      data.skip();
      continue;
    }
    std::uint64_t iid = 0;
    std::string name;
    for (pbf_reader entry = data.get_message(); entry.next();) {
      if (entry.tag() == tag_of(InternedNameField::kIid)) {
        iid = entry.get_uint64();
      } else if (entry.tag() == tag_of(InternedNameField::kName)) {
        name = entry.get_string();
      } else {
        entry.skip();
      }
    }
    if (!names->emplace(iid, name).second) problem("id of a name twice: " + printable(name), 1);
  }
}

void PerfettoFacts::take_ids(const PerfettoIds& ids, TrackFacts& track) {
  track.pid = ids.pid;
  track.name = ids.name.value_or(track.name);
  if (ids.tid) ++tids_[*ids.tid];
}

void PerfettoFacts::take_descriptor(pbf_reader descriptor) {
  std::uint64_t uuid = 0;
  TrackFacts track;
  bool is_process = false;
  while (descriptor.next()) {
    switch (descriptor.tag()) {
      case tag_of(DescriptorField::kUuid):
        uuid = descriptor.get_uint64();
        break;
      case tag_of(DescriptorField::kName):
        track.name = descriptor.get_string();
        break;
      case tag_of(DescriptorField::kDescription):
        if (descriptor.get_string() == perfetto::kPicosecondsAsNs) ps_of_unit_ = 1;
        break;
      case tag_of(DescriptorField::kProcess):
        is_process = true;
        take_ids(read_ids(descriptor.get_message(), tag_of(ProcessField::kPid), 0, tag_of(ProcessField::kName)), track);
        if (!processes_.emplace(*track.pid, track.name).second)
          problem("process id twice: " + std::to_string(*track.pid), 1);
        break;
      case tag_of(DescriptorField::kThread):
        take_ids(read_ids(descriptor.get_message(), tag_of(ThreadField::kPid), tag_of(ThreadField::kTid),
                          tag_of(ThreadField::kName)),
                 track);
        break;
      default:
        descriptor.skip();
    }
  }
  TrackFacts& known = tracks_[track_index(uuid)];
  if (known.is_described) problem("track id twice: " + std::to_string(uuid), 1);
  track.first_id = known.first_id;
  track.last_id = known.last_id;
  track.is_described = true;
  if (!is_process && track.pid && !processes_.contains(*track.pid)) {
    problem("track of a process that is not there: " + printable(track.name), 1);
  }
  known = std::move(track);
}

void PerfettoFacts::read_annotation(pbf_reader annotation, PacketEvent& event) {
  std::string_view name;
  std::uint64_t whole = 0;
  std::string_view text;
  while (annotation.next()) {
    switch (annotation.tag()) {
      case tag_of(AnnotationField::kNameIid):
        name = name_of(current_->arguments, annotation.get_uint64());
        break;
      case tag_of(AnnotationField::kName):
        static_cast<void>(annotation.get_view());
        break;
      case tag_of(AnnotationField::kUint):
        whole = annotation.get_uint64();
        break;
      case tag_of(AnnotationField::kLegacyJson): {
        const auto view = annotation.get_view();
        text = {view.data(), view.size()};
        break;
      }
      default:
        annotation.skip();
    }
  }
  if (name == "correlation") event.correlation = whole;
  if (!text.empty()) event.merge = text;
}

PacketEvent PerfettoFacts::read_event(pbf_reader event) {
  PacketEvent read;
  while (event.next()) {
    switch (event.tag()) {
      case tag_of(EventField::kType):
        read.stored.type = event.get_enum();
        break;
      case tag_of(EventField::kTrackUuid):
        read.track = event.get_uint64();
        break;
      case tag_of(EventField::kNameIid):
        read.name = name_of(current_->names, event.get_uint64());
        break;
      case tag_of(EventField::kName): {
        const auto view = event.get_view();
        read.name = {view.data(), view.size()};
        break;
      }
      case tag_of(EventField::kCategoryIids):
        read.category = name_of(current_->categories, event.get_uint64());
        break;
      case tag_of(EventField::kCategories): {
        const auto view = event.get_view();
        read.category = {view.data(), view.size()};
        break;
      }
      case tag_of(EventField::kFlowIds):
        flows_.push_back(event.get_fixed64());
        break;
      case tag_of(EventField::kDebugAnnotations):
        read_annotation(event.get_message(), read);
        break;
      default:
        event.skip();
    }
  }
  return read;
}

void PerfettoFacts::take_event(const PacketEvent& event, std::uint64_t time) {
  if (event.stored.type == kInstant && event.name == kMergeName) {
    facts_.is_merged = true;
    facts_.merge = event.merge;
    return;
  }
  const std::uint32_t index = track_index(event.track);
  const auto start = static_cast<TracePs>(time);
  const Int128 at = Int128{start} * ps_of_unit_;
  const Int128 end = std::max(facts_.first_ps + facts_.span_ps, at);
  facts_.first_ps = has_time_ ? std::min(facts_.first_ps, at) : at;
  facts_.span_ps = has_time_ ? end - facts_.first_ps : 0;
  has_time_ = true;
  if (event.stored.type == kInstant) {
    ++facts_.instants;
    return;
  }
  const StoredEvent stored{event.stored.type, category_index(event.category)};
  records_.add({index, RecordKind::kSlice, start, 0}, {reinterpret_cast<const char*>(&stored), sizeof(stored)});
  if (stored.type != kSliceBegin) return;
  const EventCategory category = category_of(event.category);
  if (category == EventCategory::kKernel || category == EventCategory::kMemcpy || category == EventCategory::kMemset) {
    ++facts_.gpu_events;
  }
  if (const auto step = profiler_step(event.name)) facts_.steps.insert(*step);
  if (event.correlation == 0 || event.correlation >= std::uint64_t{1} << 62U) return;
  tracks_[index].first_id = std::min(tracks_[index].first_id, event.correlation);
  tracks_[index].last_id = std::max(tracks_[index].last_id, event.correlation);
}

void PerfettoFacts::name_tracks() {
  for (TrackFacts& track : tracks_) {
    FactsTrack& shown = facts_.tracks.emplace_back();
    shown.name = track.name;
    if (!track.pid || !processes_.contains(*track.pid)) continue;
    shown.process = processes_[*track.pid];
    track.rank = rank_of_process(shown.process);
  }
}

void PerfettoFacts::pair_slices() {
  records_.finish();
  SortedRecord record;
  struct Open {
    TracePs start;
    std::uint32_t category;
  };
  std::vector<Open> open;
  std::uint32_t track = 0;
  std::uint64_t never_end = 0;
  std::uint64_t never_began = 0;
  std::vector<CategoryCount> counts(categories_.size());  // of the track
  const auto finish_track = [&] {
    never_end += open.size();
    open.clear();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i].slices == 0) continue;
      counts[i].category = categories_[i];
      facts_.tracks[track].slices += counts[i].slices;
      add_category(facts_.categories, tracks_[track].rank, std::exchange(counts[i], {}));
    }
  };
  while (records_.next(record)) {
    if (record.head.track != track) finish_track();
    track = record.head.track;
    StoredEvent event;
    std::memcpy(&event, record.payload.data(), sizeof(event));
    if (event.type == kSliceBegin) {
      open.push_back({record.head.start, event.category});
    } else if (event.type == kSliceEnd && open.empty()) {
      ++never_began;
    } else if (event.type == kSliceEnd) {
      const Int128 duration = record.head.start - open.back().start;
      CategoryCount& count = counts[open.back().category];
      ++count.slices;
      count.duration_ps += duration * ps_of_unit_;
      count.duration_ns += duration;
      open.pop_back();
    }
  }
  finish_track();
  problem("slice without an end", never_end);
  problem("end without a slice", never_began);
}

void PerfettoFacts::count_flows() {
  std::ranges::sort(flows_);
  for (auto one = flows_.begin(); one != flows_.end();) {
    const auto after = std::ranges::upper_bound(one, flows_.end(), *one);
    ++facts_.flows.begins;
    facts_.flows.ends += static_cast<std::uint64_t>(after - one) - 1;
    if (after - one == 1) ++facts_.flows.begins_without_end;
    one = after;
  }
}

void PerfettoFacts::finish() {
  name_tracks();
  pair_slices();
  count_flows();
  problem("name that is not there", unknown_names_);
  for (const auto& [tid, count] : tids_) {
    if (count > 1) problem("track with the thread id " + std::to_string(tid), count);
  }
  std::vector<IdRange> ranges;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (!tracks_[i].is_described && facts_.tracks[i].slices > 0) problem("track without a description", 1);
    if (tracks_[i].rank && tracks_[i].last_id > 0) {
      ranges.push_back({*tracks_[i].rank, tracks_[i].first_id, tracks_[i].last_id});
    }
  }
  add_shared_ids(ranges, facts_.problems);
  std::erase_if(facts_.tracks, [](const FactsTrack& track) { return track.slices == 0; });
}

}  // namespace

void read_perfetto_facts(const std::filesystem::path& file, TraceFacts& facts) {
  facts.is_perfetto = true;
  PerfettoFacts(facts).read(file);
}

}  // namespace kernbench::traces
