// One queue of a device: its commands in their order, each on all PEs of the device at once (adr/0044).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_program.hpp"
#include "sim/system/distributed/move_cells.hpp"
#include "sim/system/multi_pe_gemm.hpp"

namespace kernbench {

/// A product of a command, as the PEs of a device run it.
struct QueuedProduct {
  MultiPeGemmCall call;
  const MultiPeGemmKernel* kernel = nullptr;
};

/// A command as its queue runs it.
struct QueuedCommand {
  std::size_t index = 0;  ///< in the program
  const DeviceCommand* command = nullptr;
  std::vector<QueuedProduct> products;
  std::vector<std::shared_ptr<const PartMove>> parts;  ///< by PE
};

class DeviceQueue {
 public:
  struct Settings {
    std::int64_t rooms = 0;  ///< in TCM, for chunks; 0: the queue moves none
    Bytes room = 0;          ///< bytes of each
  };
  /// `ended` is called when all PEs have ended a command, with its index in the program.
  DeviceQueue(System& system, const std::string& name, std::vector<QueuedCommand> commands, const Settings& settings,
              std::vector<std::int32_t> pes, std::function<void(std::size_t)> ended);
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;
  ~DeviceQueue() = default;

  [[nodiscard]] KernelLaunch& launch() { return launch_; }
  /// All PEs begin the next command at this time.
  void begin_next(Picoseconds at);

 private:
  Process run(KernelPe pe);
  [[nodiscard]] ChunkRooms take_rooms(KernelPe pe) const;
  void end(const QueuedCommand& command, std::size_t number);

  Settings settings_;
  std::vector<QueuedCommand> commands_;
  std::function<void(std::size_t)> ended_;
  std::deque<Completion> gates_;        // by command
  std::vector<std::size_t> pes_ended_;  // by command
  std::size_t next_ = 0;
  KernelLaunch launch_;
};

}  // namespace kernbench
