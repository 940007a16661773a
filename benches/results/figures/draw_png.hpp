// SVG to PNG, in this process, by librsvg.
#pragma once

#include <string>

namespace kernbench {

/// What the bytes of a PNG follow from besides its SVG: the libraries that draw it and this build. A text of one line.
std::string png_drawer();

/// The PNG file's bytes; `scale` pixels for each of the SVG's. May be called from several threads at once.
/// Throws std::runtime_error if `svg` is no SVG document with a size.
std::string draw_png(const std::string& svg, double scale);

}  // namespace kernbench
