// `kernbench reference`: what is taken in, refused, listed and shown.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "tests/cli/program.hpp"
#include "tests/measured/reference_sample.hpp"

namespace fs = std::filesystem;
namespace sample = kernbench::reference_sample;
using kernbench::Json;
using kernbench::Results;
using kernbench::Row;

namespace {

/// A workplace with a card and files of results, and `kernbench reference` in it.
struct Desk {
  Workplace place;

  Desk() {
    put("device.json", format_device(sample::device()));
    put("gemm.json", format_results(sample::results("gpu-gemm", {sample::gemm_row()})));
  }
  void put(const std::string& name, const std::string& text) const { kernbench::write_file(place.path() / name, text); }
  [[nodiscard]] std::string read(const std::string& name) const { return kernbench::read_file(place.path() / name); }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(place.path() / name); }

  [[nodiscard]] Ended import(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"reference", "import", "--into", "reference"});
    return place.run(kProgram, arguments);
  }
  [[nodiscard]] Ended look(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "reference");
    arguments.insert(arguments.end(), {"--from", "reference"});
    return place.run(kProgram, arguments);
  }
};

/// Wrong in its origin, its point, its units, its values, its status.
Results bad_results() {
  Results results = sample::results("gpu-gemm", {});
  results.provenance["environment"].erase("driver");
  for (int i = 0; i < 5; ++i) {
    results.rows.push_back(sample::gemm_row());
    results.rows.back().point["m"] = 1000 + i;
    results.rows.back().metrics.json().erase("tflops");
    results.rows.back().metrics.json().erase("peak_fraction");
  }
  results.rows[0].metrics.json()["time_ns"] = -1.0;
  results.rows[1].metrics.json()["time_p90_ns"] = 1.0;
  results.rows[1].metrics.json()["speed"] = 3;
  results.rows[2].metrics.json()["tflops"] = 5000;
  results.rows[3].point["l2"] = "warn";
  results.rows[4].status = "failed";
  results.rows[4].metrics.json() = Json::object();
  return results;
}

constexpr const char* kBadText =
    R"(error: half.json:1:12: not valid JSON: syntax error while parsing object - unexpected end of input; expected '}'
