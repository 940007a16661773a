#include "sim/system/run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/system/mapped_gemm.hpp"
#include "sim/system/stage_activity.hpp"

namespace kernbench {

namespace {

RunResult harvest(const OpLog& log) {
  std::vector<const OpChannel*> channels;
  for (const OpChannel& channel : log.channels()) {
    if (channel.records() > 0) channels.push_back(&channel);
  }
  const auto order = [](const OpChannel* channel) { return channel->stage().order; };
  std::ranges::stable_sort(channels, {}, order);

  RunResult result;
  Span pe;
  Span composite;
  for (const OpChannel* op_channel : channels) {
    const OpChannel& channel = *op_channel;
    result.stages.push_back({std::string(channel.stage().name), channel.engine(), channel.records(), channel.wall(),
                             channel.busy(), channel.bytes(), channel.macs(), channel.moved()});
    pe.cover(channel.span());
    if (!channel.composite_span().empty()) composite.cover(channel.composite_span());
    if (channel.stage() == kScheduleStage) result.tiles += channel.records();
    if (channel.stage() == kLoadStage || channel.stage() == kDmaInStage) {
      result.hbm_read = checked_add(result.hbm_read, channel.bytes(), "bytes read from HBM", kInBytes);
    }
    if (channel.stage() == kDmaOutStage || channel.stage() == kStoreOutStage) {
      result.hbm_written = checked_add(result.hbm_written, channel.bytes(), "bytes written to HBM", kInBytes);
    }
  }
  if (!pe.empty()) result.pe = {pe.start, pe.end};
  if (!composite.empty()) result.composite = {composite.start, composite.end};
  return result;
}

/// For which what all bytes from the HBM pass is at work at least: its channels, but for writes that may still wait
/// when the run ends, and the way into TCM behind them.
Picoseconds memory_work(const RunResult& result, const MachineSpec& machine) {
  Bytes read = 0;
  for (const StageTotals& stage : result.stages) {
    if (stage.stage == kLoadStage.name || stage.stage == kDmaInStage.name) read += stage.moved;
  }
  const HbmSpec& hbm = machine.die.hbm;
  const double busy_ps = 1000 * result.hbm_busy_ns.value_or(0);
  const Picoseconds channels = Picoseconds{std::llround(busy_ps / static_cast<double>(hbm_channels(machine.die)))} -
                               hbm.write_queue * hbm.burst_time();
  return std::max(channels, into_tcm(machine).time_for(read));
}

}  // namespace

MachineSpec one_pe_of(MachineSpec machine) {
  machine = with_partition(machine);
  for (auto* grid : {&machine.system.packages, &machine.package.dies, &machine.die.routers}) *grid = {1, 1};
  machine.die.sram.router = 0;
  return machine;
}

LonePe lone_pe_of(const MachineSpec& machine) {
  if (own_wires_are_exact(machine)) return {machine, SystemExtent::kOnePe};
  if (machine.die.hbm.shared()) return {machine, SystemExtent::kWholeMachine};
  return {one_pe_of(machine), SystemExtent::kWholeMachine};
}

namespace {

/// `counted_on`: where the settings do not forbid it.
RunResult run_program(const MachineSpec& machine, const KernelProgram& kernel, const RunSettings& settings,
                      CountedOn counted_on, const KernelCheck& check) {
  const LonePe built = settings.extent ? LonePe{machine, *settings.extent} : lone_pe_of(machine);
  System system(built.machine, {.extent = built.extent,
                                .sink = settings.sink,
                                .values = settings.verify,
                                .ledger = true,
                                .counted_on = settings.fast_forward ? counted_on : CountedOn::kNothing});
  if (check.before) check.before(system);
  KernelLaunch launch("the kernel", kernel, {0});
  run_launches(system, {&launch}, settings.limit);
  if (check.after) check.after(system);
  RunResult result = harvest(system.log());
  const Picoseconds end = result.pe.end - system.calendar().passed_over();
  result.tiles_passed_over = system.pe(0).tiles_passed_over();
  result.steps_passed_over = system.steps_passed_over();
  result.ledger = system.pe(0).ledger().close(end);
  result.engine = {system.calendar().wakeups(), system.bursts({0})};
  result.activity = system.activity();
  divide_activity(result, system.pe(0).conversions());
  result.activity.pes = 1;
  result.hbm_busy_ns = system.hbm_busy_ns(0, end);
  result.ledger.memory = memory_work(result, machine);
  return result;
}

}  // namespace

void only_set_up(const std::function<void(const RunSettings&)>& run) {
  renew_systemc();
  try {
    run({.limit = {}});
  } catch (const TimeLimitError&) {  // it goes on
  }
  renew_systemc();
}

RunResult run_kernel(const MachineSpec& machine, const KernelProgram& kernel, const RunSettings& settings,
                     const KernelCheck& check) {
  return run_program(machine, kernel, settings, CountedOn::kNothing, check);
}

KernelCheck check_of(const GemmCall& call, const SumRounding& rounding) {
  return {[=](System& system) {
            ValueStore& hbm = *system.store(0, MemoryTier::kHbm);
            fill_matrix(call.matrices.a, operand_values(kOperandA), hbm);
            fill_matrix(call.matrices.b, operand_values(kOperandB), hbm);
            if (call.has_bias()) fill_matrix(call.matrices.bias, operand_values(kOperandBias), hbm);
          },
          [=](System& system) {
            GemmReference reference(call.problem, {0, call.problem.k}, rounding);
            Differences differences;
            differences.compare(call.matrices.c, std::ref(reference), *system.store(0, MemoryTier::kHbm));
            differences.refuse();
          }};
}

KernelCheck check_of(const MathCall& call) {
  return {[=](System& system) {
            ValueStore& hbm = *system.store(0, MemoryTier::kHbm);
            fill_matrix(call.matrices.a, operand_values(kOperandA), hbm);
            if (call.problem.binary()) fill_matrix(call.matrices.b, operand_values(kOperandB), hbm);
          },
          [=](System& system) {
            Differences differences;
            differences.compare(
                call.matrices.c,
                [&](std::int64_t row, std::int64_t column) { return math_reference(call.problem, row, column); },
                *system.store(0, MemoryTier::kHbm));
            differences.refuse();
          }};
}

namespace {

RunResult run_call(const MachineSpec& machine, const GemmCall& call, const KernelProgram& program,
                   const RunSettings& settings, CountedOn counted_on, const SumRounding& rounding = {}) {
  if (settings.verify) check_value_memory(call.problem, call.matrices, machine.pe);
  RunResult result =
      run_program(machine, program, settings, counted_on, settings.verify ? check_of(call, rounding) : KernelCheck{});
  result.useful_macs = call.problem.macs();
  return result;
}

}  // namespace

RunResult run_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
                   const RunSettings& settings) {
  const GemmKernel& kernel = find_gemm_kernel(variant);
  const GemmCall call{problem, place_gemm(problem, machine)};
  // What does not fit in TCM is told as a whole, with what to do about it, before a load alone fails.
  const TilePlan plan = make_gemm_plan(problem, loaded(problem, call.matrices, kernel.residency), machine.pe);
  return run_call(
      machine, call, [&](KernelPe pe) { return kernel.run(pe, call); }, settings,
      plan.tiles < kLeastTilesRepeated ? CountedOn::kNothing : CountedOn::kTiles);
}

RunResult run_gemm(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping,
                   const RunSettings& settings) {
  const MachineSpec tiled = with_tile(machine, mapping.tile);
  const auto mapped = std::make_shared<const MappedGemm>(problem, mapping);
  check_tcm(*mapped, tiled);
  const GemmCall call{problem, place_gemm(*mapped, tiled)};
  const SumRounding rounding{mapping.block.k, dtype_of(mapping.sums.format)};
  RunResult result = run_call(
      tiled, call, [&](KernelPe pe) { return run_mapped(pe, call, mapped); }, settings, counted_on(*mapped), rounding);
  result.steps = mapped->steps();
  return result;
}

RunResult run_math(const MachineSpec& machine, const MathProblem& problem, const RunSettings& settings) {
  const MathCall call{problem, place_math(problem, machine)};
  if (settings.verify) check_value_memory(problem, call.matrices, machine.pe);
  const auto kernel = [&](KernelPe pe) -> Process { co_await pe.wait(co_await pe.composite(call)); };
  return run_kernel(machine, kernel, settings, settings.verify ? check_of(call) : KernelCheck{});
}

}  // namespace kernbench
