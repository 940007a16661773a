#include "sim/system/collective/rank_values.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/system/bf16.hpp"

namespace kernbench {

namespace {

constexpr double kUnitRoundoff = 1.0 / 256;  // bf16: 8 significant bits, rounded to nearest
double round_to_bf16(double value) { return static_cast<float>(Bf16(static_cast<float>(value))); }

constexpr std::int64_t kMostValues = 1 << 28;

std::string element_of(std::int32_t rank, std::int64_t element) {
  return "rank " + std::to_string(rank) + ", element " + std::to_string(element);
}

}  // namespace

RankValues::RankValues(const CollectiveSchedule& schedule, CollectiveValues kind, std::uint64_t seed)
    : schedule_(schedule), kind_(kind) {
  if (kind == CollectiveValues::kNone) return;
  if (schedule.size() * schedule.elements > kMostValues) {
    throw ConfigError("--verify keeps every element of every rank: expected at most " + std::to_string(kMostValues) +
                      " elements in all, got " + std::to_string(schedule.size()) + " ranks x " +
                      std::to_string(schedule.elements) + "; take a smaller message or fewer ranks");
  }
  std::mt19937_64 random(seed);
  for (std::int32_t rank = 0; rank < schedule.size(); ++rank) {
    std::vector<double>& buffer = initial_.emplace_back(static_cast<std::size_t>(schedule.elements));
    for (double& value : buffer) {
      const auto integer = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000);
      value = kind == CollectiveValues::kIntegers ? integer : round_to_bf16(integer / 256);
    }
  }
  buffers_ = initial_;
}

std::vector<double> RankValues::taken(std::int32_t rank, std::int64_t first, std::int64_t count) const {
  if (kind_ == CollectiveValues::kNone) return {};
  const auto begin = buffers_.at(static_cast<std::size_t>(rank)).begin() + first;
  return {begin, begin + count};
}

void RankValues::replace(std::int32_t rank, std::int64_t first, const std::vector<double>& values) {
  if (kind_ == CollectiveValues::kNone) return;
  std::ranges::copy(values, buffers_.at(static_cast<std::size_t>(rank)).begin() + first);
}

void RankValues::add(std::int32_t rank, std::int64_t first, const std::vector<double>& values) {
  if (kind_ == CollectiveValues::kNone) return;
  auto element = buffers_.at(static_cast<std::size_t>(rank)).begin() + first;
  for (const double value : values) {
    *element += value;
    if (kind_ == CollectiveValues::kBf16) *element = round_to_bf16(*element);
    ++element;
  }
}

ElementRange RankValues::result(std::int32_t rank) const {
  switch (schedule_.collective) {
    case Collective::kReduceScatter:
      return balanced_block(schedule_.count, schedule_.size(), rank);
    case Collective::kReduce:
      return {0, rank == schedule_.root ? schedule_.count : 0};
    case Collective::kAllToAll:
      return {schedule_.count, schedule_.count};
    case Collective::kAllReduce:
    case Collective::kAllGather:
    case Collective::kBroadcast:
      return {0, schedule_.count};
  }
  return {};
}

RankValues::Expected RankValues::sum(std::int64_t element) const {
  double total = 0;
  double magnitude = 0;
  for (const auto& buffer : initial_) {
    total += buffer[static_cast<std::size_t>(element)];
    magnitude += std::abs(buffer[static_cast<std::size_t>(element)]);
  }
  if (kind_ != CollectiveValues::kBf16) return {total, 0};
  // Whatever the order, no value passes more than n - 1 additions: (1 + u)^(n - 1) - 1 of the sum of magnitudes.
  return {total, std::expm1(static_cast<double>(initial_.size() - 1) * std::log1p(kUnitRoundoff)) * magnitude};
}

RankValues::Expected RankValues::expected(std::int32_t rank, std::int64_t element) const {
  const auto from = [&](std::int64_t owner, std::int64_t there) {
    return Expected{initial_.at(static_cast<std::size_t>(owner)).at(static_cast<std::size_t>(there)), 0};
  };
  switch (schedule_.collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kReduce:
      return sum(element);
    case Collective::kBroadcast:
      return from(schedule_.root, element);
    case Collective::kAllGather: {
      std::int64_t owner = 0;
      for (; owner < schedule_.size(); ++owner) {
        const ElementRange block = balanced_block(schedule_.count, schedule_.size(), owner);
        if (element < block.first + block.count) break;
      }
      return from(owner, element);
    }
    case Collective::kAllToAll: {
      const std::int64_t block = schedule_.count / schedule_.size();
      const std::int64_t output = element - schedule_.count;
      return from(output / block, rank * block + output % block);
    }
  }
  return {};
}

double RankValues::check() const {
  if (kind_ == CollectiveValues::kNone) return 0;
  double largest = 0;
  const bool same_everywhere =
      schedule_.collective != Collective::kAllToAll;  // then an element's reference does not depend on the rank
  std::vector<Expected> known(static_cast<std::size_t>(same_everywhere ? schedule_.elements : 0), {0, -1});
  for (std::int32_t rank = 0; rank < schedule_.size(); ++rank) {
    const auto [first, count] = result(rank);
    for (std::int64_t element = first; element < first + count; ++element) {
      Expected reference;
      if (same_everywhere) {
        Expected& kept = known[static_cast<std::size_t>(element)];
        if (kept.bound < 0) kept = expected(rank, element);
        reference = kept;
      } else {
        reference = expected(rank, element);
      }
      const double got = buffers_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(element)];
      const double error = std::abs(got - reference.value);
      if (!(error <= reference.bound)) {
        throw SimulationError("wrong result: " + element_of(rank, element) + ": expected " +
                              std::to_string(reference.value) + " within " + std::to_string(reference.bound) +
                              ", got " + std::to_string(got));
      }
      if (reference.bound > 0) largest = std::max(largest, error / reference.bound);
    }
  }
  return largest;
}

}  // namespace kernbench
