#include "sim/hw/values/value_store.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {

namespace {

constexpr float kNobodyWrote = std::numeric_limits<float>::quiet_NaN();
// Of values: 8 or 16 GiB of memory; what a run needs is checked before it.
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

void ValueStore::check(Address address) const {
  if (address >= 0 && address < kMostBytes) return;
  throw SimulationError("verification: address " + std::to_string(address) + " of " + name_ + ": expected 0 to " +
                        std::to_string(kMostBytes - 1));
}

/// Makes room for an element at every byte.
void ValueStore::split() {
  std::vector<float> every(2 * values_.size(), kNobodyWrote);
  for (std::size_t i = 0; i < values_.size(); ++i) every[2 * i] = values_[i];
  values_ = std::move(every);
  every_byte_ = true;
}

float ValueStore::get(Address address) const {
  check(address);
  if (!every_byte_ && address % 2 != 0) return kNobodyWrote;
  const auto at = static_cast<std::size_t>(every_byte_ ? address : address / 2);
  return at < values_.size() ? values_[at] : kNobodyWrote;
}

void ValueStore::set(Address address, float value) {
  check(address);
  if (!every_byte_ && address % 2 != 0) split();
  const auto at = static_cast<std::size_t>(every_byte_ ? address : address / 2);
  if (at >= values_.size()) values_.resize(at + 1, kNobodyWrote);
  values_[at] = value;
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
