// A small training run that a seed draws, simulated, written as traces and read back, beside what is true of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"
#include "benches/traces/tables/causes.hpp"
#include "benches/traces/tables/collectives.hpp"

/// A GEMM call: what causes say of it, and its true parts in ps.
struct CausedGemm {
  std::int64_t step = 0;
  std::int64_t rank = 0;
  std::string gemm;
  kernbench::traces::GemmCause cause;
  std::int64_t alone = 0;
  std::int64_t clock = 0;
  std::int64_t extra = 0;
  std::int64_t contention = 0;
};

/// Of what a seed draws. But for kSmall and kOdd blocks of all_reduces are whole stripes (41.17).
enum class LayerSizes { kSmall, kLarge, kOdd };

class SimulatedRun {
 public:
  /// Four packages of a die of 8 PEs; sizes, channels, threads and slots follow from the seed. Injections as
  /// `--inject`, several with ; between, "" for none.
  SimulatedRun(unsigned seed, LayerSizes sizes, std::int64_t steps, const std::string& injections);
  /// As the seed draws it, in words.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// What was simulated: Row::timeline.
  [[nodiscard]] const kernbench::Json& timeline() const { return row_.timeline; }
  /// By rank.
  [[nodiscard]] const std::vector<kernbench::traces::PlacedTrace>& traces() const { return traces_; }
  /// In the order of the truth: step, rank, GEMM.
  [[nodiscard]] std::vector<CausedGemm> gemms() const;
  /// The one process group of all ranks.
  [[nodiscard]] const kernbench::traces::TimedGroup& group() const { return groups_.front(); }
  /// Of the collectives' starts, ps.
  [[nodiscard]] kernbench::traces::TracePs median_skew() const;

 private:
  std::string text_;
  kernbench::Row row_;
  std::vector<kernbench::traces::PlacedTrace> traces_;
  std::vector<kernbench::traces::TimedGroup> groups_;
};
