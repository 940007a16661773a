// Numbers of a GPU fitted to measured products (adr/0056): rows that the model itself made give its numbers back.
#include "benches/measured/calibrate/calibration.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "benches/io/files/write_file.hpp"
#include "benches/measured/calibrate/calibration_errors.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/random.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernbench;

namespace {

const LoadedGpu& h200() {
  static const LoadedGpu kGpu = load_gpu(kernbench::source_dir() + "/topology/h200.yaml");
  return kGpu;
}

std::int64_t drawn_size(Random& random) {
  return 8 * (4 + static_cast<std::int64_t>(std::exp2(static_cast<double>(random.below(800)) / 100) * 4));
}

/// Products as this machine takes them, with the kernels that it chooses.
CalibrationRows made_by(const GpuSpec& gpu, std::size_t count, std::uint32_t seed) {
  Random random(seed);
  CalibrationRows rows;
  rows.files.push_back({"made.json", std::string(64, '0'), {}, count});
  for (std::size_t i = 0; i < count; ++i) {
    CalibrationRow row;
    const std::int64_t m = drawn_size(random);
    const std::int64_t k = drawn_size(random);
    row.gemm = {m, k, drawn_size(random), i % 4 == 0 ? Dtype::kFp8E4m3 : Dtype::kBf16};
    row.kernel = choose_gpu_kernel(row.gemm, gpu);
    row.warm = gpu_gemm_time(row.gemm, row.kernel, gpu).total;
    row.flushed = gpu_gemm_time(row.gemm, row.kernel, gpu, {.l2 = L2State::kFlushed}).total;
    row.clock = steady_clock(row.gemm, row.kernel, gpu, L2State::kWarm);
    row.steady = gpu_gemm_time(row.gemm, row.kernel, gpu, {.clock = row.clock}).total;
    row.family = i % 3 == 0 ? "narrow" : "other";
    rows.rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::size_t> all_of(const CalibrationRows& rows) {
  std::vector<std::size_t> all(rows.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Another machine: every number that is fitted to products or power is another one.
GpuSpec another_machine(std::uint32_t seed) {
  Random random(seed);
  GpuSpec gpu = h200().spec;
  const auto by = [&] { return 0.85 + 0.3 * static_cast<double>(random.below(1000)) / 1000; };
  for (const char* path : {"sm.receive", "sm.store", "sm.later_store", "tensor.least", "tensor.fp8.slice", "l2.request",
                           "hbm.bandwidth", "launch.kernel", "launch.cta", "launch.from_hbm", "split.launch",
                           "tensor.fp8.launch", "l2.energy", "tensor.fp8.energy"}) {
    find_gpu_key(path)->ref(gpu) *= by();
  }
  gpu.tensor.bf16.energy *= by();
  gpu.tensor.fp16.energy *= by();
  gpu.power.peak *= 1.05;
  return gpu;
}

CalibrationSettings settings(std::vector<CalibrationGroup> groups, std::size_t budget) {
  return {.groups = std::move(groups), .budget = budget, .seed = 1};
}

std::string refusal_of(const std::string& json) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "rows.json";
  write_file(path, json);
  try {
    static_cast<void>(read_calibration_rows({path}, h200().spec));
    return "";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    return message.substr(message.find("rows.json") == std::string::npos ? 0 : message.find("rows.json"));
  }
}

constexpr const char* kRow = R"({"m": 256, "n": 512, "k": 1024, "dtype": "bf16", "layout": "nn", "warm_burst_us": 5.5,
  "kernels": [{"name": "nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NNT"}]})";

std::string with_row(const std::string& from, const std::string& to) {
  std::string row = kRow;
  if (!from.empty()) row.replace(row.find(from), from.size(), to);
  return "{\"rows\": [" + std::string(kRow) + ", " + row + "]}";
}

}  // namespace

TEST_SUITE("ADR-0056") {
  TEST_CASE("56.3 56.4 rows that a machine made give its numbers back") {
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      const GpuSpec truth = another_machine(seed);
      const CalibrationRows rows = made_by(truth, 150, seed);
      const Calibration calibration(h200(), rows, settings({CalibrationGroup::kProducts}, 8000));
      const GpuSpec fitted = calibration.fitted_to(all_of(rows));
      CAPTURE(seed);
      CHECK(fitted.hbm.bandwidth == doctest::Approx(truth.hbm.bandwidth).epsilon(0.02));
      CHECK(fitted.launch.kernel == doctest::Approx(truth.launch.kernel).epsilon(0.05));
      CHECK(fitted.l2.request == doctest::Approx(truth.l2.request).epsilon(0.03));
      CHECK(fitted.power.peak == doctest::Approx(truth.power.peak).epsilon(0.03));
      // What it never saw: other products of the same machine.
      const CalibrationRows unseen = made_by(truth, 60, seed + 100);
      const ErrorSummary error = error_on(unseen, all_of(unseen), fitted, CalibrationGroup::kProducts);
      const ErrorSummary before = error_on(unseen, all_of(unseen), h200().spec, CalibrationGroup::kProducts);
      CHECK(error.mean < 0.005);
      CHECK(before.mean > 4 * error.mean);
    }
  }

