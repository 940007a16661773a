// SVG files bring their font along: FreeType reads it out of them.
#include <doctest/doctest.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/figures/draw_svg.hpp"
#include "tests/figures/sample_results.hpp"

namespace {

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

using Library = std::unique_ptr<FT_LibraryRec_, decltype(&FT_Done_FreeType)>;

Library free_type() {
  FT_Library library = nullptr;
  REQUIRE(FT_Init_FreeType(&library) == 0);
  return {library, FT_Done_FreeType};
}

/// A font in memory, which has to outlive the face.
struct Font {
  std::string file;
  std::unique_ptr<FT_FaceRec_, decltype(&FT_Done_Face)> face{nullptr, FT_Done_Face};
};

/// By weight ("400", "700").
std::map<std::string, Font> fonts_in(const std::string& svg, FT_Library library) {
  std::map<std::string, Font> fonts;
  // No std::regex: it would take a frame of the stack for every byte of the font.
  const std::string rule = "@font-face{font-family:Roboto;font-weight:";
  const std::string source = ";src:url(data:font/ttf;base64,";
  for (std::size_t at = svg.find(rule); at != std::string::npos; at = svg.find(rule, at)) {
    at += rule.size();
    const std::size_t weight_end = svg.find(source, at);
    REQUIRE(weight_end != std::string::npos);
    Font& font = fonts[svg.substr(at, weight_end - at)];
    at = weight_end + source.size();
    font.file = from_base64(svg.substr(at, svg.find(')', at) - at));
    const void* bytes = font.file.data();
    FT_Face face = nullptr;
    REQUIRE(FT_New_Memory_Face(library, static_cast<const FT_Byte*>(bytes), static_cast<FT_Long>(font.file.size()), 0,
                               &face) == 0);
    font.face.reset(face);
  }
  return fonts;
}

/// The ASCII characters that texts of this weight show. Vega writes what is bold as "bold" or as a number.
std::set<char> shown(const std::string& svg, bool bold) {
  std::set<char> characters;
  const std::regex text(R"(<text\b([^>]*)>([^<]*)</text>)");
  for (std::sregex_iterator at(svg.begin(), svg.end(), text), end; at != end; ++at) {
    const bool is_bold = std::regex_search((*at)[1].str(), std::regex(R"re(font-weight="(bold|700)")re"));
    if (is_bold != bold) continue;
    for (const char c : std::regex_replace((*at)[2].str(), std::regex("&\\w+;"), "")) {
      if (static_cast<unsigned char>(c) < 0x80) characters.insert(c);
    }
  }
  return characters;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.13 an SVG carries the characters that it shows, of each weight, and no others") {
    const auto [sim, theory] = kernbench::sample::results();
    const Library library = free_type();
    for (const std::string& svg : kernbench::draw_svg(kernbench::milestone_1h_gemm_figures(sim, theory))) {
      const std::map<std::string, Font> fonts = fonts_in(svg, library.get());
      REQUIRE(fonts.size() == 2);
      for (const auto& [weight, font] : fonts) {
        const std::set<char> characters = shown(svg, weight == "700");
        REQUIRE(characters.size() > 5);
        for (const char c : characters) {
          CAPTURE(c);
          const FT_UInt glyph = FT_Get_Char_Index(font.face.get(), static_cast<FT_ULong>(c));
          CHECK(glyph != 0);
          REQUIRE(FT_Load_Glyph(font.face.get(), glyph, FT_LOAD_NO_SCALE) == 0);
          CHECK(font.face->glyph->metrics.horiAdvance > 0);
          CHECK((c == ' ') == (font.face->glyph->outline.n_points == 0));
        }
        CHECK(FT_Get_Char_Index(font.face.get(), '~') == 0);
        CHECK(font.file.size() < 10'000);
      }
    }
  }

  TEST_CASE("11.13 a character that is drawn out of others finds its parts; what needs escaping is found, too") {
    const auto drawn = [](const std::string& text) {
      const kernbench::Json spec = {{"data", {{"values", {kernbench::Json::object()}}}},
                                    {"mark", {{"type", "text"}, {"text", text}}}};
      return kernbench::draw_svg({{"figure", "", spec}}).front();
    };
    const Library library = free_type();
    const std::map<std::string, Font> fonts = fonts_in(drawn("é <&>"), library.get());
    REQUIRE(fonts.size() == 1);
    FT_FaceRec_* const face = fonts.at("400").face.get();
    for (const char c : {'<', '&', '>'}) CHECK(FT_Get_Char_Index(face, static_cast<FT_ULong>(c)) != 0);
    REQUIRE(FT_Load_Char(face, 0xE9, FT_LOAD_NO_SCALE) == 0);
    CHECK(face->glyph->outline.n_contours == 3);  // two of the e, one of its accent
    CHECK(FT_Get_Char_Index(face, 'l') == 0);     // of "&lt;"
    CHECK(drawn(" ").find("<svg") == 0);
  }
}
