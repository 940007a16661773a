// The values in a PE and what it computes of them, in runs that carry values: each move and each product happens at the
// instant at which the timed one is done (adr/0015).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/hw/pe/array_result.hpp"
#include "sim/hw/values/machine_values.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

/// Sums are floats, which hold those of small whole numbers exactly (34.5); what is stored is rounded to the dtype of
/// its place. Buffers are named as the hardware names them: stream slot, operand register set,
/// accumulator, partial and sum set, output slot.
class PeValues {
 public:
  struct Context {
    MachineValues& machine;
    const MachineSpec& spec;
    std::string name;                               ///< of the PE
    std::function<ValueStore&(MemoryNode)> memory;  ///< as this PE sees it
  };
  explicit PeValues(Context context);

  // The cargo of a transfer that starts now.
  [[nodiscard]] std::shared_ptr<Cargo> load(const std::vector<Block>& from, const std::vector<Block>& to);
  [[nodiscard]] std::shared_ptr<Cargo> store(const std::vector<Block>& from, const std::vector<Block>& to);
  /// Of an operand that is streamed for a tile. Throws SimulationError where the step names no slot of the buffer.
  [[nodiscard]] std::shared_ptr<Cargo> stream(const TileStep& step, std::int32_t operand);
  [[nodiscard]] std::shared_ptr<Cargo> output(const ArrayResult& result, std::int64_t slot);

  /// The composite with this number begins; it reads its resident operands until its end.
  [[nodiscard]] std::vector<ValueStore::Open> begin(std::int32_t composite, const TilePlan& plan);
  void end(const std::vector<ValueStore::Open>& reading, Picoseconds at) const;
  /// The operands, and what an epilogue takes besides, were copied from TCM to a register set.
  void fetched(const TileStep& step, std::int64_t registers);
  /// The vector unit has made A's dtype of B in a register set: of each element, its product with the scale (34.8).
  void converted(const TileStep& step, std::int64_t registers);
  /// The array has consumed a register set: the product is in an accumulator or partial set.
  void multiplied(const TileStep& step, std::int32_t composite, std::int64_t registers, std::int64_t set);
  /// The vector unit has worked on an accumulator set in place, or on a partial product into a sum set.
  void transformed(const ArrayResult& result);
  /// An accumulator or sum set was written, as the dtype of its place, to an output slot, or to where the result stays
  /// in TCM.
  void stored(const ArrayResult& result, std::int64_t slot);

  [[nodiscard]] ValueStore& memory(MemoryNode node) const { return context_.memory(node); }
  [[nodiscard]] ValueClock& clock() const { return context_.machine.clock(); }

 private:
  using Values = std::vector<float>;
  /// One operand of one stream slot.
  struct Slot {
    ValueStore store;
    Block held{};  ///< what has been streamed into it
  };
  struct Operands {
    Values a;
    Values b;
    Values auxiliary;
    Values sum;
  };

  [[nodiscard]] Slot& slot(std::int64_t number, std::int32_t operand);
  [[nodiscard]] Values read(const TileStep& step, std::int32_t operand);
  void apply(Values& values, const ArrayResult& result, EpilogueScope scope);
  /// A tile's rows, together with what those of the tiles before have been reduced to.
  void reduced(const ArrayResult& result, VectorOp op);
  /// What belongs to an accumulator set or to a partial set.
  [[nodiscard]] Values& second_operand(bool partial, std::int64_t set) {
    return (partial ? partial_second_operands_ : second_operands_).at(static_cast<std::size_t>(set));
  }
  [[nodiscard]] const TileWork& work(std::int32_t composite) const {
    return works_.at(static_cast<std::size_t>(composite));
  }
  [[nodiscard]] std::shared_ptr<Cargo> cargo(CargoEnd from, CargoEnd to, std::vector<Block> addressed,
                                             const std::string& what) const;

  Context context_;
  std::vector<TileWork> works_;  // by composite
  std::vector<Slot> slots_;      // two a stream slot
  std::vector<Operands> registers_;
  std::vector<Values> accumulators_;
  std::vector<Values> partials_;
  std::vector<Values> sums_;
  // Of element-wise operations and of epilogues that take a matrix, by accumulator set and by partial set.
  std::vector<Values> second_operands_;
  std::vector<Values> partial_second_operands_;
  std::vector<Values> kept_sums_;  // that were kept in TCM, by accumulator or partial set
  std::vector<ValueStore> output_slots_;
};

}  // namespace kernbench
