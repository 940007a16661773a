#include "tests/system/calculator_matrices.hpp"

#include <map>
#include <string>

namespace kernbench::calculator {
namespace {

Facts facts_of(const std::string& dtype, const MacRates& rates) {
  const std::map<std::string, Facts> all{
      {"bf16", {2, 2, 1'000'000, 2}},          {"fp16", {2, 2, rates.fp16, 2}}, {"fp8_e4m3", {1, 2, rates.fp8_e4m3, 1}},
      {"fp8_e5m2", {1, 2, rates.fp8_e5m2, 1}}, {"int8", {1, 4, rates.int8, 1}}, {"tf32", {4, 4, rates.tf32, 4}},
      {"fp32", {4, 4, rates.fp32, 4}}};
  return all.at(dtype);
}

}  // namespace

Facts facts_of(const Run& run, const MacRates& rates) {
  Facts facts = facts_of(run.dtype, rates);
  facts.converts = !run.dtype_b.empty();
  if (facts.converts) facts.operand_b = facts_of(run.dtype_b, rates).operand;
  return facts;
}

Matrices matrices_of(const MachineSpec& machine, const Run& run, const Facts& facts) {
  const TileShape& tile = machine.pe.mac.tile;
  const Bytes burst = machine.die.hbm.burst;
  const Bytes stripe = burst * machine.die.hbm.pseudo_channels;
  const auto after = [&](const Matrix& matrix) { return ceil_div(matrix.end(), stripe) * stripe; };  // 6.3
  Matrices matrices;
  matrices.a = {0, run.m, run.k, tile.m, tile.k, run.row_major, burst, facts.operand};
  matrices.b = {after(matrices.a), run.k, run.n, tile.k, tile.n, run.row_major, burst, facts.operand_b};
  matrices.c = {after(matrices.b), run.m, run.n, tile.m, tile.n, run.row_major, burst, facts.result};
  const std::map<std::string, Bytes> bytes{{"fp32", 4}, {"int32", 4}, {"bf16", 2}, {"fp16", 2}};
  const Bytes sum = run.mapping ? bytes.at(run.mapping->sums) : 0;
  matrices.sums = {after(matrices.c), run.m, run.n, tile.m, tile.n, false, burst, sum};
  return matrices;
}

}  // namespace kernbench::calculator
