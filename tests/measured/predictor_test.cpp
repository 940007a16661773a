// What the trees learn, what they refuse, and that they say it twice alike.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "benches/measured/cases/statistics.hpp"
#include "benches/measured/predictor/held_out.hpp"
#include "benches/measured/predictor/prediction.hpp"
#include "sim/base/errors.hpp"
#include "tests/measured/gemm_rows_sample.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/near.hpp"

using kernbench::Dtype;
using kernbench::GemmPrediction;
using kernbench::GemmPredictor;
using kernbench::GemmRow;
using kernbench::GemmRows;
using kernbench::RowPlaces;
namespace gemm_sample = kernbench::gemm_sample;

namespace {

RowPlaces all_places(const GemmRows& rows) {
  RowPlaces places(rows.rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

kernbench::ErrorSummary held_out_by_shape(const GemmRows& rows) {
  const auto folds = folds_by_group(rows, kernbench::find_grouping("shape"), 1);
  const auto predicted = predict_held_out(rows, folds, 1);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (predicted[i].covered) ratios.push_back(predicted[i].predicted_ns / rows.rows[i].time_ns);
  }
  return kernbench::summary_of(ratios);
}

/// A roofline, filled up to whole tiles of 80 along m: no power of two tells these sizes apart.
double in_tiles_ns(const GemmRow& row) {
  GemmRow filled = row;
  filled.m = (row.m + 79) / 80 * 80;
  return gemm_sample::roofline_and_launch_ns(filled);
}

}  // namespace

TEST_SUITE("ADR-0046") {
  TEST_CASE("46.2 a known function of the sizes is learned: nine of ten new shapes within 5 %") {
    const kernbench::ErrorSummary errors = held_out_by_shape(gemm_sample::grid(gemm_sample::roofline_and_launch_ns));
    CHECK(errors.rows > 600);
    CHECK(errors.median < 0.015);
    CHECK(errors.p90 < 0.05);
    CHECK(std::abs(errors.bias) < 0.01);
  }

  TEST_CASE("46.2 what kind and dtype make of a time is learned") {
    GemmRows rows = gemm_sample::grid(gemm_sample::roofline_and_launch_ns, 2);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      GemmRow& row = rows.rows[i];
      row.dtype = row.m == row.n || i % 3 == 0 ? Dtype::kFp32 : Dtype::kBf16;
      row.time_ns =
          gemm_sample::roofline_and_launch_ns(row) * (row.kind == 1 ? 1.7 : 1) * (row.dtype == Dtype::kFp32 ? 4 : 1);
    }
    CHECK(held_out_by_shape(rows).p90 < 0.06);
  }

  TEST_CASE("46.2 the padding to a tile is learned where the tile is stated") {
    GemmRows rows = gemm_sample::grid(in_tiles_ns);
    std::erase_if(rows.rows, [](const GemmRow& row) { return row.m > 512; });
    const double without = held_out_by_shape(rows).p90;
    rows.kinds[0].tile = {80, 1, 1};
    const double stated = held_out_by_shape(rows).p90;
    CHECK(stated < 0.06);
    CHECK(stated <= without);
  }

  TEST_CASE("46.3 the roofline is that of the training rows alone, each dtype by itself") {
    GemmRows rows = gemm_sample::grid([](const GemmRow& row) { return row.flops() / 100; });
    rows.rows.resize(4);
    rows.rows[1].time_ns /= 10;  // the fastest, but not trained on
    rows.rows[2].time_ns /= 2;   // the fastest in FLOP and bytes of bf16
    rows.rows[3] = gemm_sample::row(512, 512, 512, 1, 0, Dtype::kFp32);
    const kernbench::RowsRoofline roofline(rows, {0, 2, 3});
    CHECK(near(roofline.time_ns(rows.rows[0]),
               std::max(rows.rows[0].flops() / 200, rows.rows[0].bytes() * rows.rows[2].time_ns / rows.rows[2].bytes()),
               1e-12));
    CHECK(near(roofline.time_ns(rows.rows[3]), 1, 1e-12));
  }

  TEST_CASE("46.4 the same rows and seed give the same bits; another seed does not") {
    const GemmRows rows = gemm_sample::grid(gemm_sample::roofline_and_launch_ns);
    const auto times = [&rows](std::uint32_t seed) {
      return GemmPredictor(rows, all_places(rows), seed).times_ns(rows.rows);
    };
    const std::vector<double> first = times(7);
    CHECK(first == times(7));
    CHECK(first != times(8));
  }

