// Texts of users in messages: bounded, printable, and whole characters.
#include "sim/base/shown_text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

using namespace kernbench;

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.8 control characters are shown, not sent") {
    CHECK(printable("a\tb\x1b[31m\x7f") == "a\\x09b\\x1b[31m\\x7f");
    CHECK(printable("2 µs") == "2 µs");
    CHECK(printable("a\xC2\x9B"
                    "b\xFF\xC2") == "a\\xc2\\x9bb\\xff\\xc2");  // C1, and what is no UTF-8
    CHECK(printable_lines("a\x1b\n\nb\n") == "a\\x1b\n\nb\n");
    CHECK(has_control_characters("\x1b[2J"));
    CHECK(has_control_characters("a\xC2\x9B"));
    CHECK_FALSE(has_control_characters("two\tcells\nµ"));
  }

  TEST_CASE("26.8 a long text keeps its beginning and its end, in whole characters") {
    CHECK(shortened("short", 16) == "short");
    CHECK(shortened("0123456789abcdefg", 16) == "01234567...cdefg");
    CHECK(rc::check("of no more than the limit, and still UTF-8", [] {
      std::string text;
      const auto characters = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4));
      for (const int character : characters) text += std::vector<std::string>{"a", "µ", "…", "𝄞"}.at(character);
      const auto most = *rc::gen::inRange<std::size_t>(16, 40);
      const std::string shown = shortened(text, most);
      RC_ASSERT(shown.size() <= most);
      RC_ASSERT(is_utf8(shown));
      RC_ASSERT(text.size() > most || shown == text);
    }));
  }

  TEST_CASE("26.8 a long list says how many are left") {
    CHECK(listed({"a", "b"}, 2) == "a\nb\n");
    CHECK(listed({"a", "b", "c", "d"}, 2) == "a\nb\nand 2 more\n");
  }

  TEST_CASE("26.3 what is UTF-8 and what is not") {
    for (const char* text :
         {"", "abc", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
      CHECK(is_utf8(text));
    }
    for (const char* text : {"\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
                             "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
      CHECK_FALSE(is_utf8(text));
    }
  }
}
