// The answer to "how far off is a predictor of these rows": its tables, as results and as a figure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/measured/predictor/other_models.hpp"
#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// Errors over some of the rows.
struct ErrorPart {
  std::string what;         ///< "all", "dtype", "family", or the grouping's name
  std::string value;        ///< "bf16"; "" of all
  ErrorSummary held_out;    ///< of rows within the trained range
  ErrorSummary random;      ///< of the same rows, where single rows were held out instead
  ErrorSummary refused;     ///< of rows outside of it: what an extrapolation would have been worth
  std::size_t unknown = 0;  ///< rows of a dtype that no training row had: refused as well
};

struct ErrorReport {
  std::string grouping;
  std::string meaning;
  std::size_t groups = 0;
  std::size_t folds = 0;
  std::uint32_t seed = 0;
  std::vector<ErrorPart> parts;  ///< all; by dtype; by family; by group, where these are 24 or fewer
  std::vector<ComparedModel> models;
  std::vector<HeldOutRow> held_out;  ///< of all rows
};

/// Trains once for each fold, of groups and of single rows. Throws ConfigError as folds_by_group.
[[nodiscard]] ErrorReport error_report(const GemmRows& rows, const Grouping& grouping, std::uint32_t seed,
                                       const OtherModels& others);

/// A row a part, then one a model: of one that is not there "skipped", with its reason.
[[nodiscard]] Results error_results(const ErrorReport& report, const GemmRows& rows);
/// A row for each held-out row: time_ns as it is, predicted_ns; "skipped" where it is refused.
[[nodiscard]] Results held_out_results(const ErrorReport& report, const GemmRows& rows);

/// Predicted against actual TFLOPS of the held-out rows that are not refused, by dtype.
[[nodiscard]] Figure held_out_figure(const ErrorReport& report, const GemmRows& rows);

}  // namespace kernbench