  TEST_CASE("56.3 energies from steady times") {
    const GpuSpec truth = [] {
      GpuSpec gpu = h200().spec;
      gpu.tensor.bf16.energy *= 1.15;
      gpu.tensor.fp8.energy *= 1.1;
      return gpu;
    }();
    const CalibrationRows rows = made_by(truth, 120, 5);
    CalibrationSettings only = settings({CalibrationGroup::kProducts}, 4000);
    only.only = {"power", "l2.energy", "hbm.energy", "tensor.bf16.energy", "tensor.fp16.energy", "tensor.fp8.energy"};
    const GpuSpec fitted = Calibration(h200(), rows, only).fitted_to(all_of(rows));
    CHECK(error_on(rows, all_of(rows), fitted, CalibrationGroup::kProducts).mean < 0.003);
    CHECK(fitted.tensor.bf16.energy == doctest::Approx(truth.tensor.bf16.energy).epsilon(0.03));
    CHECK(fitted.sm.receive == truth.sm.receive);
  }

  TEST_CASE("56.2 what rows do not tell stays, with why") {
    CalibrationRows rows = made_by(h200().spec, 60, 7);
    std::erase_if(rows.rows, [](const CalibrationRow& row) { return row.gemm.dtype == Dtype::kFp8E4m3; });
    for (CalibrationRow& row : rows.rows) row.steady = row.clock = 0;
    const Calibration calibration(h200(), rows, settings({CalibrationGroup::kProducts}, 200));
    const auto why = [&](std::string_view path) {
      for (const KeptNumber& one : calibration.kept()) {
        if (one.path == path) return one.why;
      }
      return std::string("it is fitted");
    };
    CHECK(why("tensor.fp8.share") == "no row tells of it");
    for (const char* path : {"power.peak", "power.exponent", "l2.energy", "tensor.bf16.energy"}) {
      CHECK(why(path) == "it takes 5 rows with warm_steady_us and sm_mhz to tell powers apart");
    }
    CHECK(why("launch.drain") == "times tell its sum with launch.kernel only");
    CHECK(why("library.request") == "of group library");
    CHECK(why("launch.kernel") == "it is fitted");
    const GpuSpec fitted = calibration.fitted_to(all_of(rows));
    CHECK(fitted.tensor.fp8.share == h200().spec.tensor.fp8.share);
    CHECK(fitted.power.peak == h200().spec.power.peak);
    CHECK(fitted.tensor.fp16.share == fitted.tensor.bf16.share);
  }

