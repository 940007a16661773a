// Figures as files: complete, repeatable, and clear about what went wrong.
#include "benches/harness/figures/render.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "benches/harness/files/write_file.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "sim/base/errors.hpp"
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
    const char* present = std::getenv("PATH");
    REQUIRE(present != nullptr);
    const std::string path = present != nullptr ? present : "";
    setenv("PATH", "/nonexistent", 1);
    const std::string message = message_of<kernbench::ConfigError>(sample_figures(), folder.path);
    setenv("PATH", path.c_str(), 1);
    CHECK(message.find("`node`") != std::string::npos);
    CHECK(message.find("apt-get install nodejs") != std::string::npos);
    CHECK(!fs::exists(folder.path));
  }
}
