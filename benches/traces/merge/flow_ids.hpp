// Flows: arrows from slice to slice, which a trace names by ids. Files have hundreds with one end only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benches/traces/events/rank_trace.hpp"

namespace kernbench::traces {

/// An end of a flow as it is written.
struct FlowPoint {
  std::uint64_t id = 0;
  char phase = 's';  ///< s begins, t passes, f ends
  TracePs time = 0;
  std::string body;  ///< what MergedEncoding::describe said of it
};

struct FlowCounts {
  std::uint64_t begins = 0;  ///< events, as all of these
  std::uint64_t ends = 0;
  std::uint64_t begins_without_end = 0;
  std::uint64_t ends_without_begin = 0;
  std::uint64_t begun_twice = 0;  ///< begins of a flow that has begun before

  [[nodiscard]] std::uint64_t without_partner() const { return begins_without_end + ends_without_begin; }
};

/// Which flows of a rank have both ends: 8 bytes an end.
class FlowIds {
 public:
  /// `key` stands for category and id.
  void add(std::uint64_t key, char phase);
  /// No more will be added. Flows with both ends are numbered from `first` on.
  void finish(std::uint64_t first);

  /// The number of a flow that has both ends.
  [[nodiscard]] std::optional<std::uint64_t> number(std::uint64_t key) const;
  [[nodiscard]] std::uint64_t paired() const { return paired_.size(); }
  [[nodiscard]] const FlowCounts& counts() const { return counts_; }

 private:
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint64_t> paired_;  ///< sorted
  std::uint64_t first_ = 0;
  FlowCounts counts_;
};

}  // namespace kernbench::traces
