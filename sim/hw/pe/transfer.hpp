// A transfer: what a DMA engine is told to move, and whom it tells when that is done.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/completion.hpp"
#include "sim/engine/op_log.hpp"
#include "sim/engine/reason.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

// The reader moves whole matrices and streamed operands, the writer output tiles and whole matrices.
inline constexpr Stage kLoadStage{"load", 10, 2};
inline constexpr Stage kDmaInStage{"dma_in", 30, 2};
inline constexpr Stage kDmaOutStage{"dma_out", 80, 7};
inline constexpr Stage kStoreOutStage{"store_out", 90, 7};

struct Transfer;

/// Told, once, a transfer is complete, as soon as the time is known.
class TransferListener {
 public:
  virtual ~TransferListener() = default;
  virtual void transferred(const Transfer& transfer, Picoseconds at) = 0;
};

struct Transfer {
  Block block;
  std::vector<Block> more{};  ///< further blocks, moved after it without another set-up
  Bytes bytes = 0;            ///< valid bytes of all blocks
  Stage stage = kLoadStage;
  std::int64_t tile = -1;
  std::int32_t composite = -1;
  MemoryWay* route = nullptr;        ///< to another memory than the PE's own partition
  MemoryClient* receiver = nullptr;  ///< a message: told, instead of the engine, what the memory has taken
  TransferListener* listener = nullptr;
  Completion* done = nullptr;
  std::shared_ptr<Cargo> cargo{};  ///< in runs that carry values
  std::int64_t turn = 0;           ///< of those submitted to an engine for one instant the lower goes first
  Reason reason = kNoReason;       ///< of its submission; when it is complete, of that
  bool beside = false;             ///< of another launch than the PE's first: in the ledger it is contention
  Picoseconds submitted{};         ///< set by the engine
};

}  // namespace kernbench
