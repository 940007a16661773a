// Perfetto's packets, as the simulator's traces and merged ones are made of them. Field numbers are those of
// perfetto/trace/trace.proto and the files it imports.
#pragma once

#include <cstdint>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <string_view>

namespace kernbench::perfetto {

using Tag = protozero::pbf_tag_type;

enum class TraceField : Tag { kPacket = 1 };
enum class PacketField : Tag {
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60
};
enum class DescriptorField : Tag {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
  kChildOrdering = 11,
  kSiblingOrderRank = 12,
  kDescription = 14
};
enum class EventField : Tag {
  kCategoryIids = 3,
  kDebugAnnotations = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kCategories = 22,
  kName = 23,
  kFlowIds = 47
};
enum class ProcessField : Tag { kPid = 1, kSortIndex = 3, kName = 6 };
enum class ThreadField : Tag { kPid = 1, kTid = 2, kSortIndex = 3, kName = 5 };
enum class AnnotationField : Tag {
  kNameIid = 1,
  kBool = 2,
  kUint = 3,
  kInt = 4,
  kDouble = 5,
  kString = 6,
  kLegacyJson = 9,
  kName = 10
};
enum class InternedField : Tag { kCategories = 1, kNames = 2, kAnnotationNames = 3 };
enum class InternedNameField : Tag { kIid = 1, kName = 2 };

using Trace = protozero::pbf_builder<TraceField>;
using Packet = protozero::pbf_builder<PacketField>;
using Descriptor = protozero::pbf_builder<DescriptorField>;
using Event = protozero::pbf_builder<EventField>;
using Annotation = protozero::pbf_builder<AnnotationField>;
using Interned = protozero::pbf_builder<InternedField>;
using InternedName = protozero::pbf_builder<InternedNameField>;

inline constexpr std::uint32_t kSequence = 1;
inline constexpr std::uint32_t kStateCleared = 1;  // SEQ_INCREMENTAL_STATE_CLEARED
inline constexpr std::uint32_t kNeedsState = 2;    // SEQ_NEEDS_INCREMENTAL_STATE
inline constexpr std::int32_t kSliceBegin = 1;
inline constexpr std::int32_t kSliceEnd = 2;
inline constexpr std::int32_t kInstant = 3;
inline constexpr std::int32_t kExplicitOrder = 3;
/// A track's description: times of the file are not what the format takes them for.
inline constexpr std::string_view kPicosecondsAsNs = "Times are in picoseconds, written as nanoseconds.";

inline void add_interned(Interned& data, InternedField field, std::uint64_t iid, std::string_view name) {
  InternedName entry(data, field);
  entry.add_uint64(InternedNameField::kIid, iid);
  entry.add_string(InternedNameField::kName, name.data(), name.size());
}

/// A packet that holds one event of a track; `fill` adds what the event needs beyond its type.
template <typename Fill>
void add_event(std::string& out, std::uint64_t at, std::int32_t type, std::uint64_t track, const Fill& fill) {
  Trace trace(out);
  Packet packet(trace, TraceField::kPacket);
  packet.add_uint64(PacketField::kTimestamp, at);
  packet.add_uint32(PacketField::kSequenceId, kSequence);
  packet.add_uint32(PacketField::kSequenceFlags, kNeedsState);
  Event event(packet, PacketField::kTrackEvent);
  event.add_enum(EventField::kType, type);
  event.add_uint64(EventField::kTrackUuid, track);
  fill(event);
}

}  // namespace kernbench::perfetto
