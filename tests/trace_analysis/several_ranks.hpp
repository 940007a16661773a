// Traces of several ranks written by hand: GEMM calls, collectives, other kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/alone_times.hpp"
#include "benches/traces/tables/trace_table.hpp"

/// One rank's events. Times are µs; correlations count up.
class RankEvents {
 public:
  /// A call of aten::mm, (16 x `k`) by (k x 8), whose kernel starts at `start`.
  RankEvents& gemm(const std::string& kernel, double start, double duration, int k = 4);
  RankEvents& kernel(const std::string& name, double start, double duration);
  struct Signature {
    std::string kind = "allreduce";
    std::int64_t elements = 1000;  ///< bf16, in and out
    std::int64_t sequence = -1;    ///< -1: not recorded
    std::int64_t group_size = 2;
    std::string group = "0";
    std::string ranks = "[0, 1]";
  };
  RankEvents& collective(double start, double duration, const Signature& signature);
  RankEvents& collective(double start, double duration) { return collective(start, duration, Signature{}); }
  /// Without name and ranks of its group.
  RankEvents& nameless(double start, double duration, std::int64_t group_size, const std::string& kind = "allreduce") {
    return collective(start, duration, {kind, 1000, -1, group_size, "", ""});
  }
  RankEvents& annotation(const std::string& name, double start, double duration);

  [[nodiscard]] kernbench::traces::PlacedTrace placed(std::int64_t rank, const kernbench::traces::TraceAxes& axes = {},
                                                      const std::string& fields = "") const;

 private:
  /// A launch at the next instant of the CPU, and the event.
  void add(const std::string& name, double start, double duration, const std::string& args);

  std::vector<std::string> events_;
  int launches_ = 0;
};

/// What a file of a run of so many ranks says, and its base time.
[[nodiscard]] std::string run_fields(std::int64_t world_size, std::int64_t base_time_ns = 1'000'000'000);

/// A column of a table, as CSV has its cells.
[[nodiscard]] std::vector<std::string> column_of(const kernbench::traces::TraceTable& table, const std::string& column);

/// Columns of the tables of collectives and of ranks; alone as `alone` has it.
[[nodiscard]] std::vector<std::string> of_collectives(const std::vector<kernbench::traces::PlacedTrace>& traces,
                                                      const std::string& column,
                                                      const kernbench::traces::AloneTimes& alone = {});
[[nodiscard]] std::vector<std::string> of_ranks(const std::vector<kernbench::traces::PlacedTrace>& traces,
                                                const std::string& column);
