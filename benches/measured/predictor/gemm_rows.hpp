// GEMMs with their times, of any source, as a predictor learns from them (adr/0046).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"
#include "sim/base/dtype.hpp"

namespace kernbench {

/// What was measured or simulated how: all that rows say beside m, n, k and dtype.
struct GemmKind {
  std::string name;                  ///< "backend=cublaslt l2=warm": the fields in which the kinds differ; may be empty
  Json fields = Json::object();      ///< all of them
  std::vector<std::int64_t> tile{};  ///< m, k, n of the tile that all its rows say they have; else empty
};

struct GemmRow {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  Dtype dtype = Dtype::kBf16;
  std::size_t kind = 0;  ///< place in GemmRows::kinds
  double time_ns = 0;    ///< more than 0

  [[nodiscard]] double flops() const;  ///< 2 m n k
  [[nodiscard]] double bytes() const;  ///< of A, B and C, each once; C in the dtype in which products of `dtype` end
  [[nodiscard]] double tflops() const { return flops() / time_ns / 1e3; }
};

struct GemmRows {
  std::vector<GemmRow> rows;
  std::vector<GemmKind> kinds;       ///< in the order in which rows first have them
  std::vector<std::string> sources;  ///< "gpu-gemm of gpu:NVIDIA H200 (FILE)", one a file
  std::size_t left_out = 0;          ///< rows that failed or were skipped
};

struct GemmRowsToRead {
  std::vector<std::filesystem::path> paths;  ///< results files, folders of results.json or gemm.json, CSV tables
  std::string only{};                        ///< as AllowedRows reads it
  std::string with{};                        ///< "dtype=bf16": of rows that do not say it
  std::string columns{};                     ///< of CSV tables, as parse_column_mappings reads them
};

/// The file that a path of GemmRowsToRead means. Throws ConfigError for a folder without results of GEMMs.
[[nodiscard]] std::filesystem::path gemm_rows_file(const std::filesystem::path& path);

/// All rows that are ok, in the order of the files. Throws ConfigError "FILE: rows[3] (m=1 ...): FIELD: expected WHAT,
/// got WHAT" for a row that is no GEMM or has no time (time_ns, else tflops), for a dtype of unknown size, and where no
/// row is left; as read_results and read_published_csv do.
[[nodiscard]] GemmRows read_gemm_rows(const GemmRowsToRead& asked);

/// "m=512 n=512 k=512 bf16 backend=cublaslt": the kind where it has a name.
[[nodiscard]] std::string words_of(const GemmRow& row, const GemmRows& rows);

/// What the predictor says of rows, as results without rows yet: their bench is `what`.
[[nodiscard]] Results results_about(const GemmRows& rows, const std::string& what);
/// With sizes, dtype and the fields of its kind, and nothing else yet.
[[nodiscard]] Row row_about(const GemmRow& row, const GemmRows& rows);

}  // namespace kernbench
