// What a PE does of a copy, an addition, or zeros between devices' memories: its parts, chunk by chunk through TCM
// (adr/0044).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/plan/distributed_gemm/command_list.hpp"
#include "sim/system/kernel.hpp"

namespace kernbench {

/// Chunks in the order in which they are moved. Of an addition `to` is what is added to.
struct PartMove {
  std::vector<std::pair<MatrixLayout, MatrixLayout>> chunks;  ///< from, to; zeros come from nowhere
};

/// Rooms in TCM, each of which holds any chunk.
using ChunkRooms = std::shared_ptr<const std::vector<Address>>;

/// Loads and stores go on at once: with R rooms at most R chunks are under way, half of them on their way in.
[[nodiscard]] Process copy_part(KernelPe pe, std::shared_ptr<const PartMove> part, ChunkRooms rooms);
/// A chunk takes what is added, what it is added to, and the sum.
inline constexpr std::int64_t kRoomsOfAddition = 3;
/// As many chunks are under way as there are such sets of rooms.
[[nodiscard]] Process add_part(KernelPe pe, std::shared_ptr<const PartMove> part, ChunkRooms rooms);
/// One room holds zeros and is stored to every chunk.
[[nodiscard]] Process zero_part(KernelPe pe, std::shared_ptr<const PartMove> part, ChunkRooms rooms);

}  // namespace kernbench
