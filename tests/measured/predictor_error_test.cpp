// How errors are taken: what is held out together, what is compared on which rows.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "benches/io/files/write_file.hpp"
#include "benches/measured/predictor/error_report.hpp"
#include "sim/base/random.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/measured/gemm_rows_sample.hpp"
#include "tests/measured/reference_sample.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/near.hpp"
#include "tests/support/temporary_folder.hpp"

using kernbench::ComparedModel;
using kernbench::Dtype;
using kernbench::ErrorPart;
using kernbench::ErrorReport;
using kernbench::GemmRow;
using kernbench::GemmRows;
using kernbench::Grouping;
namespace gemm_sample = kernbench::gemm_sample;

namespace {

/// As far off a roofline as chance has it for its shape; another kind takes the same.
double chance_of_shape_ns(const GemmRow& row) {
  kernbench::Random random(static_cast<std::uint64_t>(row.m * 1000003 + row.n * 1009 + row.k));
  random.next();
  return gemm_sample::roofline_and_launch_ns(row) * std::exp2(2 * random.unit());
}

const ErrorPart& part_of(const ErrorReport& report, const std::string& what, const std::string& value) {
  const auto found = std::ranges::find_if(
      report.parts, [&](const ErrorPart& part) { return part.what == what && part.value == value; });
  REQUIRE(found != report.parts.end());
  return *found;
}

/// m = n = 512 at three k, each so many times its roofline of 100 TFLOPS and 1 TB/s.
GemmRows times_roofline(const std::map<std::int64_t, double>& factors, const kernbench::Peaks& peaks) {
  GemmRows rows = gemm_sample::grid([](const GemmRow&) { return 1; }, 8);
  std::erase_if(rows.rows,
                [&](const GemmRow& row) { return row.m != 512 || row.n != 512 || !factors.contains(row.k); });
  for (GemmRow& row : rows.rows) row.time_ns = factors.at(row.k) * peaks.roofline_ns(row).value();
  return rows;
}

}  // namespace

