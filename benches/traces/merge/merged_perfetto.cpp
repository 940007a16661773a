// Perfetto's packets of a merged trace. Names are interned: what many events share is written once, before them.
#include <charconv>
#include <functional>
#include <unordered_map>

#include "benches/traces/merge/merged_encoding.hpp"
#include "benches/traces/merge/merged_layout.hpp"
#include "sim/system/trace/perfetto_packets.hpp"

namespace kernbench::traces {
namespace {

using namespace perfetto;

constexpr TracePs kPicosecondsPerNanosecond = 1000;
constexpr std::size_t kMostInterned = 65'536;  // of a kind; what comes later stands where it is used

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};

/// Ids of texts, from 1.
class InternedTexts {
 public:
  /// 0: there are too many already.
  std::uint64_t id(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    if (ids_.size() >= kMostInterned) return 0;
    return ids_.emplace(std::string(text), ids_.size() + 1).first->second;
  }

  void write(Interned& data, InternedField field) const {
    for (const auto& [text, id] : ids_) add_interned(data, field, id, text);
  }

 private:
  std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> ids_;
};

void add_scalar(Annotation& annotation, std::string_view text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  double real = 0;
  if (text == "true" || text == "false") {
    annotation.add_bool(AnnotationField::kBool, text == "true");
  } else if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc{} && read.ptr == end) {
    annotation.add_int64(AnnotationField::kInt, whole);
  } else if (std::uint64_t large = 0; read_id(text, large)) {
    annotation.add_uint64(AnnotationField::kUint, large);
  } else if (const auto number = std::from_chars(text.data(), end, real);
             number.ec == std::errc{} && number.ptr == end) {
    annotation.add_double(AnnotationField::kDouble, real);
  } else {
    annotation.add_string(AnnotationField::kLegacyJson, text.data(), text.size());
  }
}

class MergedPerfetto : public MergedEncoding {
 public:
  void describe(const WholeEvent& event, MergedIds& ids, std::string& body) override {
    if (event.phase == 's' || event.phase == 't' || event.phase == 'f') return;  // an id of the slice it lies in
    Event out(body);
    if (const std::uint64_t name = names_.id(event.name); name != 0) {
      out.add_uint64(EventField::kNameIid, name);
    } else {
      out.add_string(EventField::kName, event.name.data(), event.name.size());
    }
    if (event.category.empty()) {
    } else if (const std::uint64_t category = categories_.id(event.category); category != 0) {
      out.add_uint64(EventField::kCategoryIids, category);
    } else {
      out.add_string(EventField::kCategories, event.category.data(), event.category.size());
    }
    for (const EventArgument& argument : event.arguments) add_argument(argument, ids, out);
  }

  void begin(std::int64_t base_ns, const std::string& metadata, std::string& out) override {
    base_ns_ = base_ns;
    {
      Trace trace(out);
      Packet packet(trace, TraceField::kPacket);
      packet.add_uint32(PacketField::kSequenceId, kSequence);
      packet.add_uint32(PacketField::kSequenceFlags, kStateCleared);
      Interned data(packet, PacketField::kInternedData);
      categories_.write(data, InternedField::kCategories);
      names_.write(data, InternedField::kNames);
      arguments_.write(data, InternedField::kAnnotationNames);
    }
    add_descriptor(out, kMergeTrack, [](Descriptor& track) { track.add_string(DescriptorField::kName, kMergeName); });
    add_event(out, at(0), kInstant, kMergeTrack, [&metadata](Event& event) {
      event.add_string(EventField::kName, kMergeName);
      Annotation annotation(event, EventField::kDebugAnnotations);
      annotation.add_string(AnnotationField::kName, kMergeArgument);
      annotation.add_string(AnnotationField::kLegacyJson, metadata);
    });
  }

  void process(const MergedProcess& process, std::string& out) override {
    add_descriptor(out, static_cast<std::uint64_t>(process.pid), [&process](Descriptor& track) {
      protozero::pbf_builder<ProcessField> facts(track, DescriptorField::kProcess);
      facts.add_int32(ProcessField::kPid, static_cast<std::int32_t>(process.pid));
      facts.add_int32(ProcessField::kSortIndex, static_cast<std::int32_t>(process.pid));
      facts.add_string(ProcessField::kName, process.name);
    });
  }

