// One product by cuBLASLt's best guess for it.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <string>

#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {

/// The library and the workspace that all products share: made once a device.
class CublasLt {
 public:
  CublasLt();
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;
  CublasLt(CublasLt&&) = delete;
  CublasLt& operator=(CublasLt&&) = delete;

  [[nodiscard]] cublasLtHandle_t handle() const { return handle_; }
  [[nodiscard]] const DeviceBuffer& workspace() const { return workspace_; }

 private:
  cublasLtHandle_t handle_ = nullptr;
  DeviceBuffer workspace_;
};

/// C = alpha A B + beta C with fp32 accumulation: A (m x k) and C (m x n) row-major; B (k x n) row-major, of fp8
/// column-major. C has the inputs' dtype, of fp8 bf16.
class CublasLtGemm {
 public:
  /// Takes the first algorithm of the library's heuristics. Throws NotSupported where it has none, GpuError otherwise.
  CublasLtGemm(const CublasLt& library, std::int64_t m, std::int64_t k, std::int64_t n, const std::string& dtype);
  ~CublasLtGemm();
  CublasLtGemm(const CublasLtGemm&) = delete;
  CublasLtGemm& operator=(const CublasLtGemm&) = delete;
  CublasLtGemm(CublasLtGemm&&) = delete;
  CublasLtGemm& operator=(CublasLtGemm&&) = delete;

  void enqueue(const void* a, const void* b, void* c, cudaStream_t stream, float beta = 0) const;

  [[nodiscard]] Element inputs() const { return inputs_; }
  [[nodiscard]] Element output() const { return output_; }
  [[nodiscard]] bool b_column_major() const { return b_column_major_; }
  [[nodiscard]] const char* layout() const { return b_column_major_ ? "tn" : "nn"; }

 private:
  struct Handles;

  const CublasLt& library_;
  Element inputs_;
  Element output_;
  bool b_column_major_;
  std::unique_ptr<Handles> handles_;
};

}  // namespace kernbench::gpu
