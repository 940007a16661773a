// Figures as files: complete, repeatable, and clear about what went wrong.
#include "benches/results/figures/render.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "benches/io/files/write_file.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/figures/draw_png.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "benches/results/figures/drawings.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/sha256.hpp"
#include "tests/figures/sample_results.hpp"

namespace {

namespace fs = std::filesystem;
using kernbench::Json;

/// An empty folder that goes with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("kernbench-figures-" + std::to_string(getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;
};

std::vector<kernbench::Figure> sample_figures() {
  const auto [sim, theory] = kernbench::sample::results();
  return kernbench::milestone_1h_gemm_figures(sim, theory);
}

unsigned big_endian(const std::string& bytes, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(i));
  return value;
}

constexpr const char* kMark = "<!-- marked -->";

/// Figures that were drawn into a folder with their list. A mark shows who is kept: it is in the file and in the list,
/// and nothing that draws makes it.
struct Marked {
  std::vector<kernbench::Figure> figures = sample_figures();
  std::map<std::string, std::string> files = drawn_first();
  Folder folder;

  Marked() {
    for (const auto& [name, bytes] : files) kernbench::write_file(folder.path / name, bytes);
  }

  [[nodiscard]] std::map<std::string, std::string> draw_again() const { return by_name(figures, {folder.path}); }

  /// Returns the file's new bytes; `of` replaces what the list says that it was drawn of.
  std::string mark(const std::string& name, const std::string& of = "") const {
    const std::string bytes = files.at(name) + kMark;
    kernbench::write_file(folder.path / name, bytes);
    std::string list = kernbench::read_file(folder.path / kernbench::kDrawingsFile);
    const std::size_t line = list.rfind('\n', list.find(" " + name + "\n")) + 1;
    REQUIRE(line + 2 * kSha256 < list.size());
    if (!of.empty()) list.replace(line, kSha256, of);
    list.replace(line + kSha256 + 1, kSha256, kernbench::sha256_hex(bytes));
    kernbench::write_file(folder.path / kernbench::kDrawingsFile, list);
    return bytes;
  }

 private:
  static std::map<std::string, std::string> by_name(const std::vector<kernbench::Figure>& figures,
                                                    const std::vector<fs::path>& drawn_before) {
    std::map<std::string, std::string> drawn;
    for (auto& file : kernbench::draw_figures(figures, drawn_before)) drawn[file.name.string()] = file.bytes;
    return drawn;
  }
  static const std::map<std::string, std::string>& drawn_first() {
    static const std::map<std::string, std::string> drawn = by_name(sample_figures(), {});
    return drawn;
  }
  static constexpr std::size_t kSha256 = 64;  // characters
};

bool is_marked(const std::string& bytes) { return bytes.ends_with(kMark); }

/// While it lives no program is found.
struct WithoutPath {
  std::string path = std::getenv("PATH");
  WithoutPath() { setenv("PATH", "/nonexistent", 1); }
  ~WithoutPath() { setenv("PATH", path.c_str(), 1); }
  WithoutPath(const WithoutPath&) = delete;
  WithoutPath& operator=(const WithoutPath&) = delete;
  WithoutPath(WithoutPath&&) = delete;
  WithoutPath& operator=(WithoutPath&&) = delete;
};