TEST_SUITE("ADR-0046") {
  TEST_CASE("46.5 a group is in one fold, whatever is in the rows twice; folds follow from the seed") {
    CHECK(rc::check([] {
      const auto count = *rc::gen::inRange<std::size_t>(20, 200);
      const auto seed = *rc::gen::inRange<std::uint32_t>(0, 1000);
      GemmRows rows;
      rows.kinds.resize(2);
      kernbench::Random random(seed);
      const auto size = [&random] { return 16 * (1 + random.below(6)); };
      for (std::size_t i = 0; i < count; ++i) {
        rows.rows.push_back(gemm_sample::row(size(), size(), size(), 1, i % 2));
        rows.rows.push_back(rows.rows.back());  // the same measurement twice
      }
      rows.rows.push_back(gemm_sample::row(17, 1, 1, 1));  // two groups at least
      rows.rows.push_back(gemm_sample::row(1024, 1024, 1024, 1));
      for (const Grouping& grouping : kernbench::groupings()) {
        std::map<std::string, std::set<std::size_t>> folds_of;
        const std::vector<std::size_t> folds = folds_by_group(rows, grouping, seed);
        for (std::size_t i = 0; i < folds.size(); ++i) {
          folds_of[grouping.group_of(rows.rows[i])].insert(folds[i]);
        }
        std::vector<std::size_t> groups_in(std::min<std::size_t>(10, folds_of.size()));
        for (const auto& [group, in] : folds_of) {
          RC_ASSERT(in.size() == 1U);
          RC_ASSERT(*in.begin() < groups_in.size());
          ++groups_in[*in.begin()];
        }
        const auto [least, most] = std::ranges::minmax(groups_in);
        RC_ASSERT(least > 0U);
        RC_ASSERT(most - least <= 1U);
        RC_ASSERT(folds == folds_by_group(rows, grouping, seed));
      }
    }));
  }

  TEST_CASE("46.5 families, and what cannot be held out") {
    const auto family = [](std::int64_t m, std::int64_t n, std::int64_t k) {
      return kernbench::family_of(gemm_sample::row(m, n, k, 1));
    };
    CHECK(family(1000, 1000, 1000) == "ragged");
    CHECK(family(1024, 1027, 1024) == "ragged");
    CHECK(family(17, 1024, 1024) == "ragged");
    CHECK(family(1, 8192, 8192) == "skinny");
    CHECK(family(256, 2048, 64) == "skinny");
    CHECK(family(256, 2032, 64) == "rectangular");
    CHECK(family(2048, 256, 64) == "skinny");
    CHECK(family(512, 512, 512) == "square");
    CHECK(family(512, 512, 2048) == "deep");
    CHECK(family(512, 1024, 2048) == "rectangular");
    GemmRows one = gemm_sample::grid([](const GemmRow&) { return 1; });
    one.rows.resize(1);
    CHECK(::error_of([&] { (void)folds_by_group(one, kernbench::find_grouping("k"), 1); }) ==
          "expected rows of two groups by k or more, to hold one out; all are of one");
    CHECK(::error_of([] { (void)kernbench::find_grouping("shap"); }).find("did you mean 'shape'") != std::string::npos);
  }

  TEST_CASE(
      "46.5 copies of a shape flatter: held out by shape the error is what chance makes it, at random it is not") {
    const GemmRows rows = gemm_sample::grid(chance_of_shape_ns, 3);
    const ErrorReport report = error_report(rows, kernbench::find_grouping("shape"), 1, {});
    const ErrorPart& all = report.parts.front();
    CHECK(all.random.rows == all.held_out.rows);
    CHECK(all.held_out.median > 0.25);  // factors of 1 to 4, none of which a new shape tells
    CHECK(all.random.median < all.held_out.median);
  }

  TEST_CASE("46.6 median, 90th percentile and bias") {
    const kernbench::ErrorSummary errors = kernbench::summary_of({1, 1.1, 0.8, 1.4, 0.5, 2});
    CHECK(errors.rows == 6);
    CHECK(near(errors.median, 0.3, 1e-9));  // of 0, 0.1, 0.2, 0.4, 0.5, 1
    CHECK(near(errors.p90, 0.75, 1e-9));
    CHECK(near(errors.bias, std::pow(1.1 * 0.8 * 1.4, 1.0 / 6) - 1, 1e-9));
    CHECK(kernbench::summary_of({}).rows == 0);
  }

  TEST_CASE("46.6 parts: all, dtypes, families, and groups where they are few; rows are in one of each") {
    GemmRows rows = gemm_sample::grid(gemm_sample::roofline_and_launch_ns);
    for (std::size_t i = 0; i < rows.rows.size(); i += 2) rows.rows[i].dtype = Dtype::kFp16;
    const ErrorReport report = error_report(rows, kernbench::find_grouping("k"), 1, {});
    std::map<std::string, std::size_t> counted;
    for (const ErrorPart& part : report.parts) counted[part.what] += part.held_out.rows + part.refused.rows;
    CHECK(counted == std::map<std::string, std::size_t>{{"all", 729}, {"dtype", 729}, {"family", 729}, {"k", 729}});
    // 46.7: the ends of the range are outside of what the others reach.
    CHECK(part_of(report, "k", "128").held_out.rows == 0);
    CHECK(part_of(report, "k", "128").refused.rows == 81);
    CHECK(part_of(report, "k", "2048").refused.rows == 81);
    CHECK(part_of(report, "k", "192").refused.rows == 0);
    CHECK(part_of(report, "all", "").refused.rows == 162);
    CHECK(part_of(report, "dtype", "bf16").held_out.rows + part_of(report, "dtype", "fp16").held_out.rows == 567);
    const ErrorReport by_shape = error_report(rows, kernbench::find_grouping("shape"), 1, {});
    CHECK(std::ranges::none_of(by_shape.parts, [](const ErrorPart& part) { return part.what == "shape"; }));
  }

  TEST_CASE("46.8 models are compared on the same rows, their constant fitted on other folds alone") {
    const kernbench::Peaks peaks{"toy", {{Dtype::kBf16, 100}}, 1000};
    const GemmRows rows = times_roofline({{256, 2}, {512, 5}, {1024, 8}}, peaks);
    const Grouping& by_k = kernbench::find_grouping("k");
    kernbench::OtherModels others{peaks, kernbench::SimulatedTimes([&] {
                                    GemmRows simulated = times_roofline({{256, 1}, {512, 1}, {1024, 4}}, peaks);
                                    std::erase_if(simulated.rows, [](const GemmRow& row) { return row.kind != 0; });
                                    return simulated;
                                  }())};
    const ErrorReport report = error_report(rows, by_k, 1, others);
    std::map<std::string, ComparedModel> models;
    for (const ComparedModel& model : report.models) {
      REQUIRE(model.errors.has_value());
      CHECK(model.errors->rows == 8);  // k = 512: the others are refused
      models[model.name] = model;
    }
    CHECK(near(models.at("roofline").errors->median, 0.8, 1e-9));
    CHECK(near(models.at("roofline").errors->bias, -0.8, 1e-9));
    CHECK(near(models.at("roofline x constant").errors->median, 0.2, 1e-9));  // sqrt(2 · 8) of 5
    CHECK(near(models.at("simulator").errors->median, 0.8, 1e-9));
    CHECK(near(models.at("simulator x constant").errors->median, 0.6, 1e-9));  // sqrt(2 · 2) of 5
    CHECK(near(models.at("predictor").errors->median, report.parts.front().held_out.median, 1e-12));

    others.simulated.reset();
    others.peaks.reset();
    const ErrorReport alone = error_report(rows, by_k, 1, others);
    REQUIRE(alone.models.size() == 3);
    CHECK_FALSE(alone.models[1].errors.has_value());
    CHECK(alone.models[2].note.find("--simulated RESULTS") != std::string::npos);
    const kernbench::Results results = error_results(alone, rows);
    CHECK(results.rows.back().status == "skipped");
    CHECK(results.rows.back().reason == alone.models[2].note);
  }

  TEST_CASE("46.8 peaks are those of a card or of one PE; two simulated rows of a shape are refused") {
    const TemporaryFolder folder;
    kernbench::write_file(folder.path() / "device.json", format_device(kernbench::reference_sample::device()));
    CHECK(kernbench::card_beside(folder.path() / "gemm.json") == folder.path() / "device.json");
    const kernbench::Peaks card = kernbench::read_peaks(folder.path() / "device.json");
    const GemmRow square = gemm_sample::row(1000, 1000, 1000, 1);
    CHECK(near(card.roofline_ns(square).value(), 20000, 1e-12));
    CHECK(near(card.roofline_ns(gemm_sample::row(1, 1000, 1000, 1)).value(), 2004, 1e-12));
    CHECK_FALSE(card.roofline_ns(gemm_sample::row(1, 1, 1, 1, 0, Dtype::kInt8)).has_value());
    const kernbench::Peaks pe = kernbench::read_peaks(kernbench::source_dir() + "/topology/milestone_1h.yaml");
    CHECK(pe.name == "one PE of milestone-1h");
    CHECK(near(pe.roofline_ns(square).value(), std::max(2e9 / pe.tflops.at(Dtype::kBf16) / 1e3, 6e6 / pe.memory_gbs),
               1e-12));
    CHECK(near(pe.memory_gbs, 256, 1e-12));
    const GemmRows twice = gemm_sample::grid([](const GemmRow&) { return 1; }, 2);
    CHECK(::error_of([&] { (void)kernbench::SimulatedTimes(twice); }) ==
          "--simulated: there are two rows of one shape and dtype, m=128 n=128 k=128 bf16 run=0 and m=128 n=128 k=128 "
          "bf16 run=1; say which is meant: --simulated-only FIELD=VALUE,...");
  }
}
