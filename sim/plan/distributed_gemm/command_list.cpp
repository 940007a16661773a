#include "sim/plan/distributed_gemm/command_list.hpp"

#include <algorithm>
#include <utility>

namespace kernbench {

namespace {

/// Of the waits on one queue only the latest: the queue's order implies the others.
void keep_latest(std::vector<int>& waits, const std::vector<Command>& commands) {
  std::map<std::pair<int, QueueKind>, int> latest;
  for (const int wait : waits) {
    const Command& other = commands[static_cast<std::size_t>(wait)];
    int& kept = latest.try_emplace({other.device, other.queue}, wait).first->second;
    kept = std::max(kept, wait);
  }
  waits.clear();
  for (const auto& entry : latest) waits.push_back(entry.second);
  std::sort(waits.begin(), waits.end());
}

}  // namespace

void CommandList::touch(const BufferPart& place, bool write, Command& command) {
  BufferShape& shape = buffers_[place.buffer];
  shape.rows = std::max(shape.rows, place.rect.rows.end);
  shape.columns = std::max(shape.columns, place.rect.columns.end);

  std::vector<Access>& accesses = accesses_[place.buffer];
  for (const Access& access : accesses) {
    if (!(write || access.write) || common(access.rect, place.rect).empty()) continue;
    const Command& other = commands_[static_cast<std::size_t>(access.command)];
    if (other.device == command.device && other.queue == command.queue) continue;
    command.waits.push_back(access.command);
  }
  if (write) {
    // Later commands that touch what is now overwritten wait for this one, which waits for the older ones.
    const auto hidden = [&](const Access& access) { return common(access.rect, place.rect) == access.rect; };
    accesses.erase(std::remove_if(accesses.begin(), accesses.end(), hidden), accesses.end());
  }
  accesses.push_back({static_cast<int>(commands_.size()), place.rect, write});
}

void CommandList::append(Command command) {
  std::erase_if(command.waits, [&](int wait) {
    const Command& other = commands_[static_cast<std::size_t>(wait)];
    return other.device == command.device && other.queue == command.queue;
  });
  if (command.kind != CommandKind::kZero) touch(command.in, false, command);
  if (command.kind == CommandKind::kMultiply) touch(command.second, false, command);
  touch(command.out, true, command);
  keep_latest(command.waits, commands_);
  commands_.push_back(std::move(command));
}

}  // namespace kernbench
