// Formats of elements: rounding beside the list of all numbers that a format has.
#include "sim/base/dtype.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// What the codes 0, 1, 2, ... of a format mean, as long as they are finite numbers.
std::vector<double> numbers_of(int exponent_bits, int fraction_bits, int finite_codes) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  std::vector<double> numbers;
  for (int code = 0; code < finite_codes; ++code) {
    const int exponent = code >> fraction_bits;
    const int fraction = code - (exponent << fraction_bits);
    const int leading = exponent == 0 ? 0 : 1 << fraction_bits;
    numbers.push_back(std::ldexp(leading + fraction, std::max(exponent, 1) - bias - fraction_bits));
  }
  return numbers;
}

/// The nearest of them, of two the one with the even code.
double nearest(const std::vector<double>& numbers, double value) {
  const auto above = std::ranges::lower_bound(numbers, value);
  if (above == numbers.end()) return numbers.back();
  if (above == numbers.begin() || *above == value) return *above;
  const double below = *std::prev(above);
  if (value - below != *above - value) return value - below < *above - value ? below : *above;
  return (above - numbers.begin()) % 2 == 0 ? *above : below;
}

void check_format(Dtype dtype, const std::vector<double>& numbers) {
  CAPTURE(name_of(dtype));
  for (std::size_t code = 0; code + 1 < numbers.size(); ++code) {
    const auto here = static_cast<float>(numbers[code]);
    const auto half = static_cast<float>((numbers[code] + numbers[code + 1]) / 2);
    for (const float value : {here, half, std::nextafter(half, 0.0F), std::nextafter(half, kInfinity)}) {
      REQUIRE(rounded(value, dtype) == nearest(numbers, value));
      REQUIRE(rounded(-value, dtype) == -nearest(numbers, value));
    }
  }
  CHECK(rounded(static_cast<float>(numbers.back()), dtype) == numbers.back());
}

