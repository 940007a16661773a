// Collects what a RankTrace keeps while a file is parsed.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "benches/traces/events/event_parser.hpp"
#include "benches/traces/events/event_times.hpp"
#include "benches/traces/events/read_rank_trace.hpp"

namespace kernbench::traces {

class RankTraceBuilder : public EventSink {
 public:
  explicit RankTraceBuilder(const TraceReadOptions& options) : options_(options) {}

  [[nodiscard]] bool wants(EventCategory category, std::string_view name) override;
  void first_time(std::string_view digits) override;
  [[nodiscard]] std::string take(const TraceEvent& event) override;

  /// Links and sorts what was taken. Throws ConfigError (without the file's name) where no GPU event was.
  [[nodiscard]] RankTrace finish();

 private:
  /// Annotations of one number, or of one external id, hull of their times.
  struct Mark {
    std::int64_t number = -1;
    EventTimes times;
  };
  using Marks = std::map<std::string, Mark>;

  [[nodiscard]] bool is_step(std::string_view name) const;
  TraceId name_id(std::string_view name);
  TraceId track_id(const TraceEvent& event);
  TraceId shape_id(const TraceEvent& event);
  TraceId collective_id(const TraceEvent& event);
  GpuActivity activity_of(const TraceEvent& event, TraceId name);
  [[nodiscard]] bool is_named_like_gemm(TraceId name);
  void take_gpu_event(const TraceEvent& event, EventTimes times);
  void take_mark(const TraceEvent& event, EventTimes times);
  void make_steps();

  const TraceReadOptions& options_;
  RankTrace trace_;
  Int128 origin_ = 0;
  std::deque<std::uint64_t> external_ids_;  ///< of GPU events
  std::unordered_map<std::string, TraceId> name_ids_;
  std::string key_;  ///< of a look-up, kept for its memory
  std::unordered_map<std::string, TraceId> shape_ids_;
  std::unordered_map<std::string, TraceId> signature_ids_;
  std::vector<std::int8_t>
      is_communication_;              ///< of names: 1 by --comm, 2 by its own words, 0 no, -1 not looked at yet
  std::vector<std::int8_t> is_gemm_;  ///< of names: 1 yes, 0 no, -1 not looked at yet
  Marks gpu_marks_;
  Marks cpu_marks_;
  std::uint64_t without_time_ = 0;
};

}  // namespace kernbench::traces
