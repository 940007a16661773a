// What the figures of traces share: colours of values and panels of GEMMs.
#pragma once

#include <string>
#include <vector>

#include "benches/io/text/json.hpp"
#include "benches/traces/report/gemm_times.hpp"

namespace kernbench::traces {

/// A scale of distinct colours for these values in their order; they repeat after eight.
[[nodiscard]] Json colour_scale(const std::vector<std::string>& values);

/// A specification of panels, `columns` in a row, each with its title.
[[nodiscard]] Json panels_of(const std::vector<std::string>& titles, std::vector<Json> panels, int columns);

/// A specification of one panel a GEMM, two or three in a row, each with its title; `panels` in the order of
/// times.gemms.
[[nodiscard]] Json panels_of_gemms(const GemmTimes& times, std::vector<Json> panels);

/// Notes of figures of GEMMs: `what` is shown, and which GEMMs are not.
[[nodiscard]] std::vector<std::string> gemm_notes(const GemmTimes& times, const std::string& what);

/// A name of a figure's file: letters, digits and _ of `text`.
[[nodiscard]] std::string file_word(const std::string& text);

}  // namespace kernbench::traces
