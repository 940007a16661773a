#include "benches/harness/figures/render.hpp"

#include <future>
#include <string>

#include "benches/harness/figures/draw_png.hpp"
#include "benches/harness/figures/draw_svg.hpp"
#include "benches/harness/files/file_set.hpp"

namespace kernbench {

std::vector<NewFile> draw_figures(const std::vector<Figure>& figures) {
  constexpr double kPixelsPerUnit = 2.0;  // sharp on the screens of today
  const std::vector<std::string> drawings = draw_svg(figures);
  std::vector<std::future<std::string>> bitmaps;
  bitmaps.reserve(drawings.size());
  for (const std::string& svg : drawings) {
    bitmaps.push_back(std::async(std::launch::async, [&svg] { return draw_png(svg, kPixelsPerUnit); }));
  }
  std::vector<NewFile> files;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    files.push_back({figures[i].name + ".svg", drawings[i]});
    files.push_back({figures[i].name + ".png", bitmaps[i].get()});
    files.push_back({figures[i].name + ".vl.json", figures[i].spec.dump(1) + "\n"});
  }
  return files;
}

void render_figures(const std::vector<Figure>& figures, const std::filesystem::path& out_dir) {
  const std::vector<NewFile> files = draw_figures(figures);
  const FolderLock folder(out_dir, "another command", "wait for it, or choose another folder");
  finish_replacement(folder);
  replace_files(folder, files, {});
}

}  // namespace kernbench
