// What the HBM of a die is together, and what of it a closed form of one PE may count with (adr/0064).
#pragma once

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/interleaving.hpp"

namespace kernbench {

/// Of a memory that PEs share; none of private partitions.
[[nodiscard]] Interleaving interleaving_of(const DieSpec& die);
/// Of the memory that a PE has its data in, all its controllers together.
[[nodiscard]] Bandwidth hbm_bandwidth(const DieSpec& die);
[[nodiscard]] Bytes hbm_capacity(const DieSpec& die);
[[nodiscard]] std::int64_t hbm_channels(const DieSpec& die);
/// At whose multiples matrices begin: a burst of every pseudo-channel.
[[nodiscard]] Bytes hbm_alignment(const DieSpec& die);

/// The machine as closed forms of one PE see it where `sharers` PEs of a die work at the same time: a shared memory is
/// to each of them a partition with its share of the bandwidth, all the channels and the whole capacity. A machine of
/// private partitions stays as it is.
[[nodiscard]] MachineSpec with_partition(const MachineSpec& machine, std::int64_t sharers = 1);

}  // namespace kernbench
