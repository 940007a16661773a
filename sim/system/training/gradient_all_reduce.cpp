#include "sim/system/training/gradient_all_reduce.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace kernbench {

namespace {

CollectiveRails rails_for(const PlannedTraining& training, std::int64_t elements) {
  const GridSpec& packages = training.machine.system.packages;
  CollectiveRequest request;
  request.collective = Collective::kAllReduce;
  request.count = elements;
  request.grid.packages = {static_cast<std::int32_t>(packages.rows), static_cast<std::int32_t>(packages.columns)};
  return generate_rails(find_collective_algorithm("ring"), request, training.setup.channels);
}

}  // namespace

GradientAllReduce::GradientAllReduce(System& system, const PlannedTraining& training, const GradientBucket& bucket,
                                     std::vector<Picoseconds> earliest, GradientAllReduce* before)
    : calendar_(system.calendar()),
      before_(before),
      ranks_(earliest.size()),
      rails_(rails_for(training, bucket.elements),
             {.reserved = training.machine.pe.tcm.capacity,  // so that the buffers lie in the partitions
              .pes_of_rank = training.pes_of_rank(),
              .gates = this}) {
  if (before_ != nullptr) before_->after_ = this;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    ranks_[rank].gradients_left = bucket.gemms;
    ranks_[rank].earliest = earliest[rank];
    ranks_[rank].threads_left = rails_.threads(static_cast<std::int32_t>(rank));
    gates_.emplace_back(calendar_, "all_reduce of rank " + std::to_string(rank));
  }
}

void GradientAllReduce::add_gradient(std::int32_t rank) {
  --of(rank).gradients_left;
  try_to_begin(rank);
}

void GradientAllReduce::try_to_begin(std::int32_t rank) {
  Rank& here = of(rank);
  if (here.gradients_left > 0 || here.start || (before_ != nullptr && !before_->of(rank).end)) return;
  here.start = std::max(calendar_.now(), here.earliest);
  if (before_ != nullptr) here.start = std::max(*here.start, *before_->of(rank).end);
  opened(rank).complete(*here.start);
  if (here.threads_left == 0) ended(rank, *here.start);
}

void GradientAllReduce::thread_ended(std::int32_t rank) {
  if (--of(rank).threads_left == 0) ended(rank, calendar_.now());
}

void GradientAllReduce::ended(std::int32_t rank, Picoseconds at) {
  of(rank).end = at;
  if (after_ != nullptr) after_->try_to_begin(rank);
}

WorkTimes GradientAllReduce::times(std::int32_t rank) const {
  const Rank& here = ranks_.at(static_cast<std::size_t>(rank));
  return {here.start.value(), here.end.value()};
}

}  // namespace kernbench
