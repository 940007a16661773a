// Rows of every source become rows that can be learned from, or are refused with their place.
#include "benches/measured/predictor/gemm_rows.hpp"

#include <doctest/doctest.h>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/measured/reference_sample.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/near.hpp"
#include "tests/support/temporary_folder.hpp"

using kernbench::GemmRows;
using kernbench::Json;
using kernbench::Results;
using kernbench::Row;
namespace sample = kernbench::reference_sample;

namespace {

struct RowsOnDisk {
  TemporaryFolder folder;

  [[nodiscard]] std::filesystem::path put(const std::string& name, const std::string& text) const {
    kernbench::write_file(folder.path() / name, text);
    return folder.path() / name;
  }
  [[nodiscard]] std::filesystem::path put(const std::string& name, const Results& results) const {
    return put(name, format_results(results));
  }
};

Row simulated_row(std::int64_t m, const char* variant, std::int64_t tile_m) {
  return sample::row({{"m", m}, {"k", 64}, {"n", 32}, {"variant", variant}},
                     {{"time_ns", 500.0}, {"tile_m", tile_m}, {"tile_k", 64}, {"tile_n", 32}});
}

Results simulated(const std::vector<Row>& rows) {
  Results results = sample::results("gemm", rows);
  results.source = {"sim", "toy", "", "4", "1"};
  return results;
}

}  // namespace

