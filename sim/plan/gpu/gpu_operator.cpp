#include "sim/plan/gpu/gpu_operator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_counts.hpp"

namespace kernbench {
namespace {

constexpr double kElementsOfCta = 1024;  // of elementwise kernels: 128 threads, 8 elements each
constexpr double kCtasOfSm = 16;         // of 128 threads and up to 32 registers
constexpr double kNormCtasOfFp32 = 12;   // of 39 registers
constexpr std::int64_t kReduceThreads = 512;
constexpr std::int64_t kReduceSerial = 256;  // elements of a thread from which several CTAs reduce
constexpr std::int64_t kWarpRow = 2048;      // longest row that a warp keeps in registers
constexpr std::int64_t kBlockRow = 8192;     // and a CTA

/// An operator under its conditions: what its kernels have alike.
struct Case {
  const OperatorProblem& problem;
  const GpuSpec& gpu;
  bool flushed = false;
  double bandwidth = 0;

  [[nodiscard]] const GpuOperators& cost() const { return gpu.operators; }
  [[nodiscard]] double rows() const { return real(problem.rows()); }
  [[nodiscard]] double bytes() const { return real(problem.elements()) * real(bytes_of(1, problem.dtype)); }
  /// Part of a footprint that is not found in the L2.
  [[nodiscard]] double missed(double footprint) const {
    return std::clamp((footprint - gpu.l2.resident) / gpu.l2.spill, 0.0, 1.0);
  }
  /// Of operands of that footprint at the operator's begin.
  [[nodiscard]] double missed_first(double footprint) const { return flushed ? 1 : missed(footprint); }
  [[nodiscard]] double from_hbm() const { return flushed ? gpu.launch.from_hbm : 0; }
};

GpuOperatorKernel finished(GpuOperatorKernel kernel, double p) {
  kernel.time = kernel.launch + joined_limits({kernel.sm, kernel.l2, kernel.hbm}, p);
  return kernel;
}

/// Reads and writes `passes` matrices, element by element.
GpuOperatorKernel elementwise(const Case& of, double passes, double cta) {
  const double missed = of.missed_first(passes * of.bytes());
  const double ctas = real(of.problem.elements()) / kElementsOfCta;
  GpuOperatorKernel kernel{"elementwise", std::llround(std::ceil(ctas)), 128};
  kernel.launch = of.cost().launch + of.from_hbm();
  kernel.sm = ctas / (of.gpu.sm.count * kCtasOfSm) * (cta + of.cost().far * missed);
  kernel.l2 = passes * of.bytes() / of.cost().l2;
  kernel.hbm = passes * of.bytes() * missed / of.bandwidth;
  return finished(kernel, of.cost().overlap);
}

/// The mean of what the elementwise kernel of MSE wrote.
GpuOperatorKernel reduction(const Case& of) {
  const std::int64_t elements = of.problem.elements();
  if (elements < kReduceThreads * kReduceSerial) {
    GpuOperatorKernel kernel{"reduce", 1, kReduceThreads, of.cost().launch + of.cost().reduce_single};
    kernel.sm = of.bytes() / of.cost().reduce_rate;
    return finished(kernel, of.cost().overlap);
  }
  constexpr std::int64_t kElementsOfThread = 16;
  const auto most = static_cast<std::int64_t>(of.gpu.sm.count) * 4;
  const std::int64_t ctas = std::max(std::min(elements / (kReduceThreads * kElementsOfThread), most),
                                     elements / (kReduceThreads * kReduceSerial));
  GpuOperatorKernel kernel{"reduce", ctas, kReduceThreads, of.cost().launch + of.cost().reduce};
  kernel.l2 = of.bytes() / of.cost().l2;
  kernel.hbm = of.bytes() * of.missed(3 * of.bytes()) / of.bandwidth;
  return finished(kernel, of.cost().overlap);
}

/// A CTA of 128 threads a row; the row is read a second time once its mean and variance are known.
GpuOperatorKernel layer_norm(const Case& of) {
  const GpuOperators& cost = of.cost();
  const std::int64_t dimension = of.problem.dimension;
  const double resident = of.problem.dtype == Dtype::kFp32 ? kNormCtasOfFp32 : kCtasOfSm;
  const double slots = of.gpu.sm.count * resident;
  const double missed = of.missed_first(2 * of.bytes());
  const double steps = real(ceil_div(dimension, 4 * kWarp));
  const double cta = cost.norm_cta + cost.norm_warp * std::min(4.0, steps) + cost.norm_step * steps;
  const double alone = real(ceil_div(dimension, 16 * kWarp)) * (cost.norm_alone + cost.far * missed);
  const double rounds = std::floor(of.rows() / slots);
  const double left = of.rows() - rounds * slots;
  GpuOperatorKernel kernel{"layer_norm", of.problem.rows(), 4 * kWarp};
  kernel.launch = cost.launch + cost.norm_launch + of.from_hbm();
  kernel.sm = rounds * cta + (left > 0 ? std::max(left / slots * cta, alone) : 0);
  kernel.l2 = 3 * of.bytes() / cost.l2;
  const double being_read = std::min(of.rows(), slots) * of.bytes() / of.rows();
  kernel.hbm = of.bytes() * (2 * missed + of.missed(being_read)) / of.bandwidth;
  return finished(kernel, cost.overlap_rows);
}

/// Registers of a thread of the kernel that keeps rows of so many elements (a power of two) in warps.
std::int64_t softmax_registers(std::int64_t elements) {
  if (elements <= 128) return 27;
  if (elements <= 256) return 32;
  if (elements <= 512) return 40;
  return elements <= 1024 ? 72 : 128;
}

/// log_softmax: a warp a row, a CTA a row, or a CTA that reads its row three times.
GpuOperatorKernel softmax(const Case& of) {
  const GpuOperators& cost = of.cost();
  const std::int64_t dimension = of.problem.dimension;
  GpuOperatorKernel kernel{"softmax", of.problem.rows(), 1024, cost.launch + of.from_hbm()};
  double passes = 2;
  double again = 0;
  if (dimension <= kWarpRow) {
    constexpr std::int64_t kThreads = 128;
    const auto padded =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(dimension, kWarp))));
    const std::int64_t registers = ceil_div(softmax_registers(padded), std::int64_t{8}) * 8;
    const double warps = 4 * std::min(kCtasOfSm, std::floor(of.gpu.sm.registers / real(registers * kThreads)));
    const double rows_of_warp = padded <= 128 ? 2 : 1;
    const double slots = warps * rows_of_warp * of.gpu.sm.count;
    const double row = cost.softmax_row + cost.softmax_element * real(padded);
    kernel.ctas = ceil_div(of.problem.rows(), static_cast<std::int64_t>(4 * rows_of_warp));
    kernel.threads = kThreads;
    kernel.sm = std::max(of.rows() / slots * row, cost.softmax_alone);
  } else if (dimension <= kBlockRow) {
    const std::int64_t steps = ceil_div(dimension, std::int64_t{1024});
    const bool two = steps < 8;  // with eight elements a thread takes 36 registers
    const double slots = of.gpu.sm.count * (two ? 2 : 1);
    kernel.sm = std::ceil(of.rows() / slots) *
                (cost.softmax_block + cost.softmax_step * real(steps) * (two ? 1 : cost.softmax_one));
  } else {
    passes = 4;
    again = 2 * of.missed(2 * std::min(of.rows(), 2 * of.gpu.sm.count) * of.bytes() / of.rows());
  }
  kernel.l2 = passes * of.bytes() / cost.l2;
  kernel.hbm = of.bytes() * (2 * of.missed_first(2 * of.bytes()) + again) / of.bandwidth;
  return finished(kernel, cost.overlap_rows);
}

