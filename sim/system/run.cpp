#include "sim/system/run.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/system/pe_node.hpp"
#include "sim/system/verify.hpp"

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
                             channel.busy(), channel.bytes(), channel.macs()});
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

}  // namespace

RunResult run_kernel(const MachineSpec& machine, const std::function<Process(KernelPe)>& kernel,
                     const RunSettings& settings, DataPath* data) {
  Calendar calendar("calendar");
  OpLog log(settings.sink);
  PeNode node(0, calendar, log, machine, data);
  KernelPe pe(node.pe(), machine.pe);
  Process process = kernel(pe);
  process.start(calendar);
  calendar.run(settings.limit);
  if (!process.done()) {
    throw SimulationError("deadlock: nothing is left to happen and the kernel has not ended; waiting:\n" +
                          calendar.describe_waiting());
  }
  RunResult result = harvest(log);
  const PseudoChannels& hbm = node.memory().channels();
  result.engine = {calendar.wakeups(), hbm.bursts()};
  result.hbm_busy_ns = hbm.busy_ns(result.pe.end);
  return result;
}

RunResult run_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
                   const RunSettings& settings) {
  const GemmKernel& kernel = find_gemm_kernel(variant);
  const GemmCall call{problem, place_gemm(problem, machine)};
  std::unique_ptr<FunctionalPe> data;
  if (settings.verify) data = std::make_unique<FunctionalPe>(call, kernel.residency, machine.pe);
  RunResult result = run_kernel(
      machine, [&](KernelPe pe) { return kernel.run(pe, call); }, settings, data.get());
  result.useful_macs = problem.macs();
  if (data) data->check();
  return result;
}

RunResult run_math(const MachineSpec& machine, const MathProblem& problem, const RunSettings& settings) {
  const MathCall call{problem, place_math(problem, machine)};
  std::unique_ptr<FunctionalPe> data;
  if (settings.verify) data = std::make_unique<FunctionalPe>(call, machine.pe);
  const auto kernel = [&](KernelPe pe) -> Process { co_await pe.wait(co_await pe.composite(call)); };
  RunResult result = run_kernel(machine, kernel, settings, data.get());
  if (data) data->check();
  return result;
}

}  // namespace kernbench
