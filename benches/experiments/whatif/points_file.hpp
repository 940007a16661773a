// Points of a bench from a file: a layer's products, say, as one run (adr/0063-workloads.md, 63.5).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// The bench with the points of a CSV file, whose columns are axes of it, `name` and `count`, in the place of those
/// axes. What they come to in all, each as often as `count` says, is a derived row, and the headline. Throws
/// ConfigError "FILE:LINE: ..." for what is no value of an axis, for a point that is there twice, and for a file
/// without points.
[[nodiscard]] Bench with_points(const Bench& bench, const std::string& file);

/// The bench, or a sweep of it, that has what the points of `of_file` come to in all.
[[nodiscard]] Bench with_totals(Bench bench, const Bench& of_file);

/// "All of it, 128 runs of 4 points, takes 36.65 ms; most of it down, 53.5 %."
[[nodiscard]] std::string headline_of_points(const Results& simulated);

/// The derived rows of what all points come to, one for each machine of a sweep.
[[nodiscard]] std::vector<const Row*> totals_in(const Results& simulated);
/// "36.65 ms"; of one that has a time.
[[nodiscard]] std::string text_of_total(const Row& total);

/// Bars of what each point takes, as often as it is run; of one machine.
[[nodiscard]] Figure points_figure(const Results& simulated);

/// What a point of a file is called, and how often it is run.
[[nodiscard]] std::string name_of_point(const Point& point);
[[nodiscard]] std::int64_t count_of_point(const Point& point);

}  // namespace kernbench
