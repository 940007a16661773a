#include "sim/plan/epilogue.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

struct VectorOpEntry {
  VectorOp op;
  std::string_view name;
  std::int64_t passes;
};

// GELU is evaluated by its tanh form: a cubic (3 passes), tanh as a rational approximation (4), a product (1).
constexpr std::array<VectorOpEntry, 6> kVectorOps = {{{VectorOp::kScale, "scale", 1},
                                                      {VectorOp::kBias, "bias", 1},
                                                      {VectorOp::kAdd, "add", 1},
                                                      {VectorOp::kMultiply, "multiply", 1},
                                                      {VectorOp::kRelu, "relu", 1},
                                                      {VectorOp::kGelu, "gelu", 8}}};

const VectorOpEntry& entry_of(VectorOp op) { return kVectorOps.at(static_cast<std::size_t>(op)); }

Epilogue parse_epilogue(std::string_view text) {
  const std::size_t at = text.find('@');
  const auto op = vector_op_from_name(text.substr(0, at));
  const bool gemm_op = op && *op != VectorOp::kAdd && *op != VectorOp::kMultiply;
  if (!gemm_op) {
    throw ConfigError("epilogue '" + std::string(text) + "': expected one of scale, bias, relu, gelu");
  }
  if (at == std::string_view::npos) return {*op, EpilogueScope::kOutputTile};
  if (text.substr(at) != "@k_tile" || *op != VectorOp::kScale) {
    throw ConfigError("epilogue '" + std::string(text) +
                      "': only scale@k_tile works on partial products; bias and activations need the whole sum");
  }
  return {*op, EpilogueScope::kKTile};
}

}  // namespace

std::string_view vector_op_name(VectorOp op) { return entry_of(op).name; }

std::optional<VectorOp> vector_op_from_name(std::string_view name) {
  for (const VectorOpEntry& entry : kVectorOps) {
    if (entry.name == name) return entry.op;
  }
  return std::nullopt;
}

std::string vector_op_names() {
  std::string names;
  for (const VectorOpEntry& entry : kVectorOps) {
    names.append(names.empty() ? "" : ", ").append(entry.name);
  }
  return names;
}

std::int64_t vector_passes(VectorOp op) { return entry_of(op).passes; }

float apply_vector_op(VectorOp op, float value, float operand) {
  switch (op) {
    case VectorOp::kScale:
    case VectorOp::kMultiply:
      return value * operand;
    case VectorOp::kBias:
    case VectorOp::kAdd:
      return value + operand;
    case VectorOp::kRelu:
      return value > 0.0F ? value : 0.0F;
    case VectorOp::kGelu: {
      const float cubic = value + 0.044715F * value * value * value;
      return 0.5F * value * (1.0F + std::tanh(std::sqrt(2.0F * std::numbers::inv_pi_v<float>) * cubic));
    }
  }
  return value;
}

std::vector<Epilogue> parse_epilogues(std::string_view text) {
  std::vector<Epilogue> epilogues;
  if (text.empty()) return epilogues;
  for (;;) {
    const std::size_t comma = text.find(',');
    epilogues.push_back(parse_epilogue(text.substr(0, comma)));
    if (comma == std::string_view::npos) return epilogues;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace kernbench
