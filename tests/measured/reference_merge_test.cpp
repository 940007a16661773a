// Taking results in: order, equality, replacement, environments; whatever is taken in is read back equal.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/measured/reference/checks.hpp"
#include "benches/measured/reference/import.hpp"
#include "benches/measured/reference/merge.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "tests/measured/reference_sample.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fs = std::filesystem;
namespace sample = kernbench::reference_sample;
using kernbench::canonical_reference;
using kernbench::format_results;
using kernbench::Json;
using kernbench::merge_reference;
using kernbench::Results;
using kernbench::Row;

namespace {

/// A row for another m.
Row gemm_row_of(int m) {
  Row row = sample::gemm_row();
  row.point["m"] = m;
  row.metrics.json()["tflops"] = 50.0 * m / 1000;
  row.metrics.json()["peak_fraction"] = 0.5 * m / 1000;
  return row;
}

Results gemm(const std::vector<int>& sizes) {
  std::vector<Row> rows;
  rows.reserve(sizes.size());
  for (const int m : sizes) rows.push_back(gemm_row_of(m));
  return sample::results("gpu-gemm", rows);
}

std::vector<int> sizes_of(const Results& results) {
  std::vector<int> sizes;
  for (const Row& row : results.rows) sizes.push_back(row.point.at("m").get<int>());
  return sizes;
}

/// A file that passes all checks: random shapes, times, spreads and statuses.
rc::Gen<Results> good_results() {
  return rc::gen::exec([] {
    std::vector<Row> rows;
    const auto sizes = *rc::gen::unique<std::vector<int>>(rc::gen::inRange(1, 2000));
    for (const int m : sizes) {
      Row row = sample::gemm_row();
      row.point["m"] = m;
      if (*rc::gen::weightedElement<bool>({{4, false}, {1, true}})) {
        row.status = *rc::gen::element<std::string>("failed", "skipped");
        row.reason =
            *rc::gen::element<std::string>("time budget", "wrong: relative error 0.3", "a \"quote\", a comma\n");
        row.metrics.json() = Json::object();
      } else {
        const double time_ns = 2e6 * m / (*rc::gen::inRange(1, 109000) * 1.0);  // below 1.1 x the peak
        const double second_ns = time_ns * *rc::gen::inRange(900, 1100) / 1000.0;
        const double spread = std::abs(second_ns - time_ns) / std::min(second_ns, time_ns);
        row.metrics.json()["time_ns"] = time_ns;
        row.metrics.json()["time_p10_ns"] = time_ns * 0.9;
        row.metrics.json()["time_p90_ns"] = time_ns * 1.7;
        row.metrics.json()["tflops"] = 2e6 * m / time_ns / 1e3;
        row.metrics.json()["peak_fraction"] = row.metrics.json()["tflops"].get<double>() / 100;
        row.metrics.json()["rerun_time_ns"] = second_ns;
        row.metrics.json()["rerun_spread"] = spread;
        if (spread > 0.05) row.flags.emplace_back("noisy");
      }
      rows.push_back(std::move(row));
    }
    return sample::results("gpu-gemm", rows);
  });
}

}  // namespace

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.12 rows are sorted by point, numbers by size, and points have the order of the bench") {
    Results results = gemm({1000, 9, 128});
    Row other = gemm_row_of(9);
    other.point["backend"] = "torch_eager";
    results.rows.insert(results.rows.begin(), other);
    results.rows[1].point = {{"l2", "warm"}, {"backend", "cublaslt"}, {"dtype", "bf16"}, {"n", 1000}, {"k", 1000},
                             {"m", 1000}};
    const Results sorted = canonical_reference(results);
    CHECK(sizes_of(sorted) == std::vector<int>{9, 9, 128, 1000});
    CHECK(sorted.rows[0].point["backend"] == "cublaslt");
    CHECK(sorted.rows[3].point == gemm_row_of(1000).point);
    CHECK_THROWS_AS((void)canonical_reference(sample::results("gemm", {})), kernbench::ConfigError);
  }

  TEST_CASE("22.12 the same data give the same bytes, whatever came first") {
    const auto one = merge_reference(gemm({1, 3}), gemm({2}), false, "f.json");
    const auto two = merge_reference(gemm({2}), gemm({3, 1}), false, "f.json");
    CHECK(one.findings.empty());
    CHECK(one.added == 1);
    CHECK(two.added == 2);
    CHECK(format_results(one.results) == format_results(two.results));
  }

  TEST_CASE("22.12 taking in the same file again changes nothing, and a longer file goes on from the shorter") {
    auto again = merge_reference(gemm({1, 2}), gemm({2}), false, "f.json");
    CHECK(again.unchanged == 1);
    CHECK(format_results(again.results) == format_results(gemm({1, 2})));
    Results longer = gemm({1, 2, 3});
    longer.provenance["wall_s"] = 99;
    again = merge_reference(gemm({1, 2}), longer, false, "f.json");
    CHECK(again.results.provenance["wall_s"] == 99);
  }

  TEST_CASE("22.12 whatever passes the checks is taken in and read back equal") {
    const TemporaryFolder folder;
    kernbench::write_file(folder.path() / "device.json", format_device(sample::device()));
    const bool held = rc::check([&folder] {
      const Results results = *good_results();
      kernbench::write_file(folder.path() / "in.json", format_results(results));
      kernbench::ImportRequest request;
      request.files = {folder.path() / "in.json"};
      request.device = folder.path() / "device.json";
      request.into = folder.path() / "reference";
      fs::remove_all(request.into);
      const auto plan = kernbench::plan_import(request);
      RC_ASSERT(plan.findings == std::vector<std::string>{});
      RC_ASSERT(!fs::exists(request.into));  // a plan writes nothing
      kernbench::write_import(plan, kernbench::lock_references(request.into));
      const auto read = kernbench::read_reference(request.into, "acme-g-100", "gpu-gemm");
      RC_ASSERT(read.has_value());
      RC_ASSERT(format_results(*read) == format_results(canonical_reference(results)));
    });
    CHECK(held);
  }

  TEST_CASE("22.13 a row that is there with other values is replaced only on request") {
    Results fresh = gemm({2, 3});
    fresh.rows[0].metrics.json()["error"] = 0.001;
    auto merged = merge_reference(gemm({1, 2}), fresh, false, "f.json");
    CHECK(merged.findings ==
          std::vector<std::string>{"f.json: rows: 1 row is there already with other values (m=2 k=1000 n=1000 "
                                   "dtype=bf16 backend=cublaslt l2=warm): --replace takes the new ones"});
    merged = merge_reference(gemm({1, 2}), fresh, true, "f.json");
    CHECK(merged.findings.empty());
    CHECK(merged.replaced == 1);
    CHECK(merged.added == 1);
    CHECK(sizes_of(merged.results) == std::vector<int>{1, 2, 3});
    CHECK(merged.results.rows[1].metrics.json()["error"] == 0.001);
  }

  TEST_CASE("22.13 another version is refused, and on request takes the place of everything") {
    Results fresh = gemm({2});
    fresh.provenance["environment"]["driver"] = "590.2";
    auto merged = merge_reference(gemm({1, 2}), fresh, false, "f.json");
    CHECK(merged.findings == std::vector<std::string>{
                                 "f.json: provenance.environment: driver is 580.1 there and 590.2 here: one file is of "
                                 "one environment; --replace takes the new file, and drops the rows there that it "
                                 "does not have"});
    merged = merge_reference(gemm({1, 2}), fresh, true, "f.json");
    CHECK(merged.dropped == 1);
    CHECK(format_results(merged.results) == format_results(fresh));
  }

  TEST_CASE("22.13 another version of the bench is another environment") {
    Results fresh = gemm({3});
    fresh.source.bench = "2";
    const auto merged = merge_reference(gemm({1, 2}), fresh, false, "f.json");
    REQUIRE(merged.findings.size() == 1);
    CHECK(merged.findings[0].find("the bench's version is 1 there and 2 here") != std::string::npos);
    CHECK(merge_reference(gemm({1, 2}), fresh, true, "f.json").dropped == 2);
  }

  TEST_CASE("22.13 environments that name different things are united, and what else a file says") {
    Results fresh = gemm({2});
    fresh.provenance = {{"created_at", "2026-01-30T12:00:00Z"},
                        {"wall_s", 2.0},
                        {"command", "torch"},
                        {"environment", {{"driver", "580.1"}, {"cuda_runtime", "13.0"}, {"torch", "2.11"}}},
                        {"gpus", 2},
                        {"settings", {{"NCCL_NVLS_ENABLE", "0"}, {"NCCL_ALGO", "Ring"}}}};
    Results there = gemm({1});
    there.provenance["settings"]["NCCL_ALGO"] = "Tree";
    const Json provenance = merge_reference(there, fresh, false, "f.json").results.provenance;
    CHECK(provenance["created_at"] == "2026-01-31T12:00:00Z");
    CHECK(provenance["wall_s"] == 12.5);
    CHECK(provenance["command"] == "torch");
    CHECK(provenance["gpus"] == 4);
    CHECK(provenance["environment"] == Json{{"driver", "580.1"}, {"cuda_runtime", "13.0"}, {"torch", "2.11"}});
    CHECK(provenance["settings"] == Json{{"NCCL_NVLS_ENABLE", "0"}, {"NCCL_ALGO", {"Tree", "Ring"}}});
  }

  TEST_CASE("22.13 a new card must hold for what is there, and needs --replace") {
    const TemporaryFolder folder;
    const auto put = [&folder](const char* name, const std::string& text) {
      kernbench::write_file(folder.path() / name, text);
    };
    put("reference/acme-g-100/device.json", format_device(sample::device()));
    put("reference/acme-g-100/gemm.json", format_results(gemm({1000})));
    auto card = sample::device();
    card.peak_tflops["bf16"] = 45;
    put("device.json", format_device(card));
    put("in.json", format_results(sample::results("gpu-collectives", {sample::collective_row()})));
    kernbench::ImportRequest request;
    request.files = {folder.path() / "in.json"};
    request.device = folder.path() / "device.json";
    request.into = folder.path() / "reference";
    CHECK(kernbench::plan_import(request).findings.size() == 1);
    request.replace = true;
    const auto findings = kernbench::plan_import(request).findings;
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].find("peak_fraction: expected 1.11111") != std::string::npos);
    CHECK(findings[1].find("tflops: expected at most 49.5") != std::string::npos);
  }

  TEST_CASE("22.12 folders of traces come along, and must lie beside the file") {
    const TemporaryFolder folder;
    Row row = sample::overlap_row();
    const auto plan = [&] {
      const auto text = format_results(sample::results("gpu-overlap", {row}));
      kernbench::write_file(folder.path() / "out/overlap.json", text);
      kernbench::write_file(folder.path() / "out/device.json", format_device(sample::device()));
      kernbench::ImportRequest request;
      request.files = {folder.path() / "out/overlap.json"};
      request.device = folder.path() / "out/device.json";
      request.into = folder.path() / "reference";
      return kernbench::plan_import(request);
    };
    const std::string file = (folder.path() / "out/overlap.json").string();
    CHECK(plan().findings ==
          std::vector<std::string>{file + ": trace: expected a folder beside the file, got \"traces/a\": " +
                                   (folder.path() / "out/traces").string() + " is not there"});
    kernbench::write_file(folder.path() / "out/traces/a/rank0.json.gz", "trace");
    const auto good = plan();
    REQUIRE(good.findings.empty());
    kernbench::write_import(good, kernbench::lock_references(folder.path() / "reference"));
    const auto taken = folder.path() / "reference/acme-g-100/traces";
    CHECK(kernbench::read_file(taken / "a/rank0.json.gz") == "trace");
    kernbench::write_file(taken / "a/rank1.json.gz", "of an earlier measurement");
    kernbench::write_import(plan(), kernbench::lock_references(folder.path() / "reference"));
    CHECK_FALSE(std::filesystem::exists(taken / "a/rank1.json.gz"));
    CHECK_FALSE(std::filesystem::exists(taken / ".a.new"));
    row.metrics.json()["trace"] = "../out/traces/a";
    CHECK(plan().findings.size() == 1);
  }
}
