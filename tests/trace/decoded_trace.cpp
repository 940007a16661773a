// Field numbers as Perfetto's published schema has them, written down here a second time: a test that shared them with
// the writer could not find a wrong one.
#include "tests/trace/decoded_trace.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>

namespace {

using protozero::pbf_reader;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

struct RankedTrack {
  std::string name;
  std::int64_t rank = 0;
  std::uint64_t parent = 0;
};

struct TimedEvent {
  std::int64_t time = 0;
  int type = 0;
  std::uint64_t track = 0;
  DecodedSlice slice;
};

using Names = std::map<std::uint64_t, std::string>;

void read_names(pbf_reader entry, Names& names) {
  std::uint64_t iid = 0;
  std::string name;
  while (entry.next()) {
    if (entry.tag() == 1) {
      iid = entry.get_uint64();
    } else if (entry.tag() == 2) {
      name = entry.get_string();
    } else {
      entry.skip();
    }
  }
  require(names.emplace(iid, name).second && iid != 0, "an interned id is 0 or used twice");
}

class PerfettoDecoder {
 public:
  explicit PerfettoDecoder(const std::string& bytes) {
    pbf_reader trace(bytes);
    while (trace.next(1)) read_packet(trace.get_message());
  }

  DecodedTrace decode() {
    DecodedTrace trace;
    std::uint64_t root = 0;
    std::vector<std::pair<std::int64_t, std::string>> ranked;
    for (const auto& [uuid, track] : tracks_) {
      require(!track.name.empty(), "a track has no name");
      if (track.parent == 0) {
        require(root == 0, "two root tracks");
        root = uuid;
        trace.title = track.name;
      } else {
        ranked.emplace_back(track.rank, track.name);
      }
    }
    std::ranges::sort(ranked);
    for (const auto& entry : ranked) trace.tracks.push_back(entry.second);
    for (const DecodedSlice& slice : nest()) {
      if (slice.track == trace.title) {
        trace.run = slice;
      } else {
        trace.slices.push_back(slice);
      }
    }
    return trace;
  }

 private:
  void read_packet(pbf_reader packet) {
    std::optional<std::int64_t> time;
    std::uint32_t flags = 0;
    bool on_sequence = false;
    std::optional<pbf_reader> event;
    while (packet.next()) {
      switch (packet.tag()) {
        case 8:
          time = static_cast<std::int64_t>(packet.get_uint64());
          break;
        case 10:
          on_sequence = packet.get_uint32() != 0;
          break;
        case 11:
          event = packet.get_message();
          break;
        case 12:
          read_interned(packet.get_message());
          break;
        case 13:
          flags = packet.get_uint32();
          break;
        case 60:
          read_track(packet.get_message());
          break;
        default:
          throw std::runtime_error("a packet has the field " + std::to_string(packet.tag()));
      }
    }
    require(on_sequence, "a packet belongs to no sequence");
    if ((flags & 1U) != 0) cleared_ = true;
    if (!event) return;
    require(cleared_ && (flags & 2U) != 0, "an event does not say that it needs interned names");
    require(time.has_value(), "an event has no time");
    read_event(*event, *time);
  }

  void read_interned(pbf_reader data) {
    while (data.next()) {
      require(data.tag() >= 1 && data.tag() <= 3, "unknown interned data");
      Names& names = data.tag() == 1 ? categories_ : data.tag() == 2 ? names_ : arguments_;
      read_names(data.get_message(), names);
    }
  }

  void read_track(pbf_reader descriptor) {
    std::uint64_t uuid = 0;
    RankedTrack track;
    while (descriptor.next()) {
      switch (descriptor.tag()) {
        case 1:
          uuid = descriptor.get_uint64();
          break;
        case 2:
          track.name = descriptor.get_string();
          break;
        case 5:
          track.parent = descriptor.get_uint64();
          break;
        case 11:
          require(descriptor.get_enum() == 3, "children are not ordered explicitly");
          break;
        case 12:
          track.rank = descriptor.get_int32();
          break;
        default:
          descriptor.skip();
      }
    }
    require(tracks_.emplace(uuid, track).second && uuid != 0, "a track's uuid is 0 or used twice");
  }

  void read_argument(pbf_reader annotation, DecodedSlice& slice) {
    std::string name;
    while (annotation.next()) {
      switch (annotation.tag()) {
        case 1:
          name = arguments_.at(annotation.get_uint64());
          break;
        case 10:
          name = annotation.get_string();
          break;
        case 3:
          slice.numbers[name] = static_cast<std::int64_t>(annotation.get_uint64());
          break;
        case 6:
          slice.texts[name] = annotation.get_string();
          break;
        default:
          throw std::runtime_error("unknown argument field");
      }
    }
  }

