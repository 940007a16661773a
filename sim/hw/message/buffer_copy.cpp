#include "sim/hw/message/buffer_copy.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

namespace kernbench {

namespace {

/// A piece under way through TCM.
struct CopiedPiece {
  CopiedPiece(Calendar& calendar, Bytes offset_in, Bytes bytes_in)
      : offset(offset_in), bytes(bytes_in), read(calendar, "copy: read"), written(calendar, "copy: written") {}
  Bytes offset;
  Bytes bytes;
  std::shared_ptr<Cargo> cargo;
  Completion read;
  Completion written;
};

class CopyInHbm {
 public:
  explicit CopyInHbm(const BufferCopy& copy) : copy_(copy) {}

  void read_next() {
    const Bytes bytes = std::min(message_piece(copy_.machine.pe.message_queue, copy_.from.dtype), copy_.bytes - asked_);
    CopiedPiece& piece = pieces_.emplace_back(copy_.pe.calendar(), asked_, bytes);
    asked_ += bytes;
    const Block block = copy_.from.piece(piece.offset, bytes);
    Transfer transfer{block, {}, bytes, kLoadStage};
    if (copy_.values != nullptr) transfer.cargo = piece.cargo = cargo({copy_.from.store, {block}}, {}, block);
    submit(copy_.pe.reader(), MessageTurn::kOperand, std::move(transfer), piece.read, copy_.pe.now());
  }

  void write(CopiedPiece& piece, Picoseconds at) {
    const Block block = copy_.to.piece(piece.offset, piece.bytes);
    Transfer transfer{block, {}, piece.bytes, kStoreOutStage};
    if (copy_.values != nullptr) {
      transfer.cargo = cargo({}, {copy_.to.store, {block}}, block);
      copy_.values->at(at, [from = piece.cargo, to = transfer.cargo] { to->values() = from->values(); });
    }
    submit(copy_.pe.writer(), MessageTurn::kResult, std::move(transfer), piece.written, at);
  }

  [[nodiscard]] bool all_asked() const { return asked_ == copy_.bytes; }
  std::deque<CopiedPiece>& pieces() { return pieces_; }

 private:
  [[nodiscard]] std::shared_ptr<Cargo> cargo(CargoEnd from, CargoEnd to, const Block& addressed) const {
    return std::make_shared<Cargo>(*copy_.values, std::move(from), std::move(to), std::vector{addressed},
                                   copy_.machine.die.hbm.burst, "a copy");
  }
  void submit(DmaEngine& engine, MessageTurn turn, Transfer transfer, Completion& done, Picoseconds at) const {
    constexpr std::int64_t kBehindAllQueues = std::int64_t{1} << 31U;
    transfer.turn = turn_of(turn, kBehindAllQueues + copy_.asker.thread, copy_.asker.launch);
    transfer.beside = copy_.asker.launch > 0;
    transfer.done = &done;
    engine.submit(std::move(transfer), at);
  }

  const BufferCopy& copy_;
  Bytes asked_ = 0;
  std::deque<CopiedPiece> pieces_;  // which stay where they are
};

}  // namespace

Task<Picoseconds> copy_in_hbm(BufferCopy copy) {
  const MessageQueueSpec& spec = copy.machine.pe.message_queue;
  Pe& pe = copy.pe;
  CopyInHbm in_hbm(copy);
  for (std::int64_t ahead = 0; ahead < spec.slots && !in_hbm.all_asked(); ++ahead) in_hbm.read_next();
  Picoseconds ready = pe.now();
  for (std::size_t next = 0; next < in_hbm.pieces().size(); ++next) {
    CopiedPiece& piece = in_hbm.pieces()[next];
    co_await piece.read.wait();
    const Block block = copy.to.piece(piece.offset, piece.bytes);
    if (copy.to.scoreboard != nullptr) co_await copy.to.scoreboard->clear(block.address, block.row_bytes);
    ready = pe.now();
    if (spec.consumer == SlotConsumer::kVectorUnit) {
      co_await pe.vector().process(block.elements(), copy.asker);
      ready = pe.now() + pe.vector().latency();
    }
    pe.count_received(block, 1);
    if (!in_hbm.all_asked()) in_hbm.read_next();
    in_hbm.write(piece, ready);
  }
  for (CopiedPiece& piece : in_hbm.pieces()) co_await piece.written.wait();
  co_await pe.calendar().until(ready);
  co_return pe.now();
}

}  // namespace kernbench
