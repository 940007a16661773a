// What a kernel asks of the vector unit outside composites (adr/0043-operators.md, 43.3).
#include <string>
#include <utility>
#include <vector>

#include "sim/system/kernel_launch.hpp"

namespace kernbench {

namespace {

/// Nobody else may write what a call reads, or touch what it writes, until it is done (28.21).
class VectorAccesses {
 public:
  VectorAccesses(KernelRank& rank, const VectorCall& call) : rank_(rank) {
    for (const auto& [matrices, writes] : {std::pair(&call.reads, false), std::pair(&call.writes, true)}) {
      for (const MatrixLayout& matrix : *matrices) {
        rank_.expect_held(matrix, "compute: a matrix");
        if (!matrix.in_tcm()) rank_.misuse("compute on a matrix that is not in TCM: load it, and wait for it, first");
        if (rank_.system.values() != nullptr) open(matrix, writes);
      }
    }
  }
  void close(Picoseconds at) {
    for (const ValueStore::Open access : open_) rank_.pe.values()->memory(kOwnTcm).close(access, at);
  }

 private:
  void open(const MatrixLayout& matrix, bool writes) {
    for (const Block& block : matrix.whole()) {
      const std::string who = std::string(rank_.pe.name()) + ".vector, a call of the kernel";
      open_.push_back(rank_.pe.values()->memory(kOwnTcm).open(block, writes, who, rank_.pe.now()));
    }
  }

  KernelRank& rank_;
  std::vector<ValueStore::Open> open_;
};

/// When a call asked for the unit, when that was free again, and when the result could be used.
struct VectorTimes {
  Picoseconds asked;
  Picoseconds worked;
  Picoseconds done;
};

/// Tells the ledger what a call waited for: what its ways to TCM take longer than its cycles is theirs.
Reason told(Ledger& ledger, const VectorTask& task, const PeSpec& pe, const VectorTimes& times, Reason called) {
  const Cause way = pe.fetch.time_for(task.fetched) < pe.store.time_for(task.stored) ? Cause::kDrain : Cause::kFetch;
  const Picoseconds longer = task.time(pe) - pe.clock.time_for(task.cycles);
  const Reason computed = ledger.add(Cause::kEpilogue, times.asked, times.worked - longer, called);
  const Reason moved = ledger.add(way, times.worked - longer, times.worked, computed);
  return ledger.add(Cause::kEpilogue, times.worked, times.done, moved);
}

}  // namespace

Task<Picoseconds> KernelPe::compute(VectorCall call) {
  co_await rank_->control_call();
  VectorAccesses accesses(*rank_, call);
  Pe& pe = rank_->pe;
  const Picoseconds asked = pe.now();
  const Reason called = rank_->ledger().called(asked);
  pe.count_vector_task(call.task);
  const VectorTask task = call.task;
  co_await pe.vector().work(task.time(machine().pe), {.launch = rank_->launch.order()});
  const Picoseconds worked = pe.now();
  const Picoseconds done = worked + pe.vector().latency();
  co_await pe.calendar().until(done);
  rank_->ledger().waited(asked, done, told(rank_->ledger(), task, machine().pe, {asked, worked, done}, called));
  if (rank_->system.values() != nullptr) {
    rank_->system.values()->clock().settle();
    if (call.values) call.values(pe.values()->memory(kOwnTcm));
  }
  accesses.close(done);
  co_return done;
}

}  // namespace kernbench
