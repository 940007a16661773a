#include "sim/system/training/compute_stream.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace kernbench {

ComputeStream::ComputeStream(System& system, const MultiPeGemmKernel& kernel, std::vector<Gemm> gemms, Picoseconds gap,
                             std::vector<std::int32_t> pes, std::function<void(std::size_t gemm)> ended)
    : calendar_(system.calendar()),
      kernel_(kernel),
      gemms_(std::move(gemms)),
      gap_(gap),
      ended_(std::move(ended)),
      times_(gemms_.size()),
      pes_ended_(gemms_.size()),
      launch_(
          "a rank's GEMMs", [this](KernelPe pe) { return run(pe); }, std::move(pes)) {
  for (std::size_t i = 0; i < gemms_.size(); ++i) gates_.emplace_back(calendar_, "start of GEMM " + std::to_string(i));
  begin(0, {});
}

Process ComputeStream::run(KernelPe pe) {
  for (std::size_t gemm = 0; gemm < gemms_.size(); ++gemm) {
    co_await gates_[gemm].wait();
    Process part = kernel_.run(pe, gemms_[gemm].call);
    co_await part.finished();
    co_await calendar_.delay(gemms_[gemm].extra);
    end(gemm);
  }
}

void ComputeStream::begin(std::size_t gemm, Picoseconds after) {
  times_[gemm].start = std::max(after, gemms_[gemm].earliest);
  gates_[gemm].complete(times_[gemm].start);
}

void ComputeStream::end(std::size_t gemm) {
  if (++pes_ended_[gemm] < launch_.pes().size()) return;
  times_[gemm].end = calendar_.now();
  ended_(gemm);
  if (gemm + 1 < gemms_.size()) begin(gemm + 1, calendar_.now() + gap_);
}

}  // namespace kernbench
