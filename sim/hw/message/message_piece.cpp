#include "sim/hw/message/message_piece.hpp"

#include "sim/base/errors.hpp"

namespace kernbench {

Bytes message_piece(const MessageQueueSpec& queue, Dtype dtype) {
  const Bytes group = group_of(dtype).bytes();
  if (queue.slot >= group) return queue.slot - queue.slot % group;
  throw ConfigError("pe.message_queue.slot_bytes: a slot of " + std::to_string(queue.slot) +
                    " bytes holds no group of " + std::string(name_of(dtype)) + ": expected at least " +
                    std::to_string(group));
}

Bytes message_slot_stride(const MachineSpec& machine) {
  const Bytes burst = machine.die.hbm.burst;
  return ceil_div(machine.pe.message_queue.slot, burst) * burst;
}

void MovedPieces::transferred(const Transfer& transfer, Picoseconds at) {
  MessagePiece piece = under_way.pop_front();
  piece.reason = transfer.reason;
  if (piece.read != nullptr) std::exchange(piece.read, nullptr)->transferred(transfer, at);
  there.push(std::move(piece), at);
}

void MessageMover::submit(DmaEngine& engine, MessageTurn turn, Transfer transfer, Picoseconds at) const {
  transfer.turn = turn_of(turn, number, launch);
  transfer.beside = launch > 0;
  engine.submit(std::move(transfer), at);
}

void MessageMover::move(DmaEngine& engine, MessageTurn turn, MovedPieces& moved, const MessagePiece& piece,
                        Transfer transfer, Picoseconds at) const {
  moved.under_way.push_back(piece);
  transfer.listener = &moved;
  submit(engine, turn, std::move(transfer), at);
}

Picoseconds noticed(const MessageQueueSpec& spec, Picoseconds now) {
  if (spec.wait == ReceiveWait::kSleep) return now + spec.wake;
  return ceil_div(now.value, spec.poll_interval.value) * spec.poll_interval;
}

}  // namespace kernbench
