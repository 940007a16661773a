// A set of figures as files: specification, SVG and PNG of each.
#pragma once

#include <filesystem>
#include <vector>

#include "benches/io/files/file_set.hpp"
#include "benches/results/figures/figure.hpp"

namespace kernbench {

/// NAME.svg, NAME.png (two pixels for each of the SVG's) and NAME.vl.json of every figure, and the list of what they
/// were drawn of (drawings.hpp). What the folders `drawn_before` have is not drawn again. Starts threads: call it when
/// no more processes will be forked. Throws ConfigError if node is missing, std::runtime_error if a figure cannot be
/// drawn.
[[nodiscard]] std::vector<NewFile> draw_figures(const std::vector<Figure>& figures,
                                                const std::vector<std::filesystem::path>& drawn_before);

/// Draws them and writes them, without the list, into `out_dir`, all of them or none (10.9); nothing unless all figures
/// could be drawn.
void render_figures(const std::vector<Figure>& figures, const std::filesystem::path& out_dir);

}  // namespace kernbench