TEST_SUITE("ADR-0046") {
  TEST_CASE("46.1 results files, folders and tables are read, with kinds by all fields but m, n, k and dtype") {
    const RowsOnDisk disk;
    Row cold = sample::gemm_row();
    cold.point["l2"] = "flushed";
    Row failed = sample::gemm_row();
    failed.point["m"] = 1;
    failed.status = "failed";
    const auto measured = disk.put("h/gemm.json", sample::results("gpu-gemm", {sample::gemm_row(), cold, failed}));
    const GemmRows rows = kernbench::read_gemm_rows({.paths = {measured.parent_path()}});
    REQUIRE(rows.rows.size() == 2);
    CHECK(rows.left_out == 1);
    CHECK(rows.kinds[0].name == "l2=warm");
    CHECK(rows.kinds[1].name == "l2=flushed");
    CHECK(words_of(rows.rows[1], rows) == "m=1000 n=1000 k=1000 bf16 l2=flushed");
    CHECK(rows.rows[0].time_ns == 40000);
    CHECK(rows.rows[0].flops() == 2e9);
    CHECK(rows.rows[0].bytes() == 6e6);

    const auto table = disk.put("t.csv", "m,n,k,dtype,tflops\n512,512,1024,fp8_e4m3,100\n");
    const GemmRows both = kernbench::read_gemm_rows({.paths = {measured, table}, .only = "dtype=bf16,dtype=fp8_e4m3"});
    REQUIRE(both.rows.size() == 3);
    CHECK(near(both.rows[2].time_ns, 2.0 * 512 * 512 * 1024 / 1e5, 1e-12));
    CHECK(both.rows[2].bytes() == 2.0 * 512 * 1024 + 2.0 * 512 * 512);  // sums of fp8 are stored as bf16
    CHECK(both.kinds.size() == 3);
  }

  TEST_CASE("46.1 what rows do not say is said for all of them, and kept where they say it") {
    const RowsOnDisk disk;
    const auto file = disk.put("results.json", simulated({simulated_row(64, "ref_ref", 32)}));
    CHECK(::error_of([&] { (void)kernbench::read_gemm_rows({.paths = {file}}); }) ==
          file.string() +
              ": rows[0] (m=64 k=64 n=32 variant=ref_ref): dtype: is missing; where all rows have the same, say it: "
              "--with dtype=bf16");
    const GemmRows rows = kernbench::read_gemm_rows({.paths = {file}, .with = "dtype=int8,variant=other"});
    CHECK(rows.rows[0].dtype == kernbench::Dtype::kInt8);
    CHECK(rows.kinds[0].fields == Json{{"variant", "ref_ref"}});
  }

  TEST_CASE("46.1 columns of our names are taken beside those that are mapped, and --with leaves them") {
    const RowsOnDisk disk;
    const auto dtypes = [](const kernbench::GemmRowsToRead& asked) {
      std::string text;
      for (const auto& row : kernbench::read_gemm_rows(asked).rows) text += std::string(name_of(row.dtype)) + " ";
      return text;
    };
    const auto table = disk.put("t.csv", "m,n,k,dtype,backend,us\n512,512,512,bf16,a,9\n640,512,512,fp16,b,9\n");
    CHECK(dtypes({.paths = {table}, .columns = "time_ns=us*1000"}) == "bf16 fp16 ");
    CHECK(dtypes({.paths = {table}, .with = "dtype=bf16", .columns = "time_ns=us*1000,m=m,n=n,k=k"}) == "bf16 fp16 ");
    CHECK(kernbench::read_gemm_rows({.paths = {table}, .columns = "time_ns=us*1000"}).kinds.at(1).name == "backend=b");
    const std::filesystem::path found =
        std::filesystem::path(kernbench::source_dir()) / "../shared/data/public/09-columns-drop-own-names/rows.csv";
    if (!std::filesystem::exists(found)) {
      MESSAGE("skipped: there is no ../shared/data/public/09-columns-drop-own-names beside the source tree");
      return;
    }
    CHECK(dtypes({.paths = {found}, .columns = "time_ns=time_us*1000"}) == "bf16 fp16 fp16 ");
    CHECK(dtypes({.paths = {found}, .with = "dtype=bf16", .columns = "time_ns=time_us*1000,m=m,n=n,k=k"}) ==
          "bf16 fp16 fp16 ");
  }

  TEST_CASE("46.1 a row that is no GEMM with a time is refused with file, row and field") {
    const RowsOnDisk disk;
    const auto message = [&disk](const char* field, const Json& value) {
      Row bad = sample::gemm_row();
      Json& part = std::string(field) == "time_ns" ? bad.metrics.json() : bad.point;
      part.erase(field);
      if (field == std::string("time_ns")) bad.metrics.json().erase("tflops");
      if (!value.is_null()) part[field] = value;
      const auto file = disk.put("bad.json", sample::results("gpu-gemm", {sample::gemm_row(), bad}));
      const std::string said = ::error_of([&] { (void)kernbench::read_gemm_rows({.paths = {file}}); });
      REQUIRE(said.starts_with(file.string() + ": rows[1] ("));
      return said.substr(said.find("): ") + 3);
    };
    CHECK(message("k", nullptr) == "k: is missing: expected rows of GEMMs, which have m, n and k");
    CHECK(message("m", 0) == "m: expected a whole number from 1 to 1,000,000,000, got 0");
    CHECK(message("m", 1.5) == "m: expected a whole number from 1 to 1,000,000,000, got 1.5");
    CHECK(message("time_ns", -3) == "time_ns: expected a number above 0, got -3");
    CHECK(message("time_ns", nullptr) == "time_ns: is missing, and so is tflops: expected one of them");
    CHECK(message("dtype", "bf17").starts_with("dtype: unknown dtype 'bf17': did you mean 'bf16'?"));

    const auto table = disk.put("t.csv", "m,n,k,dtype,time_ns\n512,512,512,bf16,10\n512,x,512,bf16,10\n");
    CHECK(::error_of([&] { (void)kernbench::read_gemm_rows({.paths = {table}}); }) ==
          table.string() + ":3: n: expected a number, got \"x\"");
    const auto none = disk.folder.path();
    CHECK(::error_of([&] { (void)kernbench::read_gemm_rows({.paths = {none}}); }) ==
          none.string() + ": expected a folder with results.json or gemm.json");
  }

  TEST_CASE("46.2 a kind has a tile where all of its rows have the same") {
    const RowsOnDisk disk;
    const auto file =
        disk.put("results.json", simulated({simulated_row(64, "ref_ref", 32), simulated_row(96, "ref_ref", 32),
                                            simulated_row(64, "load_ref", 32), simulated_row(96, "load_ref", 16),
                                            simulated_row(128, "load_ref", 16)}));
    const GemmRows rows = kernbench::read_gemm_rows({.paths = {file}, .with = "dtype=bf16"});
    CHECK(rows.kinds[0].tile == std::vector<std::int64_t>{32, 64, 32});
    CHECK(rows.kinds[1].tile.empty());
  }
}