/// The mean of the losses, by one CTA: each thread reads a class, and then the logarithm there, of one row after
/// another.
GpuOperatorKernel nll_loss(const Case& of) {
  const GpuOperators& cost = of.cost();
  GpuOperatorKernel kernel{"nll_loss", 1, loss_threads(of.problem.rows()), cost.launch};
  const double written = of.missed(2 * of.bytes());
  const double classes = of.flushed ? 1 : written;
  const double step =
      joined_limits({cost.loss_step, cost.loss_threads * real(kernel.threads) / 1024}, cost.overlap_rows);
  kernel.sm = real(ceil_div(of.problem.rows(), kernel.threads)) * (step + cost.far * (classes + written) / 2);
  return finished(kernel, cost.overlap_rows);
}

void check_gpu_operator(const OperatorProblem& problem, const GpuSpec& gpu) {
  check_operator(problem);
  if (!gpu.operators.given) {
    throw CapacityError("operators: missing in the file of " + gpu.name + "; expected what operators cost there");
  }
  const double bytes = real(problem.least_read() + problem.least_written());
  if (bytes > gpu.hbm.capacity) {
    throw CapacityError("the operator reads and writes " +
                        std::to_string(problem.least_read() + problem.least_written()) + " B, and " + gpu.name +
                        " has hbm.capacity " + std::to_string(static_cast<std::int64_t>(gpu.hbm.capacity)) + " B");
  }
}

}  // namespace

