// `kernbench topology calibrate`: what it prints, writes and refuses.
#include <doctest/doctest.h>

#include <filesystem>
#include <optional>

#include "benches/io/files/write_file.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "tests/cli/outcome.hpp"

using namespace kernbench;

namespace {

const std::string kBase = kernbench::source_dir() + "/topology/h200.yaml";

/// 600 TFLOP/s and a launch of 3 us, at 36 shapes, and one product that nobody models.
std::string made_up_rows(std::optional<double> first_time = std::nullopt) {
  Json rows = Json::array();
  for (const std::int64_t m : {128, 512, 2048}) {
    for (const std::int64_t n : {64, 512, 1024, 4096}) {
      for (const std::int64_t k : {128, 1024, 8192}) {
        const double us = 3 + 2.0 * static_cast<double>(m * n * k) / 6e8;
        rows.push_back({{"m", m},
                        {"n", n},
                        {"k", k},
                        {"dtype", "bf16"},
                        {"warm_burst_us", us},
                        {"hbm_burst_us", us + 0.5},
                        {"kernels", {{{"name", "nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NNT"}}}}});
      }
    }
  }
  rows.push_back(rows[0]);
  rows.back()["kernels"] = {{{"name", "gemv"}}};
  if (first_time) rows[0]["warm_burst_us"] = *first_time;
  return Json{{"rows", rows}}.dump();
}

struct CalibrateDesk {
  Workplace place;

  CalibrateDesk() { write_file(place.path() / "rows.json", made_up_rows()); }
  [[nodiscard]] Ended calibrate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"topology", "calibrate", "rows.json", "--base", kBase, "--budget", "400"});
    return place.run(kProgram, arguments);
  }
  [[nodiscard]] std::string text(const std::string& name) const { return read_file(place.path() / name); }
};

}  // namespace

TEST_SUITE("ADR-0056") {
  TEST_CASE("56.6 the file that is written is a GPU whose fitted numbers say their rows; all else is the base's") {
    const CalibrateDesk desk;
    const Ended ended = desk.calibrate({"--groups", "products", "--no-held-out", "--out", "made/gpu.yaml"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const LoadedGpu base = load_gpu(kBase);
    const LoadedGpu made = load_gpu((desk.place.path() / "made/gpu.yaml").string());
    std::size_t changed = 0;
    for (const auto& [key, origin] : made.origins) {
      if (origin.note.find(" of rows.json, mean error ") != std::string::npos) {
        CHECK(origin.from == NumberSource::kFit);
        ++changed;
      } else if (origin.from != NumberSource::kSame) {
        CHECK(origin.written == base.origins.at(key).written);
        CHECK(origin.note == base.origins.at(key).note);
      }
    }
    CHECK(changed > 6);
    CHECK(made.spec.tensor.fp16.share == made.spec.tensor.bf16.share);
    CHECK(made.fitted_to == (desk.place.path() / "made/gpu_fitted_to.csv").string());
    const std::string list = desk.text("made/gpu_fitted_to.csv");
    CHECK(list.starts_with("m,k,n,dtype\n"));
    CHECK(has(list, "\n2048,8192,512,bf16\n"));
    CHECK_FALSE(has(list, "\n\n"));
    // Once more from its own file: the list has each product once.
    const Ended again =
        desk.place.run(kProgram, {"topology", "calibrate", "rows.json", "--base", "made/gpu.yaml", "--budget", "400",
                                  "--no-held-out", "--groups", "products", "--out", "made/again.yaml"});
    REQUIRE_MESSAGE(again.exit_code == 0, again.err);
    CHECK(desk.text("made/again_fitted_to.csv") == list);
    const std::string text = desk.text("made/again.yaml");
    CHECK(has(text,
              "# Calibrated: kernbench topology calibrate rows.json --base gpu.yaml --groups products --budget 400 "
              "--seed 1\n"));
    CHECK(has(text, "# Rows: rows.json (sha256 "));
  }

  TEST_CASE("56.4 56.7 the same command says the same; tables of errors, numbers and what is not used") {
    const CalibrateDesk desk;
    const Ended first = desk.calibrate({"--groups", "products", "--json", "first.json"});
    REQUIRE_MESSAGE(first.exit_code == 0, first.err);
    CHECK(widest_line(first.out) <= 80);
    for (const char* part : {"36 of rows.json", "1: no kernel of the kind that is modelled", "held out",
                             "launch.kernel", "no row tells of it: ", "tensor.fp8.share"}) {
      CHECK_MESSAGE(has(first.out, part), first.out);
    }
    CHECK(desk.calibrate({"--groups", "products", "--json"}).out == desk.text("first.json"));
    const Json rows = Json::parse(desk.text("first.json")).at("rows");
    CHECK(rows.at(0).at("point").at("part") == "bursts");
    CHECK(rows.at(0).at("metrics").at("mean_error") < rows.at(0).at("metrics").at("before_mean_error"));
    CHECK(rows.at(0).at("metrics").contains("held_out_mean_error"));
  }

  TEST_CASE("56.2 --only: these numbers move, all others stay") {
    const CalibrateDesk desk;
    const Ended ended = desk.calibrate({"--only", "launch,sm.store", "--no-held-out", "--out", "only.yaml"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const LoadedGpu base = load_gpu(kBase);
    const LoadedGpu only = load_gpu((desk.place.path() / "only.yaml").string());
    for (const auto& [key, origin] : only.origins) {
      const bool moves = key == "launch.kernel" || key == "launch.cta" || key == "launch.from_hbm" || key == "sm.store";
      CHECK((origin.written != base.origins.at(key).written) == moves);
    }
  }

  TEST_CASE("56.6 a number that --set holds is written as assumed and not fitted") {
    const CalibrateDesk desk;
    const Ended ended =
        desk.calibrate({"--groups", "products", "--no-held-out", "--set", "l2.request=0 ns", "--out", "held.yaml"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const LoadedGpu held = load_gpu((desk.place.path() / "held.yaml").string());
    CHECK(held.spec.l2.request == 0);
    CHECK(held.origins.at("l2.request").from == NumberSource::kAssumed);
  }

  TEST_CASE("56.8 what is wrong is told with file, row and field, and nothing is written") {
    const CalibrateDesk desk;
    write_file(desk.place.path() / "rows.json", "{\"rows\": [{");
    const Ended ended = desk.calibrate({"--out", "none.yaml"});
    CHECK(ended.exit_code == 2);
    CHECK_MESSAGE(has(ended.err, "rows.json"), ended.err);
    CHECK_FALSE(std::filesystem::exists(desk.place.path() / "none.yaml"));
    write_file(desk.place.path() / "rows.json", made_up_rows(0.0));
    const Ended zero = desk.calibrate({});
    CHECK(zero.exit_code == 2);
    CHECK_MESSAGE(has(zero.err, "rows.json: rows[0].warm_burst_us: expected a number above 0, got 0.0"), zero.err);
    write_file(desk.place.path() / "rows.json", made_up_rows());
    CHECK(has(desk.calibrate({"--groups", "library", "--only", "power"}).err, "no number of GPU h200 is left to fit"));
    CHECK(has(desk.calibrate({"--groups", "clocks"}).err, "--groups"));
    CHECK(has(desk.calibrate({"--only", "tensor.fp9"}).err, "--only tensor.fp9: expected a key or a section"));
    CHECK(desk.calibrate({"--out", "rows.json"}).exit_code == 2);
  }
}