  TEST_CASE("46.7 outside the sizes of its dtype and kind a prediction is refused, with range and nearest row") {
    GemmRows rows = gemm_sample::grid(gemm_sample::roofline_and_launch_ns, 2);
    std::erase_if(rows.rows, [](const GemmRow& row) { return row.kind == 1 && row.k > 1024; });
    const GemmPredictor predictor(rows, all_places(rows), 1);
    const GemmRow inside = gemm_sample::row(128, 2048, 1024, 0, 1);
    CHECK(predictor.covers(inside));
    CHECK_NOTHROW(refuse_extrapolation(predictor, rows, inside));
    GemmRow outside = gemm_sample::row(127, 2000, 1025, 0, 1);
    CHECK_FALSE(predictor.covers(outside));
    const std::string said = ::error_of([&] { refuse_extrapolation(predictor, rows, outside); });
    CHECK_MESSAGE(
        said.starts_with("--m 127: expected 128..2048, --k 1025: expected 128..1024: what rows of bf16, run=1 "
                         "reach from and to; nothing is extrapolated; the nearest row is m=128 n=2048 k=1024 "
                         "bf16 run=1: "),
        said);
    outside.kind = 0;
    outside.m = 128;
    CHECK(predictor.covers(outside));
    outside.dtype = Dtype::kInt8;
    CHECK_FALSE(predictor.covers(outside));
    const std::string unknown = ::error_of([&] { refuse_extrapolation(predictor, rows, outside); });
    CHECK_MESSAGE(unknown.starts_with("--dtype: there are no rows of int8, run=0"), unknown);
    CHECK_MESSAGE(unknown.find("Dtypes there are: bf16; the nearest row is m=128 n=2048 k=1024") != std::string::npos,
                  unknown);
  }

  TEST_CASE("46.9 a prediction's range is that of its dtype's and kind's held-out rows; one for each kind") {
    GemmRows rows = gemm_sample::grid(gemm_sample::roofline_and_launch_ns, 3);
    std::erase_if(rows.rows, [](const GemmRow& row) {
      return (row.kind == 1 && row.m > 512) || (row.kind == 2 && (row.n != row.k || row.n % 512 != 0 || row.m > 256));
    });
    for (GemmRow& row : rows.rows) row.time_ns *= 1 + 0.05 * static_cast<double>((row.m * 7 + row.n + row.k) % 5);
    rows.rows.push_back(gemm_sample::row(2048, 2048, 2048, 2e6, 2));
    const GemmRow asked = gemm_sample::row(1000, 900, 800, 0);
    const std::vector<GemmPrediction> all = predict_gemm(rows, asked, 3);
    REQUIRE(all.size() == 3);
    CHECK_FALSE(all[1].refused.empty());
    CHECK(all[0].nearest.starts_with("m=1024 n=1024 k=768 bf16 run=0"));
    const auto held_out = predict_held_out(rows, folds_by_group(rows, kernbench::find_grouping("shape"), 3), 3);
    for (const std::size_t kind : {0, 2}) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < rows.rows.size(); ++i) {
        if (rows.rows[i].kind != kind || !held_out[i].covered) continue;
        ratios.push_back(rows.rows[i].time_ns / held_out[i].predicted_ns);
      }
      CHECK(all[kind].held_out == ratios.size());
      CHECK(near(all[kind].low_ns.value(), all[kind].asked.time_ns * kernbench::quantile(ratios, 0.1), 1e-12));
      CHECK(near(all[kind].high_ns.value(), all[kind].asked.time_ns * kernbench::quantile(ratios, 0.9), 1e-12));
      CHECK(*all[kind].low_ns < *all[kind].high_ns);
    }
    std::erase_if(rows.rows, [](const GemmRow& row) { return row.kind == 2 && row.n != 512; });
    rows.rows.push_back(gemm_sample::row(2048, 2048, 2048, 2e6, 2));
    CHECK_FALSE(predict_gemm(rows, asked, 3)[2].low_ns.has_value());  // three rows
    CHECK(::error_of([&] { (void)predict_gemm(rows, gemm_sample::row(1, 900, 800, 0), 3); }).starts_with("--m 1: "));
  }
}
