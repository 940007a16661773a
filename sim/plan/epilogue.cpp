#include "sim/plan/epilogue.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {

namespace {

/// Those that need nothing but what a command line can name.
constexpr std::array kEpilogueOps{VectorOp::kScale, VectorOp::kBias, VectorOp::kRelu, VectorOp::kGelu, VectorOp::kSilu};

Epilogue parse_epilogue(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  const auto op = kVectorOps.find(name);
  if (op) refuse_auxiliary(*op);
  if (!op || std::ranges::find(kEpilogueOps, *op) == kEpilogueOps.end()) {
    std::vector<std::string_view> names;
    for (const VectorOp known : kEpilogueOps) names.push_back(kVectorOps[known]);
    refuse_name("epilogue", name, names);
  }
  if (at == std::string_view::npos) return {*op, EpilogueScope::kOutputTile};
  if (text.substr(at) != "@k_tile" || *op != VectorOp::kScale) {
    throw ConfigError("epilogue '" + std::string(text) +
                      "': only scale@k_tile works on partial products; bias and activations need the whole sum");
  }
  return {*op, EpilogueScope::kKTile};
}

}  // namespace

VectorWork vector_work(VectorOp op) {
  // GELU is evaluated by its tanh form: a cubic (3 passes), tanh, a product (1).
  // SiLU is h + h tanh(h) with h = x / 2: a product (1 pass), tanh, a multiply-add (1).
  switch (op) {
    case VectorOp::kGelu:
      return {.arithmetic = 4, .special = 1};
    case VectorOp::kSilu:
      return {.arithmetic = 2, .special = 1};
    case VectorOp::kRowSum:
    case VectorOp::kRowMax:
      return {.reduce = 1};
    default:
      return {.arithmetic = 1};
  }
}

Cycles vector_cycles(const VectorUnitSpec& unit, const VectorWork& work, std::int64_t elements) {
  const std::int64_t turns = ceil_div(elements, unit.lanes);  // of all lanes
  const auto cycles = [turns](std::int64_t passes, std::int64_t rate) {
    return ceil_mul_div(passes * turns, VectorRates::kOne, rate);
  };
  return work.arithmetic * turns + cycles(work.special, unit.rates.special) + cycles(work.reduce, unit.rates.reduce) +
         cycles(work.convert, unit.rates.convert);
}

void refuse_auxiliary(VectorOp op) {
  if (!takes_matrix(op)) return;
  std::string names;
  for (const VectorOp known : kEpilogueOps) names += (names.empty() ? "" : ", ") + std::string(kVectorOps[known]);
  throw ConfigError("epilogue '" + std::string(kVectorOps[op]) +
                    "' takes a matrix of the result's shape in TCM, which only a kernel can give it "
                    "(GemmCall::auxiliary, docs/kernels.md); here expected one of " +
                    names);
}

float apply_vector_op(VectorOp op, float value, float operand) {
  switch (op) {
    case VectorOp::kScale:
    case VectorOp::kMultiply:
      return value * operand;
    case VectorOp::kBias:
    case VectorOp::kAdd:
    case VectorOp::kRowSum:
      return value + operand;
    case VectorOp::kRowMax:
      return std::max(value, operand);
    case VectorOp::kRelu:
      return value > 0.0F ? value : 0.0F;
    case VectorOp::kGelu: {
      const float cubic = value + 0.044715F * value * value * value;
      return 0.5F * value * (1.0F + std::tanh(std::sqrt(2.0F * std::numbers::inv_pi_v<float>) * cubic));
    }
    case VectorOp::kSilu:
      return value / (1.0F + std::exp(-value));
  }
  return value;
}

bool take_matrix(const std::vector<Epilogue>& epilogues) {
  return std::ranges::any_of(epilogues, takes_matrix, &Epilogue::op);
}

std::vector<Epilogue> per_k_tile(std::vector<Epilogue> epilogues) {
  std::erase_if(epilogues, [](const Epilogue& epilogue) { return epilogue.scope != EpilogueScope::kKTile; });
  return epilogues;
}

std::vector<Epilogue> parse_epilogues(std::string_view text) {
  std::vector<Epilogue> epilogues;
  if (text.empty()) return epilogues;
  std::string with_commas(text);
  std::ranges::replace(with_commas, '+', ',');
  for (const std::string& epilogue : split(with_commas, ",")) epilogues.push_back(parse_epilogue(epilogue));
  return epilogues;
}

}  // namespace kernbench