  void track(const MergedTrack& track, std::string& out) override {
    add_descriptor(out, uuid_of(track), [&track](Descriptor& descriptor) {
      protozero::pbf_builder<ThreadField> facts(descriptor, DescriptorField::kThread);
      facts.add_int32(ThreadField::kPid, static_cast<std::int32_t>(track.pid));
      facts.add_int64(ThreadField::kTid, track.tid);
      facts.add_int64(ThreadField::kSortIndex, track.sort_index);
      facts.add_string(ThreadField::kName, track.name);
    });
  }

  void slice(const MergedTrack& track, const EventTimes& times, std::string_view body,
             const std::vector<FlowPoint>& flows, std::string& out) override {
    // The event is the innermost message that is open, so that bytes that are appended are its fields.
    add_event(out, at(times.start), kSliceBegin, uuid_of(track), [&](Event& event) {
      out += body;
      add_flows(event, flows);
    });
  }

  void slice_end(const MergedTrack& track, TracePs end, const std::vector<FlowPoint>& flows,
                 std::string& out) override {
    add_event(out, at(end), kSliceEnd, uuid_of(track), [&flows](Event& event) { add_flows(event, flows); });
  }

  void instant(const MergedTrack& track, TracePs time, std::string_view body, std::string& out) override {
    add_event(out, at(time), kInstant, uuid_of(track), [&out, body](const Event&) { out += body; });
  }

  void loose_flow(const MergedTrack& track, const FlowPoint& flow, std::string& out) override {
    add_event(out, at(flow.time), kInstant, uuid_of(track), [&flow](Event& event) {
      event.add_string(EventField::kName, "flow");
      event.add_fixed64(EventField::kFlowIds, flow.id);
    });
  }

  void end(std::string& /*out*/) override {}

 private:
  static constexpr std::uint64_t kMergeTrack = std::uint64_t{1} << 62U;

  static std::uint64_t uuid_of(const MergedTrack& track) {
    return (std::uint64_t{1} << 32U) + static_cast<std::uint64_t>(track.tid);
  }

  [[nodiscard]] std::uint64_t at(TracePs time) const {
    return static_cast<std::uint64_t>(base_ns_ + time / kPicosecondsPerNanosecond);
  }

  template <typename Fill>
  static void add_descriptor(std::string& out, std::uint64_t uuid, const Fill& fill) {
    Trace trace(out);
    Packet packet(trace, TraceField::kPacket);
    packet.add_uint32(PacketField::kSequenceId, kSequence);
    Descriptor descriptor(packet, PacketField::kTrackDescriptor);
    descriptor.add_uint64(DescriptorField::kUuid, uuid);
    fill(descriptor);
  }

  static void add_flows(Event& event, const std::vector<FlowPoint>& flows) {
    for (const FlowPoint& flow : flows) event.add_fixed64(EventField::kFlowIds, flow.id);
  }

  void add_argument(const EventArgument& argument, MergedIds& ids, Event& out) {
    Annotation annotation(out, EventField::kDebugAnnotations);
    if (const std::uint64_t name = arguments_.id(argument.name); name != 0) {
      annotation.add_uint64(AnnotationField::kNameIid, name);
    } else {
      annotation.add_string(AnnotationField::kName, argument.name.data(), argument.name.size());
    }
    const std::string_view value = argument.value;
    std::uint64_t id = 0;
    if (argument.kind == EventArgument::Kind::kText) {
      annotation.add_string(AnnotationField::kString, value.data(), value.size());
    } else if (argument.kind == EventArgument::Kind::kComposite) {
      annotation.add_string(AnnotationField::kLegacyJson, value.data(), value.size());
    } else if (MergedIds::is_id(argument.name) && read_id(value, id)) {
      annotation.add_uint64(AnnotationField::kUint, ids.merged(id));
    } else {
      add_scalar(annotation, value);
    }
  }

  InternedTexts names_;
  InternedTexts categories_;
  InternedTexts arguments_;
  std::int64_t base_ns_ = 0;
};

}  // namespace

std::unique_ptr<MergedEncoding> merged_perfetto_encoding() { return std::make_unique<MergedPerfetto>(); }

}  // namespace kernbench::traces