  TEST_CASE("56.4 the same seed gives the same numbers, which a file can hold") {
    const CalibrationRows rows = made_by(another_machine(4), 50, 4);
    const auto fitted = [&] {
      return Calibration(h200(), rows, settings({CalibrationGroup::kProducts, CalibrationGroup::kLibrary}, 400))
          .fitted_to(all_of(rows));
    };
    GpuSpec first = fitted();
    GpuSpec second = fitted();
    for (const GpuKey& key : gpu_keys()) {
      CHECK(key.ref(first) == key.ref(second));
    }
    CHECK(rounded_number(*find_gpu_key("sm.receive"), 1.167449) == 1167000);
    CHECK(rounded_number(*find_gpu_key("l2.request"), 1.15949) == 1159);
    CHECK(rounded_number(*find_gpu_key("l2.resident"), 29639403) == 29639403 / 4096 * 4096);
  }

  TEST_CASE("56.4 a number that may go no further is at its limit") {
    const GpuKey& receive = *find_gpu_key("sm.receive");
    for (const double limit : {1.21 / 4, 1.21 * 4, 1.21 * 4 * 0.9995}) CHECK(at_its_limit(receive, 1.21, limit));
    for (const double within : {1.21 / 3.99, 1.21, 1.21 * 3.99}) CHECK_FALSE(at_its_limit(receive, 1.21, within));
    CHECK(at_its_limit(*find_gpu_key("tensor.bf16.share"), 0.8, 1));  // which is all that it may be
  }

  TEST_CASE("56.5 families and parts: a held-out machine predicts its own family only") {
    const CalibrationRows rows = made_by(h200().spec, 12, 9);
    CHECK(families_of(rows) == std::vector<std::string>{"narrow", "other"});
    CalibratedMachines machines{h200().spec, h200().spec, {h200().spec, h200().spec}, {}};
    machines.held_out[0].launch.kernel += 1e6;  // that knows nothing of narrow ones
    for (const CalibrationRow& row : rows.rows) machines.machine_of.push_back(row.family == "narrow" ? 0 : 1);
    for (const CalibrationPart& part : calibration_parts(rows, machines)) {
      CHECK(part.after.mean < 1e-12);
      if (part.what != "family") continue;
      CHECK((part.held_out.mean > 1) == (part.value == "narrow"));
    }
  }

  TEST_CASE("56.1 56.8 rows: what is used, what is not, what is refused") {
    CHECK(refusal_of(with_row("", "")).empty());
    CHECK(refusal_of(with_row("\"m\": 256", "\"m\": 0")) ==
          "rows.json: rows[1].m: expected a size from 1 to 1000000, got 0");
    CHECK(refusal_of(with_row("5.5", "-1")) == "rows.json: rows[1].warm_burst_us: expected a number above 0, got -1");
    CHECK(refusal_of(with_row("\"bf16\"", "\"bf17\"")) ==
          "rows.json: rows[1].dtype: expected a dtype such as bf16, got \"bf17\"");
    CHECK(refusal_of("{\"rows\": [{\"m\": 1}]}") == "rows.json: rows[0].k: is missing");
    CHECK(refusal_of("{\"rows\": []}") == "no row is left to fit to");

    const TemporaryFolder folder;
    const auto path = folder.path() / "rows.json";
    std::string text = with_row("\"bf16\"", "\"fp32\"");
    text.insert(text.size() - 2, ", " + std::string(kRow));
    write_file(path, text);
    const CalibrationRows rows = read_calibration_rows({path}, h200().spec);
    CHECK(rows.rows.size() == 2);
    CHECK(rows.files.front().products == std::vector<std::string>{"256,1024,512,bf16"});
    CHECK(rows.left_out.at("fp32: the machine has no section of it") == 1);
    CHECK(rows.rows.front().kernel == GpuKernel{.a = 128, .b = 64, .across = 1, .down = 2});
    const auto few = settings({CalibrationGroup::kProducts}, 100);
    CHECK_THROWS_WITH_AS(Calibration(h200(), rows, few), doctest::Contains("2 measured times for"), ConfigError);
  }
}
