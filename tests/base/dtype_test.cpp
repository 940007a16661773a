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

}  // namespace

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.1 bytes, sums and results of every dtype; fp8 is fp8_e4m3") {
    struct Facts {
      const char* name;
      Bytes bytes;
      Dtype added_up_in;
      Dtype stored_as;
    };
    for (const Facts& facts :
         {Facts{"bf16", 2, Dtype::kFp32, Dtype::kBf16}, Facts{"fp16", 2, Dtype::kFp32, Dtype::kFp16},
          Facts{"fp8_e4m3", 1, Dtype::kFp32, Dtype::kBf16}, Facts{"fp8_e5m2", 1, Dtype::kFp32, Dtype::kBf16},
          Facts{"int8", 1, Dtype::kInt32, Dtype::kInt32}, Facts{"tf32", 4, Dtype::kFp32, Dtype::kFp32},
          Facts{"fp32", 4, Dtype::kFp32, Dtype::kFp32}}) {
      CAPTURE(facts.name);
      const Dtype dtype = parse_dtype(facts.name, "--dtype");
      CHECK(name_of(dtype) == facts.name);
      CHECK(bytes_of(dtype) == facts.bytes);
      CHECK(accumulator_of(dtype) == facts.added_up_in);
      CHECK(result_of(dtype) == facts.stored_as);
    }
    CHECK(bytes_of(Dtype::kInt32) == 4);
    CHECK(parse_dtype("fp8", "--dtype") == Dtype::kFp8E4m3);
    CHECK(::error_of([] { (void)parse_dtype("int32", "--dtype"); }).find("--dtype: unknown dtype 'int32'") == 0);
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
      }
    }
  }
}
