// The finite buffers between a PE's units, and what travels through them (adr/0005-pe-pipeline.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/engine/op_log.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "sim/engine/tokens.hpp"
#include "sim/hw/pe/array_result.hpp"
#include "sim/hw/pe/ledger.hpp"
#include "sim/hw/pe/pe_values.hpp"
#include "sim/machine/energy.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/plan/tile_step.hpp"

namespace kernbench {

/// A tile between its dispatch and the end of its product.
struct PipelineTile {
  TileStep step;
  std::int32_t composite = 0;
  Reason reason = kNoReason;  ///< of its dispatch, then of its fetch, then of its conversion
  Picoseconds fetched{};      ///< when its operands are in registers, as the array takes them
  std::int64_t set = 0;       ///< operand register set, once it is fetched
  bool after_array = false;   ///< its fetch waited for that set
};

/// The streamed operands of a tile are in TCM.
struct StreamedTile {
  std::int64_t tile = 0;
  Reason reason = kNoReason;
};

/// Queues and slots of one PE. At most stream_depth + operand_registers tiles are in flight between dispatch and the
/// end of their product: they live in a ring, and the queues carry pointers.
class Pipeline {
 public:
  Pipeline(Calendar& calendar, const std::string& pe, const PeSpec& spec, PeValues* values, Ledger& ledger);

  /// Puts a tile into the ring; valid until its product is done.
  PipelineTile& admit(const TileStep& step, std::int32_t composite, Reason reason);

  /// What it counts may be counted on (adr/0047).
  void follow(Repetition& repetition);

  Calendar& calendar;
  const PeSpec spec;
  PeValues* const values;  ///< null: no values are carried
  Ledger& ledger;
  Activity activity;  ///< of what has been admitted, received and copied (36.2)
  // On their way: tiles from their dispatch to the end of their product, outputs to that of their last write.
  std::int64_t tiles_in_flight = 0;
  std::int64_t outputs_in_flight = 0;
  std::int64_t conversions = 0;  ///< operations of the vector unit before the array, of those in `activity`

  Queue<PipelineTile*> to_fetch;
  Queue<StreamedTile> streamed;
  Queue<PipelineTile*> to_convert;  ///< from the first tile on of which an operand is converted
  Queue<PipelineTile*> to_array;
  Queue<ArrayResult> to_vector;
  Queue<ArrayResult> to_store;
  Tokens stream_slots;
  Tokens registers;
  Tokens accumulators;  ///< taken by the array, returned by the store unit
  Tokens partials;      ///< taken by the array, returned by the vector unit
  Tokens sums;          ///< taken by the vector unit, returned by the store unit
  Tokens output_slots;
  Tokens kept_sums;  ///< released by the store unit, taken by the fetch unit that reads them again

 private:
  std::vector<PipelineTile> ring_;
  std::size_t next_ = 0;
};

/// What every unit is: a module with one process between two buffers, a record channel, and an observer's hook.
class PipelineUnit : public sc_core::sc_module {
 protected:
  PipelineUnit(const sc_core::sc_module_name& name, Pipeline& pipeline, OpLog& log, const Stage& stage);

  void start(Process process);
  [[nodiscard]] Picoseconds now() const { return pipeline_.calendar.now(); }
  [[nodiscard]] const PeSpec& spec() const { return pipeline_.spec; }
  [[nodiscard]] Ledger& ledger() const { return pipeline_.ledger; }

  /// Tells those who carry values, if anybody, at `at`.
  template <class Tell>
  void observe(Picoseconds at, Tell&& tell) {
    if (pipeline_.values == nullptr) return;
    pipeline_.values->clock().at(at, [values = pipeline_.values, tell = std::forward<Tell>(tell)] { tell(*values); });
  }

  Pipeline& pipeline_;
  OpChannel& log_;

 private:
  Process process_;
};

}  // namespace kernbench
