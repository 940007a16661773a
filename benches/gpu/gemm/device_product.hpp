// A product on the current device, with operands of its own, that can be enqueued and checked.
#pragma once

#include <cstdint>

#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/gemm/cublaslt_gemm.hpp"
#include "benches/io/text/json.hpp"

namespace kernbench::gpu {

class DeviceProduct {
 public:
  /// Of m, k, n and dtype of `point`: standard normal operands, a result that nobody wrote. Throws NotSupported where
  /// the library has no such product, GpuError otherwise.
  DeviceProduct(const Json& point, std::uint64_t seed, const Stream& stream);

  void enqueue(cudaStream_t stream) const { gemm_.enqueue(a_.data(), b_.data(), c_.data(), stream); }

  /// ||C - A B|| / ||A B|| at some places; NaN where C has what is no number. Waits for the stream.
  [[nodiscard]] double error(std::uint64_t seed, const Stream& stream) const;

 private:
  std::int64_t m_;
  std::int64_t k_;
  std::int64_t n_;
  CublasLt library_;
  CublasLtGemm gemm_;
  DeviceBuffer a_;
  DeviceBuffer b_;
  DeviceBuffer c_;
};

}  // namespace kernbench::gpu
