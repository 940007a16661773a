// cuBLASLt thinks column-major: a row-major C = A B is a column-major C' = B' A', so B is its first operand.
#include "benches/gpu/gemm/cublaslt_gemm.hpp"

#include "benches/gpu/run_cases.hpp"

namespace kernbench::gpu {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20U;

void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw GpuError(std::string(what) + ": " + cublasLtGetStatusName(status) + ": " + cublasLtGetStatusString(status));
}

cudaDataType_t data_type(Element element) {
  switch (element) {
    case Element::kFp32:
      return CUDA_R_32F;
    case Element::kFp16:
      return CUDA_R_16F;
    case Element::kBf16:
      return CUDA_R_16BF;
    case Element::kFp8E4m3:
      return CUDA_R_8F_E4M3;
  }
  throw GpuError("no such element");
}

}  // namespace

CublasLt::CublasLt() : workspace_(kWorkspaceBytes) { require(cublasLtCreate(&handle_), "cublasLtCreate"); }

CublasLt::~CublasLt() {
  if (handle_ != nullptr) static_cast<void>(cublasLtDestroy(handle_));
}

struct CublasLtGemm::Handles {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t c = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulAlgo_t algorithm{};

  Handles() = default;
  ~Handles() {
    if (preference != nullptr) static_cast<void>(cublasLtMatmulPreferenceDestroy(preference));
    for (cublasLtMatrixLayout_t layout : {a, b, c}) {
      if (layout != nullptr) static_cast<void>(cublasLtMatrixLayoutDestroy(layout));
    }
    if (product != nullptr) static_cast<void>(cublasLtMatmulDescDestroy(product));
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  Handles(Handles&&) = delete;
  Handles& operator=(Handles&&) = delete;
};

CublasLtGemm::CublasLtGemm(const CublasLt& library, std::int64_t m, std::int64_t k, std::int64_t n,
                           const std::string& dtype)
    : library_(library),
      inputs_(element_of(dtype)),
      output_(inputs_ == Element::kFp8E4m3 ? Element::kBf16 : inputs_),
      b_column_major_(inputs_ == Element::kFp8E4m3),
      handles_(std::make_unique<Handles>()) {
  Handles& h = *handles_;
  const cublasComputeType_t compute = dtype == "tf32" ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  require(cublasLtMatmulDescCreate(&h.product, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
  if (b_column_major_) {
    const cublasOperation_t transposed = CUBLAS_OP_T;
    require(cublasLtMatmulDescSetAttribute(h.product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
            "CUBLASLT_MATMUL_DESC_TRANSA");
  }
  const auto rows = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
  const cudaDataType_t in = data_type(inputs_);
  require(b_column_major_ ? cublasLtMatrixLayoutCreate(&h.b, in, rows(k), rows(n), k)
                          : cublasLtMatrixLayoutCreate(&h.b, in, rows(n), rows(k), n),
          "layout of B");
  require(cublasLtMatrixLayoutCreate(&h.a, in, rows(k), rows(m), k), "layout of A");
  require(cublasLtMatrixLayoutCreate(&h.c, data_type(output_), rows(n), rows(m), n), "layout of C");
  require(cublasLtMatmulPreferenceCreate(&h.preference), "cublasLtMatmulPreferenceCreate");
  const std::uint64_t most = library.workspace().bytes();
  require(
      cublasLtMatmulPreferenceSetAttribute(h.preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
      "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES");
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(library.handle(), h.product, h.b, h.a, h.c, h.c, h.preference, 1, &found, &count);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && count == 0)) {
    throw NotSupported("cuBLASLt has no algorithm for this shape, dtype and layout");
  }
  require(status, "cublasLtMatmulAlgoGetHeuristic");
  h.algorithm = found.algo;
}

CublasLtGemm::~CublasLtGemm() = default;

void CublasLtGemm::enqueue(const void* a, const void* b, void* c, cudaStream_t stream, float beta) const {
  const float alpha = 1;
  const Handles& h = *handles_;
  require(cublasLtMatmul(library_.handle(), h.product, &alpha, b, h.b, a, h.a, &beta, c, h.c, c, h.c, &h.algorithm,
                         library_.workspace().data(), library_.workspace().bytes(), stream),
          "cublasLtMatmul");
}

}  // namespace kernbench::gpu
