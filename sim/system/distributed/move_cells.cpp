#include "sim/system/distributed/move_cells.hpp"

#include <algorithm>
#include <cstddef>

namespace kernbench {

namespace {

/// What a chunk needs from TCM to memory: it waits for its load, and starts its store.
Task<Pending> pass_on(KernelPe pe, Operand loaded, MatrixLayout to) {
  co_await pe.wait(loaded);
  co_return co_await pe.store(loaded.matrix, to);
}

}  // namespace

Process copy_part(KernelPe pe, std::shared_ptr<const PartMove> part, ChunkRooms rooms) {
  const std::size_t count = part->chunks.size();
  const std::size_t ahead = std::max<std::size_t>(1, rooms->size() / 2);
  std::vector<Operand> loads;
  std::vector<Pending> stores;
  for (std::size_t i = 0; i < count + ahead; ++i) {
    if (i >= ahead && stores.size() < count) {
      const std::size_t next = stores.size();
      stores.push_back(co_await pass_on(pe, loads[next], part->chunks[next].second));
    }
    if (i >= count) continue;
    if (i >= rooms->size()) co_await pe.wait(stores[i - rooms->size()]);
    const MatrixLayout from = part->chunks[i].first;
    const MatrixLayout room = from.at(kOwnTcm, (*rooms)[i % rooms->size()]);
    loads.push_back(co_await pe.load(from, room));
  }
  for (const Pending& store : stores) co_await pe.wait(store);
}

Process add_part(KernelPe pe, std::shared_ptr<const PartMove> part, ChunkRooms rooms) {
  struct Chunk {
    Operand added;
    Operand sum;
    Pending stored;
  };
  const std::size_t sets = rooms->size() / kRoomsOfAddition;
  std::vector<Chunk> chunks(part->chunks.size());
  for (std::size_t i = 0; i < chunks.size() + sets; ++i) {
    if (i >= sets && i - sets < chunks.size()) {
      Chunk& chunk = chunks[i - sets];
      co_await pe.wait(chunk.added);
      co_await pe.wait(chunk.sum);
      MathCall math;
      math.problem.op = VectorOp::kAdd;
      const std::size_t room = (i - sets) % sets * kRoomsOfAddition + 2;
      math.matrices = {chunk.sum.matrix, chunk.added.matrix, chunk.sum.matrix.at(kOwnTcm, (*rooms)[room])};
      co_await pe.wait(co_await pe.composite(math));
      chunk.stored = co_await pe.store(math.matrices.c, part->chunks[i - sets].second);
    }
    if (i >= chunks.size()) continue;
    if (i >= sets) co_await pe.wait(chunks[i - sets].stored);
    const MatrixLayout from = part->chunks[i].first;
    const MatrixLayout to = part->chunks[i].second;
    const std::size_t room = i % sets * kRoomsOfAddition;
    chunks[i].added = co_await pe.load(from, from.at(kOwnTcm, (*rooms)[room]));
    chunks[i].sum = co_await pe.load(to, to.at(kOwnTcm, (*rooms)[room + 1]));
  }
  for (const Chunk& chunk : chunks) co_await pe.wait(chunk.stored);
}

Process zero_part(KernelPe pe, std::shared_ptr<const PartMove> part, ChunkRooms rooms) {
  std::vector<Pending> stores;
  for (const auto& [from, to] : part->chunks) {
    const MatrixLayout zeros = to.at(kOwnTcm, rooms->front());
    pe.fill(zeros, [](std::int64_t, std::int64_t) { return 0.0F; });
    stores.push_back(co_await pe.store(zeros, to));
  }
  for (const Pending& store : stores) co_await pe.wait(store);
}

}  // namespace kernbench