/// Of one or more groups, of magnitudes that are near each other or not.
std::vector<float> any_row() {
  const auto most = *rc::gen::element(1, 6, 40);
  const auto value = rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-4096, 4097), rc::gen::inRange(-most, most)),
      [](const std::pair<int, int>& drawn) { return std::ldexp(static_cast<float>(drawn.first), drawn.second); });
  return *rc::gen::container<std::vector<float>>(*rc::gen::inRange<std::size_t>(1, 70), value);
}

}  // namespace

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.1 bytes, sums and results of every dtype; fp8 is fp8_e4m3") {
    struct Facts {
      const char* name;
      std::int64_t elements;
      Bytes bytes;
      Dtype added_up_in;
      Dtype stored_as;
    };
    for (const Facts& facts :
         {Facts{"bf16", 1, 2, Dtype::kFp32, Dtype::kBf16}, Facts{"fp16", 1, 2, Dtype::kFp32, Dtype::kFp16},
          Facts{"fp8_e4m3", 1, 1, Dtype::kFp32, Dtype::kBf16}, Facts{"fp8_e5m2", 1, 1, Dtype::kFp32, Dtype::kBf16},
          Facts{"int8", 1, 1, Dtype::kInt32, Dtype::kInt32}, Facts{"tf32", 1, 4, Dtype::kFp32, Dtype::kFp32},
          Facts{"fp32", 1, 4, Dtype::kFp32, Dtype::kFp32}, Facts{"bfp8", 16, 17, Dtype::kFp32, Dtype::kBfp8},
          Facts{"bfp4", 16, 9, Dtype::kFp32, Dtype::kBfp4}, Facts{"mxfp8", 32, 33, Dtype::kFp32, Dtype::kBf16},
          Facts{"mxfp4", 32, 17, Dtype::kFp32, Dtype::kBf16}}) {
      CAPTURE(facts.name);
      const Dtype dtype = parse_dtype(facts.name, "--dtype");
      CHECK(name_of(dtype) == facts.name);
      CHECK(bytes_of(facts.elements, dtype) == facts.bytes);
      CHECK(bytes_of(3 * facts.elements, dtype) == 3 * facts.bytes);
      CHECK(is_grouped(dtype) == (facts.elements > 1));
      CHECK(accumulator_of(dtype) == facts.added_up_in);
      CHECK(result_of(dtype) == facts.stored_as);
    }
    CHECK(bytes_of(1, Dtype::kInt32) == 4);
    CHECK(parse_dtype("fp8", "--dtype") == Dtype::kFp8E4m3);
    CHECK(::error_of([] { (void)parse_dtype("int32", "--dtype"); }).find("--dtype: unknown dtype 'int32'") == 0);
  }

  TEST_CASE("34.11 a group that is not complete takes the bytes of one; each tile begins one") {
    CHECK(bytes_of(0, Dtype::kBfp8) == 0);
    CHECK(bytes_of(1, Dtype::kBfp8) == 17);
    CHECK(bytes_of(16, Dtype::kBfp8) == 17);
    CHECK(bytes_of(17, Dtype::kBfp8) == 34);
    CHECK(bytes_of(33, Dtype::kMxfp4) == 34);
    CHECK(32 * bytes_of(32, Dtype::kBfp8) == 1088);  // a tile
    CHECK(32 * bytes_of(32, Dtype::kBfp4) == 576);
    CHECK(bytes_of_row(100, 64, Dtype::kBfp8) == 4 * 17 + 3 * 17);
    CHECK(bytes_of_row(100, 20, Dtype::kBfp8) == 5 * 2 * 17);
    CHECK(bytes_of_row(100, 20, Dtype::kBf16) == 200);
  }

  TEST_CASE("34.11 every half byte of a row is an element's, whose first it is, or an exponent's") {
    for (const Dtype dtype : kOperandDtypes.values()) {
      CAPTURE(name_of(dtype));
      constexpr std::int64_t kElements = 96;
      std::int64_t exponents = 0;
      std::int64_t end = 0;
      for (std::int64_t element = 0; element < kElements; ++element) {
        const std::int64_t begin = half_bytes_to(element, dtype);
        REQUIRE((begin == end || begin == end + 2));
        exponents += (begin - end) / 2;
        end = begin + group_of(dtype).bits / 4;
        // Those that begin before a byte, and those up to this one that begin in it.
        REQUIRE(elements_in(begin / 2, dtype) <= element);
        REQUIRE(elements_in(begin / 2 + 1, dtype) > element);
      }
      CHECK(end == 2 * bytes_of(kElements, dtype));
      CHECK(exponents == (is_grouped(dtype) ? kElements / group_of(dtype).elements : 0));
      CHECK(elements_in(bytes_of(kElements, dtype), dtype) == kElements);
    }
  }

  TEST_CASE("34.12 a bfp group has the least unit with which its largest magnitude fits, the others its multiples") {
    CHECK(rc::check([] {
      const bool eight = *rc::gen::arbitrary<bool>();
      const Dtype dtype = eight ? Dtype::kBfp8 : Dtype::kBfp4;
      const int bits = eight ? 7 : 3;
      const std::vector<float> row = any_row();
      std::vector<float> got = row;
      round_row(got, dtype);
      for (std::size_t begin = 0; begin < row.size(); begin += 16) {
        const std::vector<double> group(row.begin() + static_cast<std::ptrdiff_t>(begin),
                                        row.begin() + static_cast<std::ptrdiff_t>(std::min(begin + 16, row.size())));
        double unit = std::ldexp(1.0, -126 - (bits - 1));
        const auto fits = [&](double value) { return std::abs(std::nearbyint(value / unit)) < std::ldexp(1.0, bits); };
        while (!std::ranges::all_of(group, fits)) unit *= 2;
        for (std::size_t i = 0; i < group.size(); ++i)
          RC_ASSERT(got[begin + i] == std::nearbyint(group[i] / unit) * unit);
      }
    }));
  }

  TEST_CASE(
      "34.12 an MX group has the scale of its largest magnitude, the others the nearest of the format's numbers") {
    CHECK(rc::check([] {
      const bool eight = *rc::gen::arbitrary<bool>();
      const std::vector<double> numbers = eight ? numbers_of(4, 3, 0x7F) : numbers_of(2, 1, 8);
      const double top = eight ? 256 : 4;  // the largest power of two
      const std::vector<float> row = any_row();
      std::vector<float> got = row;
      round_row(got, eight ? Dtype::kMxfp8 : Dtype::kMxfp4);
      for (std::size_t begin = 0; begin < row.size(); begin += 32) {
        const std::size_t end = std::min(begin + 32, row.size());
        double most = 0;
        for (std::size_t i = begin; i < end; ++i) most = std::max<double>(most, std::abs(row[i]));
        double scale = 0x1p-127;
        while (2 * scale * top <= most) scale *= 2;
        for (std::size_t i = begin; i < end; ++i) {
          RC_ASSERT(std::abs(got[i]) == nearest(numbers, std::abs(row[i]) / scale) * scale);
          RC_ASSERT(std::signbit(got[i]) == std::signbit(row[i]));
        }
      }
    }));
  }

  TEST_CASE("34.12 edges of groups: what rounds up beyond the bits, what is beyond the largest, what is no number") {
    const auto of = [](Dtype dtype, std::vector<float> values) {
      round_row(values, dtype);
      return values;
    };
    CHECK(of(Dtype::kBfp4, {7.0F, 1.0F}) == std::vector{7.0F, 1.0F});
    CHECK(of(Dtype::kBfp4, {7.25F, 1.0F}) == std::vector{7.0F, 1.0F});
    CHECK(of(Dtype::kBfp4, {7.5F, 1.0F}) == std::vector{8.0F, 0.0F});  // its unit is 2 now
    CHECK(of(Dtype::kBfp4, {7.5F, -3.0F}) == std::vector{8.0F, -4.0F});
    CHECK(of(Dtype::kBfp8, {127.0F, 0.5F, 1.5F}) == std::vector{127.0F, 0.0F, 2.0F});
    CHECK(of(Dtype::kBfp8, {127.5F, 1.0F, 3.0F}) == std::vector{128.0F, 0.0F, 4.0F});
    CHECK(of(Dtype::kBfp8, {0.0F, 0.0F}) == std::vector{0.0F, 0.0F});
    CHECK(of(Dtype::kBfp8, {kInfinity, 1.0F}) == std::vector{0x1.FCp127F, 0.0F});
    CHECK(of(Dtype::kMxfp4, {7.0F, 0.25F, 0.75F}) == std::vector{6.0F, 0.0F, 1.0F});  // saturates, as MX says
    CHECK(of(Dtype::kMxfp8, {500.0F, 0x1p-10F}) == std::vector{448.0F, 0.0F});
    const std::vector<float> kept = of(Dtype::kBfp4, {std::nanf(""), 3.0F, 0.5F});
    CHECK(std::isnan(kept[0]));
    CHECK(kept[1] == 3.0F);
    CHECK(kept[2] == 0.5F);
    std::vector<float> two(17, 1.0F);
    two[16] = 0.125F;  // of the next group
    CHECK(of(Dtype::kBfp4, two)[16] == 0.125F);
    two[15] = 7.0F;
    two[14] = 0.125F;
    CHECK(of(Dtype::kBfp4, two)[14] == 0.0F);
    CHECK(rounded(0.125F, Dtype::kBfp4) == 0.125F);
  }

  TEST_CASE("34.5 a value becomes the nearest of all numbers of the format, of two equally near ones the even one") {
    check_format(Dtype::kFp8E4m3, numbers_of(4, 3, 0x7F));
    check_format(Dtype::kFp8E5m2, numbers_of(5, 2, 0x7C));
    check_format(Dtype::kFp16, numbers_of(5, 10, 0x7C00));
    CHECK(numbers_of(4, 3, 0x7F).back() == 448);
    CHECK(numbers_of(5, 2, 0x7C).back() == 57344);
    CHECK(rounded(1.0F + 0x1p-10F, Dtype::kTf32) == 1.0F + 0x1p-10F);
    CHECK(rounded(1.0F + 0x1p-11F, Dtype::kTf32) == 1.0F);
    CHECK(rounded(1.0F + 0x3p-11F, Dtype::kTf32) == 1.0F + 0x1p-9F);
    CHECK(rounded(1.0F + 0x1p-8F, Dtype::kBf16) == 1.0F);
    CHECK(rounded(1.0F + 0x1p-23F, Dtype::kFp32) == 1.0F + 0x1p-23F);
  }

  TEST_CASE("34.5 beyond the largest number comes infinity, or where there is none the largest") {
    CHECK(rounded(1e30F, Dtype::kFp16) == kInfinity);
    CHECK(rounded(65519.0F, Dtype::kFp16) == 65504.0F);
    CHECK(rounded(65520.0F, Dtype::kFp16) == kInfinity);
    CHECK(rounded(-1e30F, Dtype::kFp8E5m2) == -kInfinity);
    CHECK(rounded(1e30F, Dtype::kFp8E4m3) == 448.0F);
    CHECK(rounded(-1e30F, Dtype::kFp8E4m3) == -448.0F);
    CHECK(rounded(200.0F, Dtype::kInt8) == 127.0F);
    CHECK(rounded(-200.0F, Dtype::kInt8) == -128.0F);
    CHECK(rounded(2.5F, Dtype::kInt8) == 2.0F);
    CHECK(rounded(1e10F, Dtype::kInt32) == 2147483520.0F);  // the largest float below 2^31
    CHECK(std::isnan(rounded(std::nanf(""), Dtype::kFp16)));
    CHECK(std::isnan(rounded(std::nanf(""), Dtype::kInt32)));
  }

  TEST_CASE("34.5 operands of 15.2 are exact in every dtype") {
    for (const Dtype dtype : kOperandDtypes.values()) {
      for (int value = -4; value <= 4; ++value) {
        CHECK(rounded(static_cast<float>(value), dtype) == static_cast<float>(value));
        const std::vector<float> beside{static_cast<float>(value), 4.0F, -1.0F, 3.0F};
        std::vector<float> row = beside;
        round_row(row, dtype);
        CHECK(row == beside);
      }
    }
  }
}
