// What is kept of a file of Perfetto's packets while it is read.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sim/system/trace/perfetto_packets.hpp"

namespace kernbench::traces {

/// A field as the reader has it.
template <typename Field>
constexpr perfetto::Tag tag_of(Field field) {
  return static_cast<perfetto::Tag>(field);
}

/// What is kept of an event.
struct StoredEvent {
  std::int32_t type = 0;
  std::uint32_t category = 0;
};

struct PacketEvent {
  StoredEvent stored;
  std::uint64_t track = 0;
  std::string_view name;
  std::string_view category;
  std::uint64_t correlation = 0;
  std::string_view merge;
};

struct TrackFacts {
  std::string name;
  std::optional<std::int64_t> pid;
  std::optional<std::int64_t> rank;
  bool is_described = false;
  std::uint64_t first_id = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_id = 0;
};

using Names = std::unordered_map<std::uint64_t, std::string>;
struct InternedNames {
  Names categories;
  Names names;
  Names arguments;
};

}  // namespace kernbench::traces
