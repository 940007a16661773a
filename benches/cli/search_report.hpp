// How an answer of `kernbench search` is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/search/search.hpp"
#include "benches/experiments/search/sensitivity.hpp"
#include "benches/io/text/terminal.hpp"

namespace kernbench {

struct SearchReport {
  std::string title;
  const MachineSpec* machine = nullptr;
  const Space* space = nullptr;
  const Question* question = nullptr;
  Found found{};
  std::optional<Found> random{};    ///< as many machines drawn at random
  std::optional<Candidate> base{};  ///< the machine as it is, without a choice of its keys
  std::string confirmed{};          ///< what simulating the answer once more said
  std::string influence_of{};       ///< the expression of `influence`
  std::optional<Sensitivity> influence{};
  std::size_t known = 0;  ///< simulations that the cache had
};

[[nodiscard]] std::string format_search(const SearchReport& report, const Terminal& terminal);

/// The shares of a sensitivity, a row a key; then every machine that was tried, with its settings, goals and metrics;
/// the best, or the front, before the others.
[[nodiscard]] std::vector<Row> rows_of(const SearchReport& report);

/// Of each machine that was tried, its place among these rows.
[[nodiscard]] std::vector<std::size_t> places_of_tried(const SearchReport& report);

}  // namespace kernbench
