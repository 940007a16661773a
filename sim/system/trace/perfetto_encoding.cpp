// The simulator's trace as Perfetto's TrackEvent packets.
#include <array>
#include <map>

#include "sim/system/trace/perfetto_packets.hpp"
#include "sim/system/trace/trace_encoding.hpp"

namespace kernbench {

namespace {

/// Time is written as if a picosecond were a nanosecond, the finest unit of this format, so that nothing is rounded.
/// Every trace says so in its title.
constexpr const char* kUnitNote = "1 us shown = 1 ns simulated";

using namespace perfetto;

constexpr std::uint64_t kRoot = 1;  // uuid of the track that holds all others and shows the run as a whole

enum Argument : std::uint64_t { kTile = 1, kComposite, kBytes, kMacs };
constexpr std::array<std::string_view, 4> kArguments = {"tile", "composite", "bytes", "macs"};

std::uint64_t uuid_of(const Track& track) { return kRoot + static_cast<std::uint64_t>(track.id); }

void add_argument(Event& event, Argument name, std::int64_t value) {
  Annotation annotation(event, EventField::kDebugAnnotations);
  annotation.add_uint64(AnnotationField::kNameIid, name);
  annotation.add_uint64(AnnotationField::kUint, static_cast<std::uint64_t>(value));
}

void add_text_argument(Event& event, const std::string& name, const std::string& value) {
  Annotation annotation(event, EventField::kDebugAnnotations);
  annotation.add_string(AnnotationField::kName, name);
  annotation.add_string(AnnotationField::kString, value);
}

void add_end(std::string& out, Picoseconds at, std::uint64_t track) {
  add_event(out, static_cast<std::uint64_t>(at.value), kSliceEnd, track, [](const Event&) {});
}

/// The same for every record of a tile: the viewer draws arrows from stage to stage.
std::uint64_t flow_of(const OpRecord& op) {
  return (static_cast<std::uint64_t>(op.composite) << 40U) + static_cast<std::uint64_t>(op.tile) + 1;
}

class PerfettoEncoding : public TraceEncoding {
 public:
  void begin(const TraceHeader& header, std::string& out) override {
    Trace trace(out);
    {
      Packet packet(trace, TraceField::kPacket);
      packet.add_uint32(PacketField::kSequenceId, kSequence);
      packet.add_uint32(PacketField::kSequenceFlags, kStateCleared);
      Interned data(packet, PacketField::kInternedData);
      for (std::size_t i = 0; i < kArguments.size(); ++i) {
        add_interned(data, InternedField::kAnnotationNames, i + 1, kArguments.at(i));
      }
    }
    Packet packet(trace, TraceField::kPacket);
    packet.add_uint32(PacketField::kSequenceId, kSequence);
    Descriptor root(packet, PacketField::kTrackDescriptor);
    root.add_uint64(DescriptorField::kUuid, kRoot);
    root.add_string(DescriptorField::kName, header.title + " (" + kUnitNote + ")");
    root.add_enum(DescriptorField::kChildOrdering, kExplicitOrder);
    root.add_string(DescriptorField::kDescription, kPicosecondsAsNs.data(), kPicosecondsAsNs.size());
  }

  void track(const Track& track, std::string& out) override {
    Trace trace(out);
    Packet packet(trace, TraceField::kPacket);
    packet.add_uint32(PacketField::kSequenceId, kSequence);
    Descriptor descriptor(packet, PacketField::kTrackDescriptor);
    descriptor.add_uint64(DescriptorField::kUuid, uuid_of(track));
    descriptor.add_string(DescriptorField::kName, track.name);
    descriptor.add_uint64(DescriptorField::kParentUuid, kRoot);
    descriptor.add_int32(DescriptorField::kSiblingOrderRank, track.rank);
  }

  void slice(const Track& track, const Stage& stage, const OpRecord& op, std::string& out) override {
    const std::uint64_t iid = interned(stage, out);
    add_event(out, static_cast<std::uint64_t>(op.start.value), kSliceBegin, uuid_of(track), [&](Event& event) {
      event.add_uint64(EventField::kCategoryIids, iid);
      if (op.tile < 0) {
        event.add_uint64(EventField::kNameIid, iid);
      } else {
        event.add_string(EventField::kName, slice_name(stage, op));
        add_argument(event, kTile, op.tile);
      }
      if (op.composite >= 0) add_argument(event, kComposite, op.composite);
      if (op.bytes > 0) add_argument(event, kBytes, op.bytes);
      if (op.macs > 0) add_argument(event, kMacs, op.macs);
      if (op.tile >= 0 && op.composite >= 0) event.add_fixed64(EventField::kFlowIds, flow_of(op));
    });
    add_end(out, op.end, uuid_of(track));
  }

  void end(const TraceHeader& header, const Span& run, std::string& out) override {
    if (run.empty()) return;
    add_event(out, static_cast<std::uint64_t>(run.start.value), kSliceBegin, kRoot, [&](Event& event) {
      event.add_string(EventField::kName, header.title);
      for (const auto& [name, value] : header.facts) add_text_argument(event, name, value);
    });
    add_end(out, run.end, kRoot);
  }

 private:
  /// The id of a stage's name, which is written before its first use. Ids begin at 1: 0 means that there is none.
  std::uint64_t interned(const Stage& stage, std::string& out) {
    const auto [entry, first] = stages_.try_emplace(stage.name, stages_.size() + 1);
    if (first) {
      Trace trace(out);
      Packet packet(trace, TraceField::kPacket);
      packet.add_uint32(PacketField::kSequenceId, kSequence);
      packet.add_uint32(PacketField::kSequenceFlags, kNeedsState);
      Interned data(packet, PacketField::kInternedData);
      add_interned(data, InternedField::kCategories, entry->second, stage.name);
      add_interned(data, InternedField::kNames, entry->second, stage.name);
    }
    return entry->second;
  }

  std::map<std::string_view, std::uint64_t> stages_;
};

}  // namespace

std::unique_ptr<TraceEncoding> perfetto_encoding() { return std::make_unique<PerfettoEncoding>(); }

}  // namespace kernbench
