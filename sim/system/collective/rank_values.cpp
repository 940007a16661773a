#include "sim/system/collective/rank_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "sim/base/bf16.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

constexpr double kUnitRoundoff = 1.0 / 256;  // bf16: 8 significant bits, rounded to nearest
float round_to_bf16(float value) { return static_cast<float>(Bf16(value)); }

constexpr std::int64_t kMostValues = 1 << 29;  // two buffers of 4 bytes each: 4 GiB

}  // namespace

RankValues::RankValues(const CollectiveSchedule& schedule, CollectiveValues kind, std::uint64_t seed, Rail rail)
    : schedule_(schedule), kind_(kind), rail_(rail) {
  if (kind == CollectiveValues::kNone) return;
  if (saturating_multiply(schedule.size(), saturating_multiply(rail.of, schedule.elements)) > kMostValues) {
    throw ConfigError("--verify keeps every element of every rank: expected at most " + std::to_string(kMostValues) +
                      " elements in all, got " + std::to_string(schedule.size()) + " ranks x " +
                      (rail.of == 1 ? "" : std::to_string(rail.of) + " PEs x ") + std::to_string(schedule.elements) +
                      "; take a smaller message or fewer ranks");
  }
  // Sums of integers are exact in a float as long as they are below 2^24: up to 16777 ranks of at most 1000.
  if (schedule.size() > 16'777) throw ConfigError("--verify adds integers exactly for at most 16777 ranks");
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(rail.number));
  for (std::int32_t rank = 0; rank < schedule.size(); ++rank) {
    std::vector<float>& buffer = initial_.emplace_back(static_cast<std::size_t>(schedule.elements));
    for (float& value : buffer) {
      const auto integer = static_cast<float>(static_cast<std::int64_t>(random() % 2001) - 1000);
      value = kind == CollectiveValues::kIntegers ? integer : round_to_bf16(integer / 256);
    }
  }
  buffers_.resize(initial_.size());
}

std::string RankValues::rank_text(std::int32_t rank) const { return "rank " + std::to_string(rank) + rail_.text(); }

void RankValues::place(std::int32_t rank, ValueStore* store, Address base) {
  if (kind_ == CollectiveValues::kNone) return;
  buffers_.at(static_cast<std::size_t>(rank)) = {store, base};
  const std::vector<float>& initial = initial_.at(static_cast<std::size_t>(rank));
  for (std::int64_t element = 0; element < schedule_.elements; ++element) {
    store->set(base + element * kElementBytes, initial[static_cast<std::size_t>(element)]);
  }
}

AddValues RankValues::add() const {
  using Values = std::span<float>;
  if (kind_ == CollectiveValues::kBf16) {
    return [](std::span<const float> held, Values received, Dtype /*dtype*/) {
      std::ranges::transform(held, received, received.begin(), [](float a, float b) { return round_to_bf16(a + b); });
    };
  }
  return [](std::span<const float> held, Values received, Dtype /*dtype*/) {
    std::ranges::transform(held, received, received.begin(), std::plus<>());
  };
}

void RankValues::copy(std::int32_t rank, std::int64_t first, std::int64_t from, std::int64_t count, Picoseconds now) {
  if (kind_ == CollectiveValues::kNone) return;
  const auto& [store, base] = buffers_.at(static_cast<std::size_t>(rank));
  const Bytes bytes = count * kElementBytes;
  store->touch({base + from * kElementBytes, 1, bytes, bytes}, false, "a copy of " + rank_text(rank), now,
               store->draw_ticket());
  store->touch({base + first * kElementBytes, 1, bytes, bytes}, true, "a copy of " + rank_text(rank), now,
               store->draw_ticket());
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(store->get(base + (from + i) * kElementBytes));
  for (std::int64_t i = 0; i < count; ++i) {
    store->set(base + (first + i) * kElementBytes, values[static_cast<std::size_t>(i)]);
  }
}

double RankValues::bound(std::int64_t element) const {
  const bool adds = schedule_.collective == Collective::kAllReduce || schedule_.collective == Collective::kReduce ||
                    schedule_.collective == Collective::kReduceScatter;
  if (kind_ != CollectiveValues::kBf16 || !adds) return 0;
  double magnitude = 0;
  for (const auto& buffer : initial_)
    magnitude += std::abs(static_cast<double>(buffer[static_cast<std::size_t>(element)]));
  // Whatever the order, no value passes more than n - 1 additions: (1 + u)^(n - 1) - 1 of the sum of magnitudes.
  return std::expm1(static_cast<double>(initial_.size() - 1) * std::log1p(kUnitRoundoff)) * magnitude;
}

double RankValues::check() const {
  if (kind_ == CollectiveValues::kNone) return 0;
  double largest = 0;
  // But for all_to_all an element's reference is the same for every rank.
  const bool same_everywhere = schedule_.collective != Collective::kAllToAll;
  std::vector<std::optional<Expected>> known(static_cast<std::size_t>(same_everywhere ? schedule_.elements : 0));
  for (std::int32_t rank = 0; rank < schedule_.size(); ++rank) {
    const ElementRange result = defined_result(schedule_, rank);
    for (std::int64_t element = result.first; element < result.first + result.count; ++element) {
      const auto calculate = [&] {
        return Expected{reference_value<float, double>(schedule_, initial_, rank, element), bound(element)};
      };
      std::optional<Expected> own;
      std::optional<Expected>& reference = same_everywhere ? known[static_cast<std::size_t>(element)] : own;
      if (!reference) reference = calculate();
      const auto& [store, base] = buffers_[static_cast<std::size_t>(rank)];
      const double got = store->get(base + element * kElementBytes);
      const double error = std::abs(got - reference->value);
      if (!(error <= reference->bound)) {
        throw SimulationError("wrong result: " + rank_text(rank) + ", element " + std::to_string(element) +
                              ": expected " + std::to_string(reference->value) + " within " +
                              std::to_string(reference->bound) + ", got " + std::to_string(got));
      }
      if (reference->bound > 0) largest = std::max(largest, error / reference->bound);
    }
  }
  return largest;
}

}  // namespace kernbench
