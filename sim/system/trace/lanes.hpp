// Which track a record goes on: an engine that overlaps its operations gets as many lanes as it overlaps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/system/trace/trace_encoding.hpp"

namespace kernbench {

class Lanes {
 public:
  struct Place {
    const Track& track;
    bool first;  ///< nothing was on this track before
  };

  /// The first lane of the engine that is free at `op.start`; a new one where none is. A lane is free from the end of
  /// its latest slice on, so slices on a track never overlap, in whatever order the records come.
  Place place(std::string_view engine, const Stage& stage, const OpRecord& op);

 private:
  struct Lane {
    Track track;
    Picoseconds free_at;
  };
  struct Engine {
    std::int32_t rank = 0;
    std::vector<Lane> lanes;
  };

  Engine& engine_of(std::string_view name, const Stage& stage);

  std::map<std::string, Engine, std::less<>> engines_;
  std::vector<std::string> groups_;  ///< "pe0", in the order of first use
  std::int64_t tracks_ = 0;
};

}  // namespace kernbench
