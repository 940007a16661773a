#include "benches/harness/figures/render.hpp"

#include <future>
#include <string>

#include "benches/harness/figures/draw_png.hpp"
#include "benches/harness/figures/draw_svg.hpp"
#include "benches/harness/write_file.hpp"

namespace kernbench {

void render_figures(const std::vector<Figure>& figures, const std::filesystem::path& out_dir) {
  constexpr double kPixelsPerUnit = 2.0;  // sharp on the screens of today
  const std::vector<std::string> drawings = draw_svg(figures);
  std::vector<std::future<std::string>> bitmaps;
  bitmaps.reserve(drawings.size());
  for (const std::string& svg : drawings) {
    bitmaps.push_back(std::async(std::launch::async, [&svg] { return draw_png(svg, kPixelsPerUnit); }));
  }
  std::vector<std::string> pngs;
  pngs.reserve(drawings.size());
  for (auto& bitmap : bitmaps) pngs.push_back(bitmap.get());

  std::filesystem::create_directories(out_dir);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    write_file(out_dir / (figures[i].name + ".vl.json"), figures[i].spec.dump(1) + "\n");
    write_file(out_dir / (figures[i].name + ".svg"), drawings[i]);
    write_file(out_dir / (figures[i].name + ".png"), pngs[i]);
  }
}

}  // namespace kernbench
