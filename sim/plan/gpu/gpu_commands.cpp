#include "sim/plan/gpu/gpu_commands.hpp"

#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {
namespace {

constexpr Bytes kOfOperand = 2;
constexpr Bytes kOfResult = 4;
constexpr std::int64_t kReadTwiceWritten = 3;

bool holds_result(BufferKind kind) {
  return kind == BufferKind::kC || kind == BufferKind::kPartial || kind == BufferKind::kStaged;
}

double bytes_of_part(const BufferPart& part) {
  return static_cast<double>(part.rect.elements() * (holds_result(part.buffer.kind) ? kOfResult : kOfOperand));
}

}  // namespace

GpuCommandCosts::Chosen GpuCommandCosts::chosen(const GpuGemm& gemm) const {
  check_gemm(gemm, gpu_);
  GpuGemm plain = gemm;
  plain.adds = false;
  const GpuKernel kernel = choose_gpu_kernel(plain, gpu_);
  return {kernel, burst_clock(gemm, kernel, gpu_)};
}

GpuCommand GpuCommandCosts::product(const GpuGemm& gemm, double most) {
  const std::array<std::int64_t, 5> key{gemm.m, gemm.k, gemm.n, result_bytes(gemm), gemm.adds ? 1 : 0};
  auto found = chosen_.find(key);
  if (found == chosen_.end()) found = chosen_.emplace(key, chosen(gemm)).first;
  const auto& [kernel, burst] = found->second;
  slowest_burst_ = std::min(slowest_burst_, burst);
  const GpuGemmTime time = gpu_gemm_time(gemm, kernel, gpu_, {.clock = std::min(most, burst)});
  return {.time = time.total, .energy = gpu_energy(gemm, kernel, time, gpu_)};
}

GpuCommand GpuCommandCosts::moving(double bytes) const {
  return {.time = gpu_.launch.kernel + gpu_.launch.drain + bytes / gpu_.hbm.bandwidth,
          .energy = gpu_.hbm.energy * bytes / 1e3};
}

std::vector<GpuCommand> GpuCommandCosts::commands(const CommandList& list, double most) {
  std::vector<GpuCommand> commands;
  commands.reserve(list.commands().size());
  for (const Command& command : list.commands()) {
    GpuCommand made;
    switch (command.kind) {
      case CommandKind::kMultiply:
        made = product({.m = command.in.rect.rows.size(),
                        .k = command.in.rect.columns.size(),
                        .n = command.second.rect.columns.size(),
                        .result = kOfResult,
                        .adds = command.accumulate},
                       most);
        break;
      case CommandKind::kZero:
        made = moving(bytes_of_part(command.out));
        break;
      case CommandKind::kAdd:
        made = moving(kReadTwiceWritten * bytes_of_part(command.out));
        break;
      case CommandKind::kCopy:
        made.copy = command.in.buffer.device != command.out.buffer.device;
        if (made.copy) {
          made.from = command.in.buffer.device;
          made.to = command.out.buffer.device;
          made.bytes = bytes_of_part(command.in);
        } else {
          made = moving(2 * bytes_of_part(command.in));
        }
        break;
    }
    made.gpu = command.device;
    made.stream = command.queue;
    made.waits = command.waits;
    commands.push_back(std::move(made));
  }
  return commands;
}

}  // namespace kernbench
