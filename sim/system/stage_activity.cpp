#include "sim/system/stage_activity.hpp"

#include <string_view>

#include "sim/hw/pe/fetch_unit.hpp"
#include "sim/hw/pe/mac_array.hpp"
#include "sim/hw/pe/store_unit.hpp"
#include "sim/hw/pe/transfer.hpp"
#include "sim/hw/pe/vector_unit.hpp"

namespace kernbench {

namespace {

Activity of_stage(const StageTotals& stage, const Activity& run, std::int64_t conversions) {
  const auto is = [&stage](const Stage& one) { return stage.stage == one.name; };
  Activity part;
  if (is(kMacStage)) part.macs = run.macs;
  if (is(kConvertStage)) part.vector_operations = conversions;
  if (is(kVectorStage)) part.vector_operations = run.vector_operations - conversions;
  if (is(kFetchStage) || is(kStoreStage)) part.registers = part.tcm = stage.bytes;
  if (is(kLoadStage) || is(kDmaInStage) || is(kDmaOutStage) || is(kStoreOutStage)) {
    part.tcm = part.hbm = part.router = stage.moved;
  }
  return part;
}

}  // namespace

void divide_activity(RunResult& run, std::int64_t conversions) {
  Activity sum;
  for (StageTotals& stage : run.stages) {
    stage.activity = of_stage(stage, run.activity, conversions);
    sum += stage.activity;
  }
  if (sum == run.activity) return;
  for (StageTotals& stage : run.stages) stage.activity = {};
}

}  // namespace kernbench
