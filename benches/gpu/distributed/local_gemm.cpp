// cuBLASLt sees column-major matrices, where a row-major one is its transpose: C^T = B^T * A^T needs no copies.
#include "benches/gpu/distributed/local_gemm.hpp"

#include <cstdint>
#include <string>

#include "benches/gpu/run_cases.hpp"

namespace kernbench::gpu {
namespace {

void check_blas(cublasStatus_t status, const std::string& what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw GpuError(what + ": " + cublasLtGetStatusName(status) + ": " + cublasLtGetStatusString(status));
}

/// The largest power of two, up to 256, that divides the address.
std::int64_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256U;
  return static_cast<std::int64_t>(bits & (~bits + 1));
}

void set_alignment(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t which,
                   std::int64_t bytes) {
  const auto value = static_cast<std::uint32_t>(bytes);
  check_blas(cublasLtMatmulPreferenceSetAttribute(preference, which, &value, sizeof(value)),
             "cublasLtMatmulPreferenceSetAttribute");
}

cublasLtMatrixLayout_t layout(cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  cublasLtMatrixLayout_t made = nullptr;
  check_blas(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(columns),
                                        static_cast<std::uint64_t>(rows), pitch),
             "cublasLtMatrixLayoutCreate");
  return made;
}

/// A preference that is destroyed with the scope.
class Preference {
 public:
  Preference() { check_blas(cublasLtMatmulPreferenceCreate(&handle_), "cublasLtMatmulPreferenceCreate"); }
  ~Preference() { static_cast<void>(cublasLtMatmulPreferenceDestroy(handle_)); }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;
  Preference(Preference&&) = delete;
  Preference& operator=(Preference&&) = delete;
  [[nodiscard]] cublasLtMatmulPreference_t get() const { return handle_; }

 private:
  cublasLtMatmulPreference_t handle_ = nullptr;
};

}  // namespace

LocalGemm::LocalGemm() {
  check_blas(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
}

LocalGemm::~LocalGemm() {
  for (const auto& [key, algorithm] : algorithms_) {
    for (cublasLtMatrixLayoutOpaque_t* used : {algorithm.a, algorithm.b, algorithm.c}) {
      static_cast<void>(cublasLtMatrixLayoutDestroy(used));
    }
  }
  static_cast<void>(cublasLtMatmulDescDestroy(operation_));
}

const LocalGemm::Algorithm& LocalGemm::algorithm_for(const Key& key) {
  const auto known = algorithms_.find(key);
  if (known != algorithms_.end()) return known->second;
  const auto& [m, k, n, a_pitch, b_pitch, c_pitch, a_aligned, b_aligned, c_aligned] = key;
  const std::string shape = std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n) + " (m x k x n)";

  // In the map before anything can fail: the destructor frees what is there.
  Algorithm& found = algorithms_[key];
  try {
    found.a = layout(CUDA_R_16BF, m, k, a_pitch);
    found.b = layout(CUDA_R_16BF, k, n, b_pitch);
    found.c = layout(CUDA_R_32F, m, n, c_pitch);
    const Preference preference;
    const std::size_t workspace_bytes = library_.workspace().bytes();
    check_blas(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &workspace_bytes, sizeof(workspace_bytes)),
               "cublasLtMatmulPreferenceSetAttribute");
    set_alignment(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, b_aligned);
    set_alignment(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, a_aligned);
    set_alignment(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, c_aligned);
    set_alignment(preference.get(), CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, c_aligned);
    cublasLtMatmulHeuristicResult_t result{};
    int results = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        library_.handle(), operation_, found.b, found.a, found.c, found.c, preference.get(), 1, &result, &results);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && results == 0)) {
      throw NotSupported("cuBLASLt has no algorithm for " + shape +
                         " in bf16 with an fp32 result, addresses of A, B, C " + "at multiples of " +
                         std::to_string(a_aligned) + ", " + std::to_string(b_aligned) + ", " +
                         std::to_string(c_aligned) + " bytes");
    }
    check_blas(status, "cublasLtMatmulAlgoGetHeuristic of " + shape);
    found.algorithm = result.algo;
  } catch (...) {
    for (cublasLtMatrixLayoutOpaque_t* made : {found.a, found.b, found.c}) {
      if (made != nullptr) static_cast<void>(cublasLtMatrixLayoutDestroy(made));
    }
    algorithms_.erase(key);
    throw;
  }
  return found;
}

void LocalGemm::multiply(MatrixView<float> c, MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                         bool accumulate, cudaStream_t stream) {
  const Algorithm& algorithm = algorithm_for({a.rows, a.columns, b.columns, a.pitch, b.pitch, c.pitch,
                                              alignment_of(a.data), alignment_of(b.data), alignment_of(c.data)});
  const float one = 1;
  const float before = accumulate ? 1.0F : 0.0F;
  check_blas(cublasLtMatmul(library_.handle(), operation_, &one, b.data, algorithm.b, a.data, algorithm.a, &before,
                            c.data, algorithm.c, c.data, algorithm.c, &algorithm.algorithm, library_.workspace().data(),
                            library_.workspace().bytes(), stream),
             "cublasLtMatmul of " + std::to_string(a.rows) + " x " + std::to_string(a.columns) + " x " +
                 std::to_string(b.columns) + " (m x k x n)");
}

}  // namespace kernbench::gpu
