// Regions of HBM as a DMA engine sees them: blocks of rows, and the packets of bursts that move them.
#pragma once

#include <cstdint>

#include "sim/base/dtype.hpp"
#include "sim/base/units.hpp"
#include "sim/plan/interleaving.hpp"

namespace kernbench {

using Address = std::int64_t;

/// Which memory an address is in, as a PE sees it: its own HBM, its own TCM, the HBM that the PEs of a die share
/// (adr/0064), or the memory at a node of the machine's network (adr/0016, 16.2).
using MemoryNode = std::int32_t;
inline constexpr MemoryNode kOwnPartition = -1;
inline constexpr MemoryNode kOwnTcm = -2;
inline constexpr MemoryNode kHbmOfFirstDie = -3;
/// Of a die, by its number in the machine; and that number.
[[nodiscard]] constexpr MemoryNode hbm_of_die(std::int32_t die) { return kHbmOfFirstDie - die; }
[[nodiscard]] constexpr bool is_hbm_of_die(MemoryNode memory) { return memory <= kHbmOfFirstDie; }
[[nodiscard]] constexpr std::int32_t die_of_hbm(MemoryNode memory) { return kHbmOfFirstDie - memory; }

/// `rows` runs of `row_bytes` bytes, `stride` bytes apart.
struct Block {
  Address address = 0;
  std::int64_t rows = 0;
  Bytes row_bytes = 0;
  Bytes stride = 0;
  MemoryNode memory = kOwnPartition;
  Dtype dtype = Dtype::kBf16;  ///< of its elements
  [[nodiscard]] constexpr Bytes bytes() const { return rows * row_bytes; }
  /// Of a last group of a row that is not complete as many as of one that is.
  [[nodiscard]] constexpr std::int64_t elements() const { return rows * elements_in(row_bytes, dtype); }
};

/// A run of consecutive bursts: what one request, one packet on the network, moves.
struct Packet {
  std::int64_t first_burst = 0;  ///< address / burst size
  std::int64_t bursts = 0;
};

/// Cuts a block into packets of at most `max_bursts` bursts, row by row (ADR-0004, clauses 4.2 to 4.4). Rows that
/// follow each other without a gap are one run; a burst that a row shares with the burst just moved is not moved again.
/// A packet is of one controller (64.4).
class PacketCursor {
 public:
  PacketCursor(const Block& block, Bytes burst, std::int64_t max_bursts, const Interleaving& interleaving = {});

  /// The next packet; false at the end of the block.
  bool next(Packet& packet);

 private:
  bool next_run();

  Block block_;
  Bytes burst_;
  std::int64_t max_bursts_;
  Interleaving interleaving_;
  std::int64_t row_ = 0;
  std::int64_t at_ = 0;   // next burst of the run
  std::int64_t end_ = 0;  // past the run's last burst
  std::int64_t last_moved_ = -1;
};

}  // namespace kernbench
