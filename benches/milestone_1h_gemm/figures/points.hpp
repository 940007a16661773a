// The points of the milestone as rows of a figure's data.
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// "128³", "32×3072×32", "16×64×32 †": M×K×N, with a mark for a shape whose rows carry the flag under_tile.
std::vector<std::string> shape_labels(const Results& results);

/// The label of one row's shape, as in shape_labels().
std::string shape_label(const Row& row);

/// `note`, and where a shape is under-tile a second line that explains its mark.
std::vector<std::string> with_under_tile_note(const Results& results, const std::string& note);

/// Axes, shape label, status and reason of a row: the start of its record in a figure's data.
Json point_record(const Row& row);

}  // namespace kernbench
