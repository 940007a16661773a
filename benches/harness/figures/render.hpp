// A set of figures as files: specification, SVG and PNG of each.
#pragma once

#include <filesystem>
#include <vector>

#include "benches/harness/figures/figure.hpp"

namespace kernbench {

/// Writes NAME.vl.json, NAME.svg and NAME.png (two pixels for each of the SVG's) of every figure into `out_dir`, which
/// it creates. A file is written beside its place and renamed, so a reader never sees half of one; nothing is
/// written unless all figures could be drawn. Starts threads: call it when no more processes will be forked.
/// Throws ConfigError if node is missing, std::runtime_error if a figure cannot be drawn or written.
void render_figures(const std::vector<Figure>& figures, const std::filesystem::path& out_dir);

}  // namespace kernbench
