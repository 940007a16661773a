// The mapping that is chosen, beside others of the same product that are simulated, too.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "benches/workloads/gemm/mapping_choice.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/plan/mapping_tiles.hpp"
#include "sim/system/run.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench::auto_mapping_test {
namespace {

constexpr std::size_t kOthers = 8;  // of a product that are simulated beside the chosen one

template <class T>
T one_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

struct Product {
  MachineSpec machine;
  GemmProblem problem;
};

void set_array(MacArraySpec& array) {
  array.rows = one_of<std::int64_t>({16, 32, 64});
  array.columns = one_of<std::int64_t>({16, 32, 64});
  array.macs_per_cycle = array.rows * array.columns;
  array.dataflow = one_of({Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kWeightStationary});
  const bool rest = array.dataflow == Dataflow::kWeightStationary;
  array.weight_buffers = rest ? one_of<std::int64_t>({1, 2, 2}) : 1;
  array.tile = {rest ? one_of<std::int64_t>({32, 64, 128}) : array.rows, rest ? array.rows : 64,
                array.columns * one_of<std::int64_t>({1, 2})};
  array.accumulators = one_of<std::int64_t>({1, 2, 4});
  array.operand_registers = one_of<std::int64_t>({1, 2, 3});
}

Product any_product() {
  static const MachineSpec kBase = milestone();
  Product any{kBase, {}};
  PeSpec& pe = any.machine.pe;
  const auto gigabytes = [](std::int64_t rate) { return Bandwidth{rate * 1'000'000'000}; };
  set_array(pe.mac);
  pe.fetch = gigabytes(one_of<std::int64_t>({128, 256, 512}));
  pe.store = gigabytes(one_of<std::int64_t>({64, 256, 512}));
  pe.tcm.capacity = one_of<std::int64_t>({128, 256, 1024}) << 10;
  pe.stream_depth = one_of<std::int64_t>({4, 8});
  any.machine.die.hbm.bandwidth = gigabytes(one_of<std::int64_t>({32, 64, 128, 256}));
  const auto size = [] { return one_of<std::int64_t>({64, 128, 200, 256}); };
  any.problem = {size(), size(), size()};
  return any;
}

double time_of_mapping(const Product& product, const GemmMapping& mapping) {
  renew_systemc();
  return run_gemm(product.machine, product.problem, mapping).pe.length().ns();
}

/// By as many simulations as of a large product, of which more would take too long.
MappingChoice choose(const Product& product) {
  MappingSimulation simulation;
  simulation.simulate = [&product](const GemmMapping& mapping) {
    Row row;
    row.metrics["time_ns"] = time_of_mapping(product, mapping);
    return row;
  };
  const MappingSearch search = search_mappings(product.problem, product.machine, {}, kMappingsSimulated);
  return choose_mapping(search, product.machine.pe.mac.tile, kMappingsSimulated, simulation);
}

double chosen_ns(const Product& product) { return time_of(choose(product).chosen()); }

/// Of all tiles, those that might be faster: some at random, more of those that look better.
std::vector<RankedMapping> others_of(const Product& product, double chosen) {
  std::vector<RankedMapping> all;
  for (const TileShape& tile : candidate_tiles(product.problem, product.machine.pe.mac.tile)) {
    MappingRequest request;
    request.tile = tile;
    for (const RankedMapping& ranked : search_mappings(product.problem, product.machine, request, 256).best) {
      if (ranked.bound.ns() < chosen) all.push_back(ranked);
    }
  }
  std::ranges::sort(all, {}, &RankedMapping::bound);
  std::vector<RankedMapping> others;
  for (std::size_t i = 0; i < kOthers && !all.empty(); ++i) {
    const auto most = *rc::gen::inRange<std::size_t>(0, all.size());
    others.push_back(all[*rc::gen::inRange<std::size_t>(0, most + 1)]);
  }
  return others;
}

/// `share` of them are no larger.
double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

/// A key that is half of what it was, where that is still something.
void make_worse(MachineSpec& machine) {
  const auto halve = [](std::int64_t& value) { value = std::max<std::int64_t>(1, value / 2); };
  PeSpec& pe = machine.pe;
  halve(*one_of({&machine.die.hbm.bandwidth.bytes_per_second, &pe.fetch.bytes_per_second, &pe.store.bytes_per_second,
                 &pe.mac.accumulators, &pe.mac.operand_registers, &pe.dma.outstanding_bursts, &pe.clock.hertz}));
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.13 32.22 the estimate is near what is simulated, and auto within 5 % of the fastest of many mappings") {
    std::vector<double> losses;
    std::vector<double> errors;  // of estimates: what is simulated, divided by them
    CHECK(rc::check("auto", [&] {
      const Product product = any_product();
      const double chosen = chosen_ns(product);
      double fastest = chosen;
      for (const RankedMapping& other : others_of(product, chosen)) {
        const double time = time_of_mapping(product, other.mapping);
        fastest = std::min(fastest, time);
        errors.push_back(time / other.estimate.ns());
      }
      losses.push_back(chosen / fastest);
      RC_ASSERT(chosen <= 1.15 * fastest);
    }));
    CHECK(quantile(losses, 0.95) <= 1.05);
    CHECK(quantile(errors, 0.05) >= 0.9);
    CHECK(quantile(errors, 0.9) <= 1.25);
  }

  TEST_CASE("32.22 a machine that is worse in one key is not faster with the mapping chosen for it") {
    std::vector<double> gains;
    CHECK(rc::check("worse", [&gains] {
      Product product = any_product();
      const double before = chosen_ns(product);
      make_worse(product.machine);
      gains.push_back(before / chosen_ns(product));
    }));
    CHECK(quantile(gains, 0.95) <= 1.02);
  }
}

}  // namespace kernbench::auto_mapping_test
