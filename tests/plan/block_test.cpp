// Packets of a block, beside a list of bursts worked out byte by byte.
#include "sim/plan/block.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using namespace kernbench;

namespace {

using Bursts = std::vector<std::int64_t>;
using Packets = std::vector<std::pair<std::int64_t, std::int64_t>>;

Packets packets_of(const Block& block, Bytes burst, std::int64_t max_bursts) {
  Packets packets;
  PacketCursor cursor(block, burst, max_bursts);
  for (Packet packet; cursor.next(packet);) packets.emplace_back(packet.first_burst, packet.bursts);
  return packets;
}

Bursts bursts_of(const Packets& packets) {
  Bursts bursts;
  for (const auto& [first, count] : packets) {
    for (std::int64_t b = 0; b < count; ++b) bursts.push_back(first + b);
  }
  return bursts;
}

/// The bursts of each row, in the order of its bytes, without those just moved for the row before.
std::vector<Bursts> rows_of(const Block& block, Bytes burst) {
  std::vector<Bursts> rows;
  std::int64_t moved = -1;
  for (std::int64_t row = 0; row < block.rows; ++row) {
    const bool follows = row > 0 && block.stride == block.row_bytes;
    if (!follows) rows.emplace_back();
    for (Bytes byte = 0; byte < block.row_bytes; ++byte) {
      const std::int64_t touched = (block.address + row * block.stride + byte) / burst;
      if (touched != moved) rows.back().push_back(touched);
      moved = touched;
    }
  }
  return rows;
}

Packets cut(const std::vector<Bursts>& rows, std::int64_t max_bursts) {
  Packets packets;
  for (const Bursts& row : rows) {
    const auto length = static_cast<std::int64_t>(row.size());
    for (std::int64_t at = 0; at < length; at += max_bursts) {
      packets.emplace_back(row[static_cast<std::size_t>(at)], std::min(max_bursts, length - at));
    }
  }
  return packets;
}

Block random_block() {
  const auto row_bytes = *rc::gen::inRange<Bytes>(1, 700);
  const Bytes gap = *rc::gen::oneOf(rc::gen::just<Bytes>(0), rc::gen::inRange<Bytes>(0, 600));
  return {*rc::gen::inRange<Address>(0, 2000), *rc::gen::inRange<std::int64_t>(1, 9), row_bytes, row_bytes + gap};
}

}  // namespace

TEST_SUITE("ADR-0004") {
  TEST_CASE("4.2 every burst that holds a byte of the block is moved, and no other") {
    CHECK(bursts_of(packets_of({255, 1, 1, 1}, 256, 1)) == Bursts{0});
    CHECK(bursts_of(packets_of({255, 1, 2, 2}, 256, 1)) == Bursts{0, 1});
    CHECK(bursts_of(packets_of({256, 1, 256, 256}, 256, 1)) == Bursts{1});
    CHECK(bursts_of(packets_of({256, 1, 257, 257}, 256, 1)) == Bursts{1, 2});
  }

  TEST_CASE("4.3 rows without a gap are one run, cut into full packets and a shorter last one") {
    CHECK(packets_of({0, 32, 128, 128}, 256, 4) == Packets{{0, 4}, {4, 4}, {8, 4}, {12, 4}});
    CHECK(packets_of({0, 1, 2304, 2304}, 256, 4) == Packets{{0, 4}, {4, 4}, {8, 1}});
    CHECK(packets_of({0, 2, 1024, 4096}, 256, 3) == Packets{{0, 3}, {3, 1}, {16, 3}, {19, 1}});  // never across a gap
  }

  TEST_CASE("4.4 a burst that two rows of a block share is moved once") {
    CHECK(packets_of({0, 8, 64, 128}, 256, 16) == Packets{{0, 1}, {1, 1}, {2, 1}, {3, 1}});
    CHECK(packets_of({128, 2, 256, 320}, 256, 16) == Packets{{0, 2}, {2, 1}});  // the second row begins in burst 1
    CHECK(packets_of({0, 2, 64, 256}, 256, 16) == Packets{{0, 1}, {1, 1}});
  }

  TEST_CASE("4.2 4.3 4.4 packets of any block are those of its bytes") {
    CHECK(rc::check("packets of any block", [] {
      const Block block = random_block();
      const Bytes burst = Bytes{1} << *rc::gen::inRange(0, 9);
      const auto max_bursts = *rc::gen::inRange<std::int64_t>(1, 10);
      RC_ASSERT(packets_of(block, burst, max_bursts) == cut(rows_of(block, burst), max_bursts));
    }));
  }
}
