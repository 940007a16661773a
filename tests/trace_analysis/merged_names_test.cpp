// Names of slices in a merged file of Perfetto's format, read by its published field numbers alone.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/traces/merge/merge_traces.hpp"
#include "sim/base/read_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/trace_analysis/small_trace.hpp"

namespace {

using protozero::pbf_reader;

/// How often a slice begins at a time (ns) with a name.
using Begins = std::map<std::pair<std::int64_t, std::string>, int>;

/// TracePacket: timestamp 8, trusted_packet_sequence_id 10, track_event 11, interned_data 12. TrackEvent: type 9 (1: a
/// slice begins), name_iid 10, name 23. InternedData: event_names 2, of iid 1 and name 2.
class NameReader {
 public:
  explicit NameReader(const std::string& bytes) {
    pbf_reader trace(bytes);
    while (trace.next(1)) read_packet(trace.get_message());
  }
  [[nodiscard]] const Begins& begins() const { return begins_; }

 private:
  using Interned = std::map<std::pair<std::uint32_t, std::uint64_t>, std::string>;

  void read_packet(pbf_reader packet) {
    std::int64_t time = 0;
    std::uint32_t sequence = 0;
    std::string event;
    std::string interned;
    while (packet.next()) {
      if (packet.tag() == 8) {
        time = static_cast<std::int64_t>(packet.get_uint64());
      } else if (packet.tag() == 10) {
        sequence = packet.get_uint32();
      } else if (packet.tag() == 11) {
        event = packet.get_bytes();
      } else if (packet.tag() == 12) {
        interned = packet.get_bytes();
      } else {
        packet.skip();
      }
    }
    read_interned(sequence, interned);
    if (!event.empty()) read_event(time, sequence, event);
  }

  void read_interned(std::uint32_t sequence, const std::string& bytes) {
    pbf_reader data(bytes);
    while (data.next(2)) {
      pbf_reader entry = data.get_message();
      std::uint64_t id = 0;
      std::string name;
      while (entry.next()) {
        if (entry.tag() == 1) {
          id = entry.get_uint64();
        } else if (entry.tag() == 2) {
          name = entry.get_string();
        } else {
          entry.skip();
        }
      }
      names_[{sequence, id}] = name;
    }
  }

  void read_event(std::int64_t time, std::uint32_t sequence, const std::string& bytes) {
    pbf_reader event(bytes);
    int type = 0;
    std::string name;
    while (event.next()) {
      if (event.tag() == 9) {
        type = event.get_enum();
      } else if (event.tag() == 10) {
        name = names_.at({sequence, event.get_uint64()});
      } else if (event.tag() == 23) {
        name = event.get_string();
      } else {
        event.skip();
      }
    }
    if (type == 1) ++begins_[{time, name}];
  }

  Interned names_;
  Begins begins_;
};

}  // namespace

TEST_SUITE("ADR-0042") {
  TEST_CASE("42.1 slices in Perfetto's format begin when those of the inputs do, by their names") {
    const TemporaryFolder folder;
    Begins expected;
    int kernels = 0;
    for (int rank = 0; rank < 3; ++rank) {
      std::vector<std::string> events;
      for (int i = 0; i < 50; ++i) {
        const int start = 7 * i + rank;
        const std::string name = "kernel<" + std::to_string(i % 11) + "> µ \"" + std::to_string(rank);
        const std::string escaped = nlohmann::json(name).dump();
        events.push_back(event_text("kernel", escaped.substr(1, escaped.size() - 2), std::to_string(start), "20", "",
                                    R"("pid":0,"tid":7)"));
        ++expected[{1'000'000 + 1000 * start, name}];
        ++kernels;
      }
      kernbench::write_file(folder.path() / ("rank" + std::to_string(rank) + ".json"),
                            trace_text(events, R"("baseTimeNanoseconds":1000000)"));
    }
    const std::filesystem::path out = folder.path() / "all.pftrace";
    static_cast<void>(merge_traces(kernbench::traces::find_trace_files({folder.path()}, ""), out, {}));
    const NameReader read(kernbench::read_file(out));
    CHECK(expected.size() == static_cast<std::size_t>(kernels));
    CHECK(read.begins() == expected);
  }
}