bad.json: provenance.environment.driver: is missing: a measured number is one of a version
bad.json: rows[0] (m=1000 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm): time_ns: expected a number above 0, got -1.0
bad.json: rows[1] (m=1001 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm): speed: missing unit: the name of a number ends in its unit, like time_ns or size_bytes
bad.json: rows[1] (m=1001 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm): time_ns: expected at most time_p90_ns, which is 1.0, got 40000.0
bad.json: rows[2] (m=1002 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm): tflops: expected 50.1 (within 0.1 %), which 2 m n k / time_ns give, got 5000
bad.json: rows[2] (m=1002 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm): tflops: expected at most 110 (1.1 x the peak of bf16), got 5000
bad.json: rows[3] (m=1003 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warn): l2: unknown value 'warn': did you mean 'warm'? There are: warm, flushed
bad.json: rows[4] (m=1004 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm): reason: is empty: a row that is failed says why
9 findings: nothing was written
)";

}  // namespace

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.11 everything that is wrong is said at once, and nothing is written") {
    const Desk desk;
    desk.put("bad.json", format_results(bad_results()));
    desk.put("half.json", "{\"schema\": 1");
    const Ended ended = desk.import({"gemm.json", "bad.json", "half.json", "--device", "device.json"});
    CHECK(ended.exit_code == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err == kBadText);
    CHECK_FALSE(desk.has("reference"));
  }

  TEST_CASE("22.11 a dry run checks and says what would be written") {
    const Desk desk;
    const Ended ended = desk.import({"gemm.json", "--device", "device.json", "--dry-run"});
    CHECK(ended.exit_code == 0);
    CHECK(ended.out ==
          "would be written:\n"
          "  reference/acme-g-100/device.json\n"
          "  reference/acme-g-100/gemm.json  1 row: 1 new\n");
    CHECK_FALSE(desk.has("reference"));
  }

  TEST_CASE("22.11 good files are written, and what is there changes only with --replace") {
    const Desk desk;
    CHECK(desk.import({"gemm.json"}).err.find("there is no card of ACME G-100: give its device.json with --device") !=
          std::string::npos);
    CHECK(desk.import({"gemm.json", "--device", "device.json"}).exit_code == 0);
    CHECK(desk.read("reference/acme-g-100/gemm.json") == desk.read("gemm.json"));
    CHECK(desk.read("reference/acme-g-100/device.json") == desk.read("device.json"));
    CHECK(desk.import({"gemm.json"}).out == "written:\n  reference/acme-g-100/gemm.json  1 row: 1 as they were\n");

    auto other = sample::gemm_row();
    other.metrics.json()["error"] = 0.001;
    desk.put("other.json", format_results(sample::results("gpu-gemm", {other})));
    const Ended refused = desk.import({"other.json"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("--replace takes the new ones") != std::string::npos);
    CHECK(desk.read("reference/acme-g-100/gemm.json") == desk.read("gemm.json"));
    CHECK(desk.import({"other.json", "--replace"}).out ==
          "written:\n  reference/acme-g-100/gemm.json  1 row: 1 replaced\n");
    CHECK(desk.read("reference/acme-g-100/gemm.json") == desk.read("other.json"));
  }

  TEST_CASE("22.11 a card may be among the files, twice if it is the same") {
    const Desk desk;
    const Ended ended = desk.import({"device.json", "gemm.json", "--device", "device.json"});
    CHECK(ended.out ==
          "written:\n  reference/acme-g-100/device.json\n  reference/acme-g-100/gemm.json  1 row: 1 new\n");
    auto card = sample::device();
    card.memory_gbs = 1;
    desk.put("other.json", format_device(card));
    CHECK(desk.import({"gemm.json", "device.json", "other.json"}).err ==
          "error: other.json: another card of ACME G-100 is given already\n1 finding: nothing was written\n");
    CHECK(
        desk.import({"gemm.json", "other.json"}).err.find("is there with other values: --replace takes the new one") !=
        std::string::npos);
  }

  TEST_CASE("22.14 a published table is mapped and lies apart") {
    const Desk desk;
    desk.put("t.csv", "who,n,bw\nA,8,480.0GBps\nB,8,?\n");
    CHECK(desk.import({"t.csv"}).err ==
          "error: t.csv: a table needs --published WHERE --bench NAME: who published it, and of what\n");
    CHECK(desk.import({"t.csv", "--published", "A Zine"}).err.find("expected --bench NAME too") != std::string::npos);
    CHECK(desk.import({"t.csv", "--columns", "gpus=n"}).err.find("--published") != std::string::npos);
    const Ended long_name = desk.import({"t.csv", "--published", std::string(300, 'x'), "--bench", "gpu-gemm"});
    CHECK(long_name.exit_code == 2);
    CHECK(long_name.err == "error: --published: expected a name of at most 100 characters, got 300\n");
    const Ended ended = desk.import({"t.csv", "--published", "A Zine", "--bench", "gpu-collectives", "--columns",
                                     "device=who,busbw_gbs=bw[GBps]", "--with", "collective=all_reduce", "--no-value",
                                     "?", "--citation", "A Zine, no. 3"});
    CHECK(ended.err.empty());
    CHECK(ended.out ==
          "t.csv:3: no result\n"
          "t.csv: columns that are not taken: n\n"
          "written:\n"
          "  reference/published/a-zine/collectives.json  1 row: 1 new\n");
    const Results read = kernbench::parse_results(desk.read("reference/published/a-zine/collectives.json"), "r");
    CHECK(read.source.kind == "published:A Zine");
    CHECK(read.provenance["imported"][0]["citation"] == "A Zine, no. 3");
    CHECK(read.rows[0].metrics.json()["busbw_gbs"] == 480.0);
  }
}

