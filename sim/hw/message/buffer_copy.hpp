// A copy between two places of a buffer in HBM: through the PE's TCM, piece by piece (adr/0019, 19.18).
#pragma once

#include "sim/engine/process.hpp"
#include "sim/hw/message/message_queue.hpp"
#include "sim/hw/pe/asker.hpp"

namespace kernbench {

struct BufferCopy {
  Pe& pe;
  const MachineSpec& machine;
  ValueClock* values = nullptr;  ///< null: no values are carried
  MessagePlace from;
  MessagePlace to;
  Bytes bytes = 0;
  Asker asker{};
};

/// Starts now; done when the last write has been acknowledged and the last result can be used. Returns the time.
Task<Picoseconds> copy_in_hbm(BufferCopy copy);

}  // namespace kernbench
