#include "benches/traces/events/element_types.hpp"

#include <algorithm>
#include <array>

#include "benches/io/text/read_number.hpp"

namespace kernbench::traces {
namespace {

struct DtypeBytes {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<DtypeBytes, 31> kDtypeBytes{{
    {"BFloat16", 2},
    {"Half", 2},
    {"float", 4},
    {"Float", 4},
    {"double", 8},
    {"Double", 8},
    {"complex<Half>", 4},
    {"complex<float>", 8},
    {"complex<double>", 16},
    {"ComplexHalf", 4},
    {"ComplexFloat", 8},
    {"ComplexDouble", 16},
    {"signed char", 1},
    {"unsigned char", 1},
    {"char", 1},
    {"int", 4},
    {"long int", 8},
    {"long", 8},
    {"short int", 2},
    {"Float8_e4m3fn", 1},
    {"Float8_e5m2", 1},
    {"Float8_e4m3fnuz", 1},
    {"Float8_e5m2fnuz", 1},
    {"Float8_e8m0fnu", 1},
    {"Float4_e2m1fn_x2", 1},
    {"Byte", 1},
    {"Char", 1},
    {"Short", 2},
    {"Int", 4},
    {"Long", 8},
    {"Bool", 1},
}};

struct NumberedType {
  int number;
  std::string_view name;  ///< as `Input type` has it
};

/// c10::ScalarType, as far as products end in them.
constexpr std::array<NumberedType, 12> kScalarTypes{{{3, "int"},
                                                     {5, "Half"},
                                                     {6, "float"},
                                                     {7, "double"},
                                                     {8, "complex<Half>"},
                                                     {9, "complex<float>"},
                                                     {10, "complex<double>"},
                                                     {15, "BFloat16"},
                                                     {23, "Float8_e5m2"},
                                                     {24, "Float8_e4m3fn"},
                                                     {25, "Float8_e5m2fnuz"},
                                                     {26, "Float8_e4m3fnuz"}}};

}  // namespace

std::string element_type(std::string_view recorded) {
  constexpr std::string_view kNamespace = "c10::";
  std::string type(recorded);
  for (std::size_t at = type.find(kNamespace); at != std::string::npos; at = type.find(kNamespace)) {
    type.erase(at, kNamespace.size());
  }
  return type;
}

std::string scalar_type(std::string_view number) {
  const auto value = kernbench::read_number(number);
  const auto found =
      std::ranges::find_if(kScalarTypes, [&value](const NumberedType& type) { return value && *value == type.number; });
  return found == kScalarTypes.end() ? "" : std::string(found->name);
}

std::int64_t element_bytes(std::string_view type) {
  const auto found = std::ranges::find(kDtypeBytes, type, &DtypeBytes::name);
  return found == kDtypeBytes.end() ? 0 : found->bytes;
}

std::int64_t values_in(std::string_view type) { return type.ends_with("_x2") ? 2 : 1; }

bool is_complex(std::string_view type) { return type.starts_with("complex<") || type.starts_with("Complex"); }

}  // namespace kernbench::traces