TEST_CASE("reference list says what there is, and what cannot be read") {
  const Desk desk;
  CHECK(desk.look({"list"}).out ==
        "there is no reference data in reference; kernbench reference import FILE... takes some in\n");
  REQUIRE(desk.import({"gemm.json", "--device", "device.json"}).exit_code == 0);
  CHECK(desk.look({"list"}).out ==
        "device      bench     ok  failed  skipped  noisy  date        driver  CUDA\n"
        "──────────  ────────  ──  ──────  ───────  ─────  ──────────  ──────  ────\n"
        "acme-g-100  gpu-gemm   1                          2026-01-31  580.1   13.0\n");
  desk.put("reference/acme-g-100/copy.json", "{}");
  const Ended ended = desk.look({"list", "--json"});
  CHECK(ended.exit_code == 2);
  CHECK(ended.err == "error: reference/acme-g-100/copy.json: schema: is missing\n");
  const Json list = Json::parse(ended.out);
  REQUIRE(list.size() == 2);
  CHECK(list[0]["error"] == "reference/acme-g-100/copy.json: schema: is missing");
  CHECK(list[1]["ok"] == 1);
}

TEST_CASE("reference show prints the card, good rows as a table, then the others with their reasons") {
  const Desk desk;
  auto failed = sample::gemm_row();
  failed.point["m"] = 7;
  failed.status = "failed";
  failed.reason = "wrong: relative error 0.3";
  failed.metrics.json() = {{"error", 0.3}};
  auto skipped = failed;
  skipped.point["m"] = 8;
  skipped.status = "skipped";
  skipped.reason = "time budget";
  Results results = sample::results("gpu-gemm", {sample::gemm_row(), failed, skipped});
  results.provenance["skipped"] = {{{"what", "grid64"}, {"cases", 12}, {"why", "time budget"}}};
  desk.put("gemm.json", format_results(results));
  REQUIRE(desk.import({"gemm.json", "--device", "device.json"}).exit_code == 0);
  const std::string card =
      "ACME G-100 (acme-g-100)\n"
      "  TFLOPS, dense  bf16 100.0, fp32 10.0\n"
      "  memory         1000 GB/s\n"
      "  links          100 GB/s in each direction\n"
      "  power limit    500 W\n"
      "  peaks from     datasheet: the ACME G-100 data sheet\n"
      "  facts          sms 100, l2_bytes 1000000, compute_capability 9.0\n"
      "\n";
  const std::string rest =
      "\nfailed: m=7 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm: wrong: relative error 0.3\n"
      "skipped: m=8 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm: time budget\n"
      "left out: grid64, 12 cases: time budget\n";
  const Ended ended = desk.look({"show", "acme-g-100", "--wide"});
  CHECK(ended.out == card +
                         "gpu-gemm: 1 row ok, 1 failed, 1 skipped; 2026-01-31T12:00:00Z, driver 580.1, CUDA 13.0\n\n"
                         "   m     k     n  dtype  backend   l2    time (µs)  latency (µs)  TFLOPS  peak_fraction  "
                         "error  avg_power (W)  rerun_spread  flags\n"
                         "────  ────  ────  ─────  ────────  ────  ─────────  ────────────  ──────  ─────────────  "
                         "─────  ─────────────  ────────────  ─────\n"
                         "1000  1000  1000  bf16   cublaslt  warm      40.00         45.00   50.00         50.0 %  "
                         "0.002          400.0         2.5 %\n" +
                         rest);
  CHECK(desk.look({"show", "acme-g-100", "gemm", "--only", "m=8,m=7,status=skipped", "--wide"}).out ==
        card +
            "gpu-gemm: 0 rows ok, 1 skipped; 2026-01-31T12:00:00Z, driver 580.1, CUDA 13.0\n\n"
            "skipped: m=8 k=1000 n=1000 dtype=bf16 backend=cublaslt l2=warm: time budget\n"
            "left out: grid64, 12 cases: time budget\n");
  const std::string csv = desk.look({"show", "acme-g-100", "gemm", "--only", "m=8,m=7", "--csv"}).out;
  CHECK(csv.starts_with("m,k,n,dtype,backend,l2,status,reason,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);

  const Json document = Json::parse(desk.look({"show", "acme-g-100", "--json"}).out);
  CHECK(document["device"]["slug"] == "acme-g-100");
  CHECK(document["results"][0]["rows"].size() == 3);

  const auto complaint = [&desk](const std::vector<std::string>& arguments) {
    const Ended wrong = desk.look(arguments);
    CHECK(wrong.exit_code == 2);
    CHECK(wrong.out.empty());
    return wrong.err;
  };
  CHECK(complaint({"show", "acme-g-10"}) ==
        "error: reference: unknown reference data 'acme-g-10': did you mean 'acme-g-100'? There are: "
        "acme-g-100\n");
  CHECK(complaint({"show", "acme-g-100", "gem"}) ==
        "error: acme-g-100: unknown bench 'gem': did you mean 'gemm'? There are: gemm\n");
  CHECK(complaint({"show", "acme-g-100", "--only", "dtpye=bf16"}).find("did you mean 'dtype'?") != std::string::npos);
  CHECK(complaint({"show", "acme-g-100", "--only", "dtype=bf61"}).find("did you mean 'bf16'?") != std::string::npos);
  CHECK(complaint({"show", "acme-g-100", "--only", "dtype"}).find("expected field=value") != std::string::npos);
}

TEST_CASE("reference show sets the values of a field side by side, and compares those that are good") {
  const Desk desk;
  const auto row = [](const char* backend, int m, double time_ns) {
    Row one = sample::gemm_row();
    one.point["backend"] = backend;
    one.point["m"] = m;
    one.metrics.json()["time_ns"] = time_ns;
    return one;
  };
  Row wrong = row("triton", 2000, 1);
  wrong.status = "failed";
  wrong.reason = "wrong: relative error 0.3";
  const Results results = sample::results(
      "gpu-gemm", {row("cublaslt", 1000, 40'000), row("torch", 1000, 50'000), row("triton", 1000, 30'000),
                   row("torch", 2000, 9'000), row("cublaslt", 2000, 8'000), wrong, row("torch", 3000, 7'000)});
  fs::create_directories(desk.place.path() / "reference" / "acme-g-100");
  desk.put("reference/acme-g-100/device.json", format_device(sample::device()));
  desk.put("reference/acme-g-100/gemm.json", format_results(results));
  const Ended ended = desk.look({"show", "acme-g-100", "gemm", "--across", "backend"});
  CHECK(ended.exit_code == 0);
  const std::size_t begin = ended.out.find("time (µs), across backend");
  REQUIRE(begin != std::string::npos);
  CHECK(ended.out.substr(begin) ==
        "time (µs), across backend; in every row: k 1000, n 1000, dtype bf16, l2 warm\n\n"
        "   m  cublaslt  torch  triton  best       ahead\n"
        "────  ────────  ─────  ──────  ────────  ──────\n"
        "1000     40.00  50.00   30.00  triton    1.33 ×\n"
        "2000     8.000  9.000  failed  cublaslt  1.12 ×\n"
        "3000            7.000\n");
  const Ended refused = desk.look({"show", "acme-g-100", "gemm", "--across", "backnd"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--across, gpu-gemm: unknown field 'backnd': did you mean 'backend'?") != std::string::npos);
}

TEST_CASE("help of the reference commands ends with examples") {
  const Workplace place;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"reference", "--help"},
                                                    {"reference", "list", "--help"},
                                                    {"reference", "show", "--help"},
                                                    {"reference", "import", "--help"}}) {
    const Ended ended = place.run(kProgram, arguments);
    CHECK(ended.exit_code == 0);
    CHECK(ended.out.find("Examples:\n  ") != std::string::npos);
  }
}
