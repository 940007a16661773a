#include "sim/hw/values/value_store.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

namespace {

constexpr float kNobodyWrote = std::numeric_limits<float>::quiet_NaN();
// Of values: 8, 16 or 32 GiB of memory; what a run needs is checked before it.
constexpr Address kMostBytes = Address{4} << 30;

Address end_of(const Block& block) { return block.address + (block.rows - 1) * block.stride + block.row_bytes; }

/// The rows of `block` that may have something in common with [begin, end).
bool has_row_in(const Block& block, Address begin, Address end) {
  std::int64_t row = 0;
  if (block.stride > 0 && begin > block.address) {
    row = std::max<std::int64_t>(0, (begin - block.address - block.row_bytes) / block.stride);
  }
  for (; row < block.rows; ++row) {
    const Address from = block.address + row * block.stride;
    if (from >= end) return false;
    if (from + block.row_bytes > begin) return true;
  }
  return false;
}

std::string place_of(const Block& block) {
  return "bytes " + std::to_string(block.address) + " to " + std::to_string(end_of(block) - 1);
}

}  // namespace

bool overlap(const Block& a, const Block& b) {
  if (a.rows == 0 || b.rows == 0 || a.address >= end_of(b) || b.address >= end_of(a)) return false;
  const Block& few = a.rows < b.rows ? a : b;
  const Block& many = a.rows < b.rows ? b : a;
  for (std::int64_t row = 0; row < few.rows; ++row) {
    const Address from = few.address + row * few.stride;
    if (has_row_in(many, from, from + few.row_bytes)) return true;
  }
  return false;
}

void ValueStore::check(std::int64_t half_bytes) const {
  if (half_bytes >= 0 && half_bytes < 2 * kMostBytes) return;
  throw SimulationError("verification: address " + std::to_string(half_bytes / 2) + " of " + name_ +
                        ": expected 0 to " + std::to_string(kMostBytes - 1));
}

/// Makes room for twice as many elements.
void ValueStore::split() {
  std::vector<float> twice(2 * values_.size(), kNobodyWrote);
  for (std::size_t i = 0; i < values_.size(); ++i) twice[2 * i] = values_[i];
  values_ = std::move(twice);
  half_bytes_each_ /= 2;
}

float ValueStore::at(std::int64_t half_bytes) const {
  check(half_bytes);
  if (half_bytes % half_bytes_each_ != 0) return kNobodyWrote;
  const auto place = static_cast<std::size_t>(half_bytes / half_bytes_each_);
  return place < values_.size() ? values_[place] : kNobodyWrote;
}

void ValueStore::put(std::int64_t half_bytes, float value) {
  check(half_bytes);
  while (half_bytes % half_bytes_each_ != 0) split();
  const auto place = static_cast<std::size_t>(half_bytes / half_bytes_each_);
  if (place >= values_.size()) values_.resize(place + 1, kNobodyWrote);
  values_[place] = value;
}

/// With accesses that are not over, and began before now or were opened before `ticket`.
void ValueStore::refuse_races(const Block& block, bool writes, const std::string& who, Picoseconds now, Open ticket) {
  std::erase_if(open_, [now](const Access& other) { return other.until <= now; });
  for (const Access& other : open_) {
    const bool later = other.since >= now && other.number >= ticket;
    if (later || !(writes || other.writes) || !overlap(block, other.block)) continue;
    const auto does = [](bool write) { return write ? " writes " : " reads "; };
    throw SimulationError("race in " + name_ + ": at " + format_quantity(now.value, Dimension::kTime) + " " + who +
                          does(writes) + place_of(block) + ", while " + other.who + does(other.writes) +
                          place_of(other.block) + " since " + format_quantity(other.since.value, Dimension::kTime) +
                          "; nothing orders the two: wait for one before the other, or use another buffer");
  }
}

ValueStore::Open ValueStore::open(const Block& block, bool writes, std::string who, Picoseconds now) {
  refuse_races(block, writes, who, now, next_);
  open_.push_back({next_, block, writes, std::move(who), now, kForever});
  return next_++;
}

void ValueStore::touch(const Block& block, bool writes, const std::string& who, Picoseconds now, Open ticket) {
  refuse_races(block, writes, who, now, ticket);
}

void ValueStore::close(Open access, Picoseconds at) {
  const auto found = std::ranges::find(open_, access, &Access::number);
  if (found != open_.end()) found->until = at;
}

}  // namespace kernbench