std::int64_t loss_threads(std::int64_t rows) {
  const double sixteenth = std::max(real(rows / 16), 1.0);
  return std::clamp(std::int64_t{1} << std::llround(std::floor(std::log2(sixteenth) + 0.5)), kWarp, std::int64_t{1024});
}

Picoseconds GpuOperatorTime::time() const { return {std::llround(total * 1000)}; }

std::string GpuOperatorTime::limit() const {
  const GpuOperatorKernel& longest = *std::ranges::max_element(kernels, {}, &GpuOperatorKernel::time);
  const double most = std::max({longest.launch, longest.sm, longest.l2, longest.hbm});
  if (most == longest.launch) return "launch";
  if (most == longest.hbm) return "HBM";
  return most == longest.sm ? "SMs" : "L2";
}

GpuOperatorTime gpu_operator_time(const OperatorProblem& problem, const GpuSpec& gpu,
                                  const GpuOperatorConditions& conditions) {
  check_gpu_operator(problem, gpu);
  const GpuOperators& cost = gpu.operators;
  const Case of{problem, gpu, conditions.l2 == L2State::kFlushed,
                conditions.sustained ? cost.sustained : cost.bandwidth};
  GpuOperatorTime time;
  switch (problem.op) {
    case Operator::kGelu:
      time.kernels = {elementwise(of, 2, cost.gelu)};
      break;
    case Operator::kSwish:
      time.kernels = {elementwise(of, 2, cost.swish)};
      break;
    case Operator::kMse:
      time.kernels = {elementwise(of, 3, cost.swish), reduction(of)};
      break;
    case Operator::kLayerNorm:
      time.kernels = {layer_norm(of)};
      break;
    case Operator::kCrossEntropy:
      time.kernels = {softmax(of), nll_loss(of)};
      time.has_sm_work = problem.dimension <= kBlockRow;
      break;
    default:
      throw CapacityError("operator " + std::string(kOperators[problem.op]) +
                          ": expected layernorm, gelu, swish, mse or cross_entropy, whose kernels on GPUs are known");
  }
  for (const GpuOperatorKernel& kernel : time.kernels) time.total += kernel.time;
  return time;
}

std::int64_t operators_of_sample(double ns) {
  constexpr double kSampleNs = 200e3;
  constexpr double kMost = 64;
  return std::llround(std::clamp(std::ceil(kSampleNs / ns), 1.0, kMost));
}

double measured_operator_ns(const OperatorProblem& problem, const GpuSpec& gpu, L2State l2) {
  double time = gpu_operator_time(problem, gpu, {.l2 = l2}).total;
  const std::int64_t operators = operators_of_sample(time);
  if (operators == 1) time = gpu_operator_time(problem, gpu, {.l2 = l2, .sustained = true}).total;
  return time + gpu.operators.graph / real(operators);
}

}  // namespace kernbench
