#include "sim/machine/gpu/gpu_contradictions.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string number(double value) { return formatted("%.6g", value); }

std::string at_most(double value, double limit, const char* of) {
  return value <= limit ? "" : "expected at most " + std::string(of) + ", " + number(limit) + ", got " + number(value);
}

std::string idle_below(double watts, const std::string& name, const GpuSpec& gpu) {
  if (gpu.power.idle < watts) return {};
  return "expected less than " + name + ", " + number(watts) + " W, got " + number(gpu.power.idle) + " W";
}

}  // namespace

const std::vector<GpuContradiction>& gpu_contradictions() {
  static const std::vector<GpuContradiction> kAll{
      {{"sm.clustered", "sm.count"},
       [](const GpuSpec& gpu) { return at_most(gpu.sm.clustered, gpu.sm.count, "sm.count"); }},
      {{"power.idle", "power.limit"},
       [](const GpuSpec& gpu) { return idle_below(gpu.power.limit, "power.limit", gpu); }},
      {{"power.idle", "power.peak"}, [](const GpuSpec& gpu) { return idle_below(gpu.power.peak, "power.peak", gpu); }},
      {{"l2.resident", "l2.capacity"},
       [](const GpuSpec& gpu) { return at_most(gpu.l2.resident, gpu.l2.capacity, "l2.capacity (B)"); }},
      {{"l2.capacity", "hbm.capacity"},
       [](const GpuSpec& gpu) { return at_most(gpu.l2.capacity, gpu.hbm.capacity, "hbm.capacity (B)"); }},
      {{"sm.accumulators", "sm.registers"},
       [](const GpuSpec& gpu) { return at_most(gpu.sm.accumulators, gpu.sm.registers, "sm.registers"); }},
      {{"nccl.channels", "sm.count"},
       [](const GpuSpec& gpu) { return at_most(gpu.nccl.channels, gpu.sm.count, "sm.count"); }},
      {{"nccl.threads", "sm.threads"},
       [](const GpuSpec& gpu) { return at_most(gpu.nccl.threads, gpu.sm.threads, "sm.threads"); }},
      {{"nccl.threads"},
       [](const GpuSpec& gpu) {
         return std::fmod(gpu.nccl.threads, 32) == 0 ? ""
                                                     : "expected a multiple of 32, got " + number(gpu.nccl.threads);
       }},
      {{"nccl.registers", "nccl.threads", "sm.registers"},
       [](const GpuSpec& gpu) {  // a channel by LL128 has the most threads, or by Simple where they are few
         const double threads = std::max(gpu.nccl.threads * 1.25, gpu.nccl.threads + 32);
         return at_most(gpu.nccl.registers * threads, gpu.sm.registers,
                        "sm.registers for the threads of a channel, of which there are up to a quarter more than "
                        "nccl.threads");
       }},
      {{"tensor.bf16.macs", "tensor.fp16.macs", "tensor.fp8.macs"}, [](const GpuSpec& gpu) {
         return gpu.tensor.bf16.given || gpu.tensor.fp16.given || gpu.tensor.fp8.given
                    ? std::string()
                    : std::string("expected a section of at least one dtype, such as tensor.bf16");
       }}};
  return kAll;
}

}  // namespace kernbench