  void read_event(pbf_reader event, std::int64_t time) {
    TimedEvent read;
    read.time = time;
    while (event.next()) {
      switch (event.tag()) {
        case 3:
          read.slice.category = categories_.at(event.get_uint64());
          break;
        case 4:
          read_argument(event.get_message(), read.slice);
          break;
        case 9:
          read.type = event.get_enum();
          break;
        case 10:
          read.slice.name = names_.at(event.get_uint64());
          break;
        case 11:
          read.track = event.get_uint64();
          break;
        case 23:
          read.slice.name = event.get_string();
          break;
        case 47:
          read.slice.flow = event.get_fixed64();
          break;
        default:
          throw std::runtime_error("unknown event field");
      }
    }
    require(tracks_.contains(read.track), "an event comes before its track");
    read.slice.track = tracks_.at(read.track).name;
    events_.push_back(std::move(read));
  }

  /// Slices in the order of their begins.
  std::vector<DecodedSlice> nest() {
    std::ranges::stable_sort(events_, {}, &TimedEvent::time);
    std::vector<DecodedSlice> slices;
    std::map<std::uint64_t, std::size_t> open;
    for (const TimedEvent& event : events_) {
      if (event.type == 1) {
        require(open.emplace(event.track, slices.size()).second, "slices overlap on " + event.slice.track);
        slices.push_back(event.slice);
        slices.back().start_ps = event.time;
      } else {
        require(event.type == 2 && open.contains(event.track), "an end without a begin on " + event.slice.track);
        slices[open.at(event.track)].end_ps = event.time;
        open.erase(event.track);
      }
    }
    require(open.empty(), "a slice has no end");
    return slices;
  }

  bool cleared_ = false;
  Names categories_;
  Names names_;
  Names arguments_;
  std::map<std::uint64_t, RankedTrack> tracks_;
  std::vector<TimedEvent> events_;
};

std::int64_t picoseconds(const nlohmann::json& microseconds) { return std::llround(microseconds.get<double>() * 1e6); }

}  // namespace

std::string read_decompressed(const std::filesystem::path& path) {
  gzFile file = ::gzopen(path.c_str(), "rb");
  require(file != nullptr, "cannot open " + path.string());
  std::string bytes;
  std::array<char, 65536> buffer{};
  int count = 0;
  while ((count = ::gzread(file, buffer.data(), buffer.size())) > 0) {
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
  require(count == 0 && ::gzclose(file) == Z_OK, path.string() + " is cut short");
  return bytes;
}

DecodedTrace decode_perfetto(const std::string& bytes) { return PerfettoDecoder(bytes).decode(); }

DecodedTrace decode_chrome(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  DecodedTrace trace;
  std::map<std::int64_t, RankedTrack> tracks;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") != "M") continue;
    const std::int64_t thread = event.at("tid");
    if (event.at("name") == "process_name") trace.title = event.at("args").at("name");
    if (event.at("name") == "thread_name") tracks[thread].name = event.at("args").at("name");
    if (event.at("name") == "thread_sort_index") tracks[thread].rank = event.at("args").at("sort_index");
  }
  std::map<std::string, std::int64_t> free_at;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    DecodedSlice slice;
    slice.track = tracks.at(event.at("tid").get<std::int64_t>()).name;
    slice.name = event.at("name");
    slice.category = event.at("cat");
    slice.start_ps = picoseconds(event.at("ts"));
    slice.end_ps = slice.start_ps + picoseconds(event.at("dur"));
    for (const auto& [name, value] : event.at("args").items()) {
      if (value.is_string()) {
        slice.texts[name] = value;
      } else {
        slice.numbers[name] = value;
      }
    }
    require(slice.start_ps >= free_at[slice.track], "slices overlap on " + slice.track);
    free_at[slice.track] = slice.end_ps;
    if (slice.category == "run") {
      trace.run = slice;
    } else {
      trace.slices.push_back(slice);
    }
  }
  std::ranges::stable_sort(trace.slices, {}, &DecodedSlice::start_ps);
  std::vector<std::pair<std::int64_t, std::string>> ranked;
  for (const auto& entry : tracks) {
    if (entry.second.rank >= 0) ranked.emplace_back(entry.second.rank, entry.second.name);
  }
  std::ranges::sort(ranked);
  for (const auto& entry : ranked) trace.tracks.push_back(entry.second);
  return trace;
}
