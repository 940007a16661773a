// Who a track of Perfetto is of: the ids and the name of a process, or of a thread.
#pragma once

#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string>

namespace kernbench::traces {

struct PerfettoIds {
  std::int64_t pid = 0;
  std::optional<std::int64_t> tid;
  std::optional<std::string> name;
};

/// Of a message whose fields have these tags; 0: it has no such field.
inline PerfettoIds read_ids(protozero::pbf_reader message, std::uint32_t pid, std::uint32_t tid, std::uint32_t name) {
  PerfettoIds ids;
  while (message.next()) {
    if (message.tag() == pid) {
      ids.pid = message.get_int32();
    } else if (message.tag() == tid) {
      ids.tid = message.get_int64();
    } else if (message.tag() == name) {
      ids.name = message.get_string();
    } else {
      message.skip();
    }
  }
  return ids;
}

}  // namespace kernbench::traces
