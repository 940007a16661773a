// What a file of reference data must say of its origin, its points and its units: each check rejects its own nonsense.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "benches/io/text/utc_time.hpp"
#include "benches/measured/reference/checks.hpp"
#include "benches/results/rows/results_json.hpp"
#include "tests/measured/reference_sample.hpp"

namespace sample = kernbench::reference_sample;
using kernbench::Device;
using kernbench::Json;
using kernbench::Results;
using kernbench::Row;
using Findings = std::vector<std::string>;

namespace {

/// What is said of a good file after one change.
Findings after(const std::function<void(Results&)>& change) {
  Results results = sample::results("gpu-gemm", {sample::gemm_row()});
  change(results);
  const Device card = sample::device();
  return check_reference(results, &card, "f.json");
}

Findings after_in_row(const std::function<void(Row&)>& change) {
  Row row = sample::gemm_row();
  change(row);
  return sample::findings("gpu-gemm", row);
}

Results published() {
  Results results = sample::results(
      "gpu-gemm", {sample::row({{"device", "B200"}, {"m", 1}, {"dtype", "bf16"}}, {{"tflops", 1e6}, {"note", "x"}})});
  results.source = {"published:A Zine", "", "", "", "1"};
  results.provenance = {{"created_at", "2026-01-31T12:00:00Z"}};
  return results;
}

}  // namespace

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.3 a good file of each bench passes") {
    CHECK(sample::findings("gpu-gemm", sample::gemm_row()) == Findings{});
    CHECK(sample::findings("gpu-copy", sample::copy_row("peer", 2, 1024, 90)) == Findings{});
    CHECK(sample::findings("gpu-operators", sample::operator_row()) == Findings{});
    CHECK(sample::findings("gpu-collectives", sample::collective_row()) == Findings{});
    CHECK(sample::findings("gpu-distributed-gemm", sample::distributed_row()) == Findings{});
    CHECK(sample::findings("gpu-overlap", sample::overlap_row()) == Findings{});
    CHECK(check_reference(published(), nullptr, "f.json") == Findings{});
  }

  TEST_CASE("22.3 a file as a measuring program writes it passes") {
    const char* text = R"({"schema": "kernbench.results/1", "bench": "gpu-copy",
      "source": {"kind": "gpu:ACME G-100", "machine": "acme-g-100", "machine_sha256": "", "model": "", "bench": "1"},
      "provenance": {"created_at": "2026-11-21T12:00:00Z", "command": "run-all", "gpus": 2,
        "environment": {"driver": "580.1", "cuda_runtime": "13.0", "torch": null}, "settings": {}, "skipped": []},
      "rows": [
        {"point": {"gpus": 1, "copy": "device_to_device", "bytes": 16777216}, "status": "ok",
         "metrics": {"gbs": 900, "time_ns": 37282.7, "time_p10_ns": 37000, "time_p90_ns": 38000, "time_count": 20,
                     "rerun_time_ns": 40000.0, "rerun_spread": 0.07288},
         "stages": [], "windows": {}, "flags": ["noisy"]},
        {"point": {"gpus": 2, "copy": "peer", "bytes": 1}, "status": "skipped", "reason": "one GPU", "metrics": {},
         "stages": [], "windows": {}, "flags": []}]})";
    const Device card = sample::device();
    CHECK(check_reference(kernbench::parse_results(text, "f.json"), &card, "f.json") == Findings{});
  }

  TEST_CASE("22.3 the kind says who measured, and the card is that device's") {
    CHECK(after([](Results& r) { r.source.kind = "sim"; }) ==
          Findings{
              "f.json: source.kind: expected \"gpu:DEVICE\" or \"published:WHERE\", got \"sim\": results of kind sim "
              "and theory come from kernbench run"});
    CHECK(after([](Results& r) { r.source.kind = "gpu:"; }) ==
          Findings{"f.json: source.kind: expected a name after the colon, got \"gpu:\""});
    CHECK(after([](Results& r) { r.source.machine = "h100"; }) ==
          Findings{"f.json: source.machine: expected \"acme-g-100\", which source.kind gives, got \"h100\""});
    CHECK(after([](Results& r) {
            r.source = {"gpu:Other", "other", "", "", "1"};
          }) == Findings{"f.json: source.kind: expected \"gpu:ACME G-100\", whose card it is, got \"gpu:Other\""});
    const Results measured = sample::results("gpu-gemm", {sample::gemm_row()});
    CHECK(check_reference(measured, nullptr, "f.json") ==
          Findings{"f.json: source.kind: there is no card of ACME G-100: give its device.json with --device FILE"});
  }

  TEST_CASE("22.3 provenance has the time, driver and runtime, and no host") {
    CHECK(after([](Results& r) { r.provenance.erase("created_at"); }) ==
          Findings{"f.json: provenance.created_at: is missing: the UTC time of the run, like 2026-01-31T12:00:00Z"});
    CHECK(after([](Results& r) { r.provenance["created_at"] = "31.1.2026"; }) ==
          Findings{"f.json: provenance.created_at: expected a UTC time like 2026-01-31T12:00:00Z, got \"31.1.2026\""});
    CHECK(after([](Results& r) { r.provenance["environment"]["driver"] = ""; }) ==
          Findings{"f.json: provenance.environment.driver: is missing: a measured number is one of a version"});
    CHECK(after([](Results& r) { r.provenance.erase("environment"); }).size() == 2);
    CHECK(after([](Results& r) { r.provenance["host"] = "box"; }) ==
          Findings{"f.json: provenance.host: names a computer, and the file is for everybody: leave it out"});
  }

  TEST_CASE("22.3 a time is one that exists") {
    CHECK(kernbench::is_utc_time("2024-02-29T23:59:60Z"));
    for (const char* wrong : {"2026-02-29T12:00:00Z", "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z",
                              "2026-01-31T12:60:00Z", "2026-01-31 12:00:00", "2026-01-31T12:00:00+01:00", ""}) {
      CHECK_FALSE(kernbench::is_utc_time(wrong));
    }
    CHECK(kernbench::is_utc_time(kernbench::utc_now()));
  }

  TEST_CASE("22.4 an unknown bench is answered with the nearest") {
    CHECK(after([](Results& r) { r.bench = "gpu-gem"; }) ==
          Findings{"f.json: bench: unknown bench 'gpu-gem': did you mean 'gpu-gemm'? There are: gpu-gemm, "
                   "gpu-launches, gpu-copy, "
                   "gpu-operators, gpu-collectives, gpu-distributed-gemm, gpu-overlap, gpu-beside, gpu-peaks"});
    CHECK(after([](Results& r) { r.bench = "gpu-peaks"; })[0] ==
          "f.json: bench: gpu-peaks is for published numbers: nobody measures them");
  }

  TEST_CASE("22.4 a point has exactly the fields of its bench, with values that there are") {
    CHECK(after([](Results& r) { r.rows[0].point["dtype"] = "bf61"; })[0].starts_with(
        "f.json: rows[0] (m=1000 k=1000 n=1000 dtype=bf61 backend=cublaslt l2=warm): dtype: unknown value 'bf61': did "
        "you mean 'bf16'? There are: fp64, "));
    CHECK(after_in_row([](Row& r) { r.point["l2"] = "cold"; }) ==
          Findings{"l2: unknown value 'cold'. There are: warm, flushed"});
    CHECK(after_in_row([](Row& r) { r.point.erase("backend"); }) == Findings{"backend: is missing in the point"});
    CHECK(after_in_row([](Row& r) { r.point["backend"] = ""; }) ==
          Findings{"backend: expected a text that is not empty, got \"\""});
    CHECK(after_in_row([](Row& r) { r.point["gpus"] = 1; }) ==
          Findings{"point: unknown field 'gpus'. There are: m, k, n, dtype, backend, l2"});
    for (const Json& wrong : {Json(0), Json(-5), Json(1.5), Json("1000"), Json(nullptr)}) {
      const auto said = after_in_row([&wrong](Row& r) {
        r.point["m"] = wrong;
        r.metrics.json().erase("tflops");
        r.metrics.json().erase("peak_fraction");
      });
      CHECK(said == Findings{"m: expected a whole number of at least 1, got " + wrong.dump()});
    }
    CHECK(after_in_row([](Row& r) { r.point["device"] = "x"; })[0].starts_with("point: unknown field 'device'"));
  }

  TEST_CASE("22.4 closed lists of copies, collectives, operations and methods; a backend is anybody's") {
    Row row = sample::copy_row("d2d", 1, 1, 1);
    CHECK(sample::findings("gpu-copy", row)[0].starts_with("copy: unknown value 'd2d'"));
    row = sample::collective_row();
    row.point["collective"] = "allreduce";
    CHECK(sample::findings("gpu-collectives", row)[0].starts_with(
        "collective: unknown value 'allreduce': did you mean 'all_reduce'?"));
    row = sample::operator_row();
    row.point["operation"] = "relu";
    CHECK(sample::findings("gpu-operators", row).size() == 1);
    row = sample::distributed_row();
    row.point["method"] = "stationary_d";
    CHECK(sample::findings("gpu-distributed-gemm", row).size() == 1);
    CHECK(after_in_row([](Row& r) { r.point["backend"] = "hipblaslt"; }) == Findings{});
  }

  TEST_CASE("22.4 two rows of one point are refused, whatever the order of its fields") {
    const auto said = after([](Results& r) {
      r.rows.push_back(r.rows[0]);
      r.rows[1].point.erase("m");
      r.rows[1].point["m"] = 1000;
    });
    CHECK(said ==
          Findings{"f.json: rows[1] (k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm m=1000): point: is that of "
                   "rows[0] too: one row a point"});
  }

  TEST_CASE("22.5 the name of a number says its unit") {
    CHECK(after_in_row([](Row& r) { r.metrics.json()["speed"] = 3; }) ==
          Findings{"speed: missing unit: the name of a number ends in its unit, like time_ns or size_bytes"});
    for (const char* bad : {"time", "ns", "gbs2", "power", "Time_NS", "_ns"}) {
      CHECK(after_in_row([bad](Row& r) { r.metrics.json()[bad] = 3; }).size() == 1);
    }
    for (const char* good : {"wait_ns", "wait_ms", "wait_s", "link_gbs", "link_gbps", "sent_bytes", "sent_bytes_total",
                             "used_mb", "idle_power_w", "clock_mhz", "edge_c", "tries_count", "theoretical_tflops",
                             "tflops_max", "gbs", "efficiency", "bound_fraction", "inference_speed", "power_samples"}) {
      CHECK(after_in_row([good](Row& r) { r.metrics.json()[good] = 3; }) == Findings{});
    }
  }

  TEST_CASE("22.5 what has a unit is a number, what has none a text") {
    CHECK(after_in_row([](Row& r) { r.metrics.json()["temperature_c"] = "40 C"; }) ==
          Findings{"temperature_c: expected a number, got \"40 C\""});
    CHECK(after_in_row([](Row& r) { r.metrics.json()["layout"] = nullptr; }) ==
          Findings{"layout: expected a number or a text, got null"});
    CHECK(after_in_row([](Row& r) { r.metrics.json()["layout"] = "tn"; }) == Findings{});
  }
}
