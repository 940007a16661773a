#include "benches/results/figures/render.hpp"

#include <future>
#include <iterator>
#include <string>
#include <utility>

#include "benches/io/files/file_set.hpp"
#include "benches/results/figures/draw_png.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/figures/drawings.hpp"
#include "sim/base/sha256.hpp"

namespace kernbench {
namespace {

constexpr double kPixelsPerUnit = 2.0;  // sharp on the screens of today

NewFile specification(const Figure& figure) { return {figure.name + ".vl.json", figure.spec.dump(1) + "\n"}; }

/// An SVG of each: those that are known, and the others by one run of node.
std::vector<Drawing> svgs_of(const std::vector<Figure>& figures, const std::vector<NewFile>& specifications,
                             const KnownDrawings& known) {
  const std::string drawer = svg_drawer();
  std::vector<Drawing> svgs;
  std::vector<Figure> missing;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    Drawing svg{figures[i].name + ".svg", sha256_hex(drawer + "\n" + specifications[i].bytes), {}};
    if (auto bytes = known.find(svg.name, svg.of)) {
      svg.bytes = std::move(*bytes);
    } else {
      missing.push_back(figures[i]);
      places.push_back(i);
    }
    svgs.push_back(std::move(svg));
  }
  std::vector<std::string> drawn = draw_svg(missing);
  for (std::size_t i = 0; i < drawn.size(); ++i) svgs[places[i]].bytes = std::move(drawn[i]);
  return svgs;
}

/// A PNG of each, drawn in threads of their own where they are not known.
std::vector<Drawing> pngs_of(const std::vector<Figure>& figures, const std::vector<Drawing>& svgs,
                             const KnownDrawings& known) {
  const std::string drawer = png_drawer();
  std::vector<Drawing> pngs;
  std::vector<std::future<std::string>> bitmaps(svgs.size());
  for (std::size_t i = 0; i < svgs.size(); ++i) {
    const std::string& svg = svgs[i].bytes;
    Drawing png{figures[i].name + ".png", sha256_hex(drawer + "\n" + svg), {}};
    if (auto bytes = known.find(png.name, png.of)) {
      png.bytes = std::move(*bytes);
    } else {
      bitmaps[i] = std::async(std::launch::async, [&svg] { return draw_png(svg, kPixelsPerUnit); });
    }
    pngs.push_back(std::move(png));
  }
  for (std::size_t i = 0; i < pngs.size(); ++i) {
    if (bitmaps[i].valid()) pngs[i].bytes = bitmaps[i].get();
  }
  return pngs;
}

}  // namespace

std::vector<NewFile> draw_figures(const std::vector<Figure>& figures,
                                  const std::vector<std::filesystem::path>& drawn_before) {
  std::vector<NewFile> files;
  for (const Figure& figure : figures) files.push_back(specification(figure));
  const KnownDrawings known(drawn_before);
  std::vector<Drawing> drawings = svgs_of(figures, files, known);
  std::vector<Drawing> pngs = pngs_of(figures, drawings, known);
  std::move(pngs.begin(), pngs.end(), std::back_inserter(drawings));
  files.push_back(list_of(drawings));
  for (Drawing& drawing : drawings) files.push_back({drawing.name, std::move(drawing.bytes)});
  return files;
}

void render_figures(const std::vector<Figure>& figures, const std::filesystem::path& out_dir) {
  std::vector<NewFile> files = draw_figures(figures, {});
  std::erase_if(files, [](const NewFile& file) { return file.name == kDrawingsFile; });
  const FolderLock folder(out_dir, "another command", "wait for it, or choose another folder");
  finish_replacement(folder);
  replace_files(folder, files, {});
}

}  // namespace kernbench
