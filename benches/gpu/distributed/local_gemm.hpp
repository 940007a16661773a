// Products of bf16 matrices on one device with cuBLASLt: fp32 accumulation and fp32 result.
#pragma once

#include <cublasLt.h>

#include <array>
#include <map>

#include "benches/gpu/distributed/kernels.hpp"
#include "benches/gpu/gemm/cublaslt_gemm.hpp"

namespace kernbench::gpu {

/// Of the device that is current when it is made. One stream at a time may use it: the workspace is shared.
class LocalGemm {
 public:
  LocalGemm();
  ~LocalGemm();
  LocalGemm(const LocalGemm&) = delete;
  LocalGemm& operator=(const LocalGemm&) = delete;
  LocalGemm(LocalGemm&&) = delete;
  LocalGemm& operator=(LocalGemm&&) = delete;

  /// c = a * b, or c += a * b. Throws NotSupported where cuBLASLt has no algorithm for it, GpuError where it fails;
  /// both name the shape.
  void multiply(MatrixView<float> c, MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                bool accumulate, cudaStream_t stream);

 private:
  /// m, k, n, the three pitches, and the alignment of the three addresses in bytes.
  using Key = std::array<std::int64_t, 9>;
  struct Algorithm {
    cublasLtMatrixLayout_t a = nullptr;
    cublasLtMatrixLayout_t b = nullptr;
    cublasLtMatrixLayout_t c = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
  };
  const Algorithm& algorithm_for(const Key& key);

  CublasLt library_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  std::map<Key, Algorithm> algorithms_;
};

}  // namespace kernbench::gpu