/// What render_figures() throws; empty if nothing.
template <typename Error>
std::string message_of(const std::vector<kernbench::Figure>& figures, const fs::path& folder) {
  try {
    kernbench::render_figures(figures, folder);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.6 one specification gives the SVG and, two pixels for one, the PNG") {
    const Folder folder;
    const auto figures = sample_figures();
    kernbench::render_figures(figures, folder.path);
    std::set<std::string> expected;
    for (const auto& figure : figures) {
      for (const char* suffix : {".vl.json", ".svg", ".png"}) expected.insert(figure.name + suffix);
      CHECK(Json::parse(kernbench::read_file(folder.path / (figure.name + ".vl.json"))) == figure.spec);
      const std::string svg = kernbench::read_file(folder.path / (figure.name + ".svg"));
      const std::string png = kernbench::read_file(folder.path / (figure.name + ".png"));
      CHECK(png.substr(1, 3) == "PNG");
      CHECK(big_endian(png, 16) == std::ceil(2 * std::stod(svg.substr(svg.find(" width=\"") + 8))));
      CHECK(big_endian(png, 20) == std::ceil(2 * std::stod(svg.substr(svg.find(" height=\"") + 9))));
    }
    std::set<std::string> written;
    for (const auto& entry : fs::directory_iterator(folder.path)) written.insert(entry.path().filename());
    CHECK(written == expected);
  }

  TEST_CASE("11.7 the same results give the same bytes") {
    const Folder folder;
    const auto figures = sample_figures();
    kernbench::render_figures(figures, folder.path / "once");
    kernbench::render_figures(sample_figures(), folder.path / "twice");
    for (const auto& figure : figures) {
      for (const char* suffix : {".vl.json", ".svg", ".png"}) {
        const std::string file = figure.name + suffix;
        CHECK_MESSAGE(
            kernbench::read_file(folder.path / "once" / file) == kernbench::read_file(folder.path / "twice" / file),
            file);
      }
    }
  }

  TEST_CASE("11.7 a figure is drawn the same alone and among others") {
    const auto figures = sample_figures();
    const auto together = kernbench::draw_svg(figures);
    for (std::size_t i = 0; i < figures.size(); ++i) CHECK(kernbench::draw_svg({figures[i]}).front() == together[i]);
  }

  TEST_CASE("11.23 an unchanged figure is kept byte for byte, without node") {
    Marked drawn;
    const std::vector<std::string> wanted{drawn.mark("bound_vs_simulated.svg"), drawn.mark("time_by_cause.png")};
    const WithoutPath no_node;
    // Of the marked SVG another PNG is drawn, of which node knows nothing.
    const auto again = drawn.draw_again();
    CHECK(again.at("bound_vs_simulated.svg") == wanted[0]);
    CHECK(again.at("time_by_cause.png") == wanted[1]);
    for (const auto& [name, bytes] : drawn.files) {
      if (name.starts_with("bound_vs_simulated") || name == "time_by_cause.png") continue;
      const std::string& file = name;  // clang captures no structured bindings
      if (file != kernbench::kDrawingsFile) CHECK_MESSAGE(again.at(file) == bytes, file);
    }
  }

  TEST_CASE("11.23 a figure is drawn anew where its data changed, the others are kept") {
    Marked drawn;
    for (const auto& figure : drawn.figures) drawn.mark(figure.name + ".svg");
    Json& values = drawn.figures.front().spec.at("data").at("values");
    for (auto& [field, value] : values.at(0).items()) {
      if (value.is_number_float()) value = value.get<double>() * 1.01;
    }
    const auto again = drawn.draw_again();
    CHECK_FALSE(is_marked(again.at(drawn.figures.front().name + ".svg")));
    CHECK(again.at(drawn.figures.front().name + ".svg") == kernbench::draw_svg({drawn.figures.front()}).front());
    for (std::size_t i = 1; i < drawn.figures.size(); ++i) CHECK(is_marked(again.at(drawn.figures[i].name + ".svg")));
  }

  TEST_CASE("11.23 a file that is damaged, edited or gone is drawn anew; so is all where the list is") {
    Marked drawn;
    const auto differently = [&drawn](const std::string& name, const std::string& bytes) {
      kernbench::write_file(drawn.folder.path / name, bytes);
    };
    SUBCASE("half a file") {
      for (const char* name : {"time_by_cause.svg", "time_by_cause.png"}) {
        differently(name, drawn.files.at(name).substr(0, 1000));
      }
    }
    SUBCASE("edited") { differently("time_by_cause.svg", drawn.files.at("time_by_cause.svg") + "<!-- mine -->"); }
    SUBCASE("gone") { fs::remove(drawn.folder.path / "time_by_cause.svg"); }
    SUBCASE("the list is half") {
      drawn.mark("time_by_cause.svg");
      const std::string list = kernbench::read_file(drawn.folder.path / kernbench::kDrawingsFile);
      differently(kernbench::kDrawingsFile, list.substr(0, 100));
    }
    SUBCASE("no list") {
      drawn.mark("time_by_cause.svg");
      fs::remove(drawn.folder.path / kernbench::kDrawingsFile);
    }
    CHECK(drawn.draw_again() == drawn.files);
  }

  TEST_CASE("11.23 what another bundle, other libraries or another build drew is drawn anew") {
    Marked drawn;
    const std::string spec = drawn.files.at("time_by_cause.vl.json");
    const std::string svg = drawn.files.at("time_by_cause.svg");
    using kernbench::sha256_hex;
    SUBCASE("these") {
      drawn.mark("time_by_cause.svg", sha256_hex(kernbench::svg_drawer() + "\n" + spec));
      CHECK(is_marked(drawn.draw_again().at("time_by_cause.svg")));
      const std::string other = drawn.files.at("bound_vs_simulated.svg");
      drawn.mark("bound_vs_simulated.png", sha256_hex(kernbench::png_drawer() + "\n" + other));
      CHECK(is_marked(drawn.draw_again().at("bound_vs_simulated.png")));
    }
    SUBCASE("others") {
      drawn.mark("time_by_cause.svg", sha256_hex(sha256_hex("another bundle") + "\n" + spec));
      drawn.mark("time_by_cause.png", sha256_hex("another build\n" + svg));
      CHECK(drawn.draw_again() == drawn.files);
    }
  }

  TEST_CASE("11.8 a figure that draws with an error or a warning is refused by name, and nothing is written") {
    const Folder folder;
    auto figures = sample_figures();
    const auto utilisation = std::ranges::find(figures, "mac_utilisation_simulated", &kernbench::Figure::name);
    REQUIRE(utilisation != figures.end());
    Json& layer = utilisation->spec["spec"]["layer"][0]["layer"][0];
    SUBCASE("an unknown mark") { layer["mark"] = "no such mark"; }
    SUBCASE("a channel that its mark does not have") { layer["encoding"]["shape"] = {{"field", "metric"}}; }
    CHECK(message_of<std::runtime_error>(figures, folder.path).find("mac_utilisation_simulated") != std::string::npos);
    CHECK(!fs::exists(folder.path));
  }

  TEST_CASE("11.9 without node the message says what to install") {
    const Folder folder;
    const WithoutPath no_node;
    const std::string message = message_of<kernbench::ConfigError>(sample_figures(), folder.path);
    CHECK(message.find("`node`") != std::string::npos);
    CHECK(message.find("apt-get install nodejs") != std::string::npos);
    CHECK(!fs::exists(folder.path));
  }
}
