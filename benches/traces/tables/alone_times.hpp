// How long a collective takes where nothing runs beside it: from reference data of the device (ADR-0040, 40.23).
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "benches/results/rows/results.hpp"
#include "sim/base/units.hpp"

namespace kernbench::traces {

struct AloneTime {
  Picoseconds time;
  bool is_measured = true;  ///< else between the two measured sizes around it
};

/// Of one device, from rows of "gpu-collectives" with the setting "default".
class AloneTimes {
 public:
  AloneTimes() = default;  ///< knows none
  explicit AloneTimes(const Results& results);

  /// `collective`: as reference data call it, "all_reduce". Between two measured sizes the line through them; nothing
  /// beyond.
  [[nodiscard]] std::optional<AloneTime> at(const std::string& collective, std::int64_t ranks,
                                            std::int64_t bytes) const;

 private:
  struct Kind {
    std::string collective;
    std::int64_t ranks = 0;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, std::map<std::int64_t, double>> times_ns_;  ///< by bytes
};

/// Of the device of that name ("NVIDIA H200") below `root`; knows none where there is no such data. Throws ConfigError
/// for data that cannot be read.
[[nodiscard]] AloneTimes read_alone_times(const std::filesystem::path& root, const std::string& device);

}  // namespace kernbench::traces
