#include "sim/hw/values/cargo.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kernbench {

Cargo::Elements::Elements(std::vector<Block> list) : blocks(std::move(list)), before{0} {
  for (const Block& block : blocks) before.push_back(before.back() + block.elements());
}

template <class Visit>
void Cargo::Elements::each(std::int64_t first, std::int64_t count, Visit visit) const {
  auto block = static_cast<std::size_t>(std::ranges::upper_bound(before, first) - before.begin() - 1);
  for (std::int64_t element = first; element < first + count;) {
    if (element == before[block + 1]) ++block;
    const Block& in = blocks.at(block);
    const std::int64_t width = elements_in(in.row_bytes, in.dtype);
    const std::int64_t row = (element - before[block]) / width;
    std::int64_t column = (element - before[block]) % width;
    const Address start = in.address + row * in.stride;
    for (; column < width && element < first + count; ++column, ++element) visit(element, start, column, in.dtype);
  }
}

Cargo::End Cargo::opened(CargoEnd end, bool writes, const std::string& who) const {
  End opened{end.store, Elements(std::move(end.blocks)), {}, addressed_.before.back(), {}};
  if (end.store == nullptr) return opened;
  for (const Block& block : opened.elements.blocks) {
    opened.open.push_back(end.store->open(block, writes, who, clock_.now()));
  }
  return opened;
}

Cargo::Cargo(ValueClock& clock, CargoEnd from, CargoEnd to, std::vector<Block> addressed, Bytes burst,
             const std::string& who)
    : clock_(clock),
      addressed_(std::move(addressed)),
      burst_(burst),
      from_(opened(std::move(from), false, who)),
      to_(opened(std::move(to), true, who)),
      values_(static_cast<std::size_t>(addressed_.before.back()), std::numeric_limits<float>::quiet_NaN()) {}

void Cargo::End::announce(const std::vector<Run>& runs, Picoseconds at) {
  until = std::max(until, at);
  for (const Run& run : runs) left -= run.count;
  if (left > 0) return;
  for (const ValueStore::Open access : open) store->close(access, until);
}

void Cargo::leaves(const Packet& packet, Picoseconds at) {
  if (from_.store == nullptr) return;
  std::vector<Run> runs = elements_of(packet);
  from_.announce(runs, at);
  clock_.at(at, [self = shared_from_this(), runs = std::move(runs)] { self->take(runs); });
}

void Cargo::lands(const Packet& packet, Picoseconds at) {
  if (to_.store == nullptr) return;
  std::vector<Run> runs = elements_of(packet);
  to_.announce(runs, at);
  clock_.at(at, [self = shared_from_this(), runs = std::move(runs)] { self->put(runs); });
}

/// Which elements a packet carries: those that begin in its bursts.
std::vector<Cargo::Run> Cargo::elements_of(const Packet& packet) const {
  const Address begin = packet.first_burst * burst_;
  const Address end = begin + packet.bursts * burst_;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < addressed_.blocks.size(); ++i) {
    const Block& block = addressed_.blocks[i];
    if (block.address >= end) continue;
    std::int64_t row = 0;
    if (block.stride > 0 && begin > block.address + block.row_bytes) {
      row = (begin - block.address - block.row_bytes) / block.stride;
    }
    for (; row < block.rows && block.address + row * block.stride < end; ++row) {
      const Address start = block.address + row * block.stride;
      const Address low = std::max(begin, start);
      const Address high = std::min(end, start + block.row_bytes);
      if (low >= high) continue;
      const std::int64_t first = elements_in(low - start, block.dtype);
      const std::int64_t width = elements_in(block.row_bytes, block.dtype);
      runs.push_back({addressed_.before[i] + row * width + first, elements_in(high - start, block.dtype) - first});
    }
  }
  return runs;
}

void Cargo::take(const std::vector<Run>& runs) {
  for (const auto& [first, count] : runs) {
    from_.elements.each(first, count, [this](std::int64_t element, Address row, std::int64_t at, Dtype dtype) {
      values_[static_cast<std::size_t>(element)] = from_.store->get(row, at, dtype);
    });
  }
}

void Cargo::put(const std::vector<Run>& runs) {
  for (const auto& [first, count] : runs) {
    to_.elements.each(first, count, [this](std::int64_t element, Address row, std::int64_t at, Dtype dtype) {
      to_.store->set(row, at, dtype, values_[static_cast<std::size_t>(element)]);
    });
  }
}

}  // namespace kernbench
