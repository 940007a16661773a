#include "benches/gpu/collectives/checked_collectives.hpp"

#include <algorithm>
#include <cmath>

#include "benches/gpu/collectives/expected.hpp"
#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/run_cases.hpp"

namespace kernbench::gpu {

CheckedCollectives::CheckedCollectives(int gpus, int channels, std::int64_t most_bytes)
    : channels_(channels), most_bytes_(most_bytes), ranks_(gpus), communicators_(gpus, channels) {
  for (int rank = 0; rank < gpus; ++rank) {
    const UseDevice use(rank);
    in_.emplace_back(static_cast<std::size_t>(most_bytes));
    out_.emplace_back(static_cast<std::size_t>(most_bytes));
    fill_contribution(in_.back().as<float>(), most_bytes / 4, rank, ranks_.stream(rank).get());
    ranks_.stream(rank).synchronize();
  }
}

bool CheckedCollectives::serve(int gpus, int channels, std::int64_t bytes) const {
  return ranks_.size() == gpus && channels_ == channels && bytes <= most_bytes_;
}

CheckedCollectives::Measured CheckedCollectives::measure(const std::string& collective, std::int64_t bytes,
                                                         const SampleLimits& limits, RankLaunch launch) {
  if (bytes % (4 * static_cast<std::int64_t>(ranks_.size())) != 0) {
    throw NotSupported("the buffer does not divide into an fp32 part for each rank");
  }
  const std::int64_t count = bytes / 4;
  const EnqueueRank enqueue = [&](int rank, cudaStream_t stream) {
    const auto at = static_cast<std::size_t>(rank);
    communicators_.enqueue(collective, in_[at].as<const float>(), out_[at].as<float>(), count, rank, stream);
  };
  Measured measured;
  try {
    measured.error = largest_error(collective, count, enqueue);
    require_right(measured.error, 0);
    measured.samples = time_ranks(ranks_, enqueue, limits, launch);
  } catch (const GpuError&) {
    communicators_.abort();
    throw;
  }
  return measured;
}

/// NaN where any rank has one.
double CheckedCollectives::largest_error(const std::string& collective, std::int64_t count,
                                         const EnqueueRank& enqueue) {
  std::vector<double> errors(out_.size());
  ranks_.run([&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    const Stream& stream = ranks_.stream(rank);
    poison(out_[at].data(), static_cast<std::size_t>(count) * 4, stream.get());
    enqueue(rank, stream.get());
    const Event end;
    end.record(stream);
    wait_for(end, rank);
    errors[at] = collective_error(collective, out_[at].as<const float>(), count, rank, ranks_.size(), stream.get());
  });
  double largest = 0;
  for (const double error : errors) {
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

}  // namespace kernbench::gpu
