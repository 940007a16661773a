#include "sim/system/distributed/device_queue.hpp"

#include <string>
#include <utility>

namespace kernbench {

DeviceQueue::DeviceQueue(System& system, const std::string& name, std::vector<QueuedCommand> commands,
                         const Settings& settings, std::vector<std::int32_t> pes,
                         std::function<void(std::size_t)> ended)
    : settings_(settings),
      commands_(std::move(commands)),
      ended_(std::move(ended)),
      pes_ended_(commands_.size()),
      launch_(
          name, [this](KernelPe pe) { return run(pe); }, std::move(pes)) {
  for (const QueuedCommand& command : commands_) {
    gates_.emplace_back(system.calendar(), name + ": command " + std::to_string(command.index));
  }
}

void DeviceQueue::begin_next(Picoseconds at) { gates_.at(next_++).complete(at); }

ChunkRooms DeviceQueue::take_rooms(KernelPe pe) const {
  auto rooms = std::make_shared<std::vector<Address>>();
  for (std::int64_t i = 0; i < settings_.rooms; ++i) {
    rooms->push_back(pe.tcm(1, settings_.room / kElementBytes).base);
  }
  return rooms;
}

Process DeviceQueue::run(KernelPe pe) {
  const ChunkRooms rooms = take_rooms(pe);
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const QueuedCommand& queued = commands_[i];
    co_await gates_[i].wait();
    for (const QueuedProduct& product : queued.products) {
      Process multiplied = product.kernel->run(pe, product.call);
      co_await multiplied.finished();
    }
    if (!queued.parts.empty()) {
      const std::shared_ptr<const PartMove> part = queued.parts.at(static_cast<std::size_t>(pe.rank()));
      const CommandKind kind = queued.command->kind;
      Process moved = kind == CommandKind::kAdd    ? add_part(pe, part, rooms)
                      : kind == CommandKind::kCopy ? copy_part(pe, part, rooms)
                                                   : zero_part(pe, part, rooms);
      co_await moved.finished();
    }
    end(queued, i);
  }
}

void DeviceQueue::end(const QueuedCommand& command, std::size_t number) {
  if (++pes_ended_[number] == launch_.pes().size()) ended_(command.index);
}

}  // namespace kernbench
