// Mappings that keep sums in HBM between blocks along K: words, traffic, TCM, places, and when they are tried.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/mapping_search.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

const GemmProblem kProblem{256, 256, 192};

GemmMapping in_hbm(LoopOrder order, SumFormat format = SumFormat::kFp32) {
  return {.tile = {32, 64, 32}, .block = {64, 128, 96}, .order = order, .sums = {format, SumPlace::kHbm}};
}

std::string refused(Dtype dtype, const SumStorage& sums) {
  const GemmProblem problem{.m = 32, .k = 64, .n = 32, .dtype = dtype};
  GemmMapping mapping = whole_mapping(problem, {32, 64, 32}, {true, true});
  mapping.sums = sums;
  return ::error_of([&] { (void)MappedGemm(problem, mapping); });
}

const BoundTerm& term(const GemmBound& bound, const std::string& resource) {
  return *std::ranges::find(bound.terms, resource, &BoundTerm::resource);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.19 the word is sums=FORMAT@hbm; what is no place is refused with what was expected") {
    CHECK(parse_mapping("sums=fp32@hbm", "--map").sums == SumStorage{SumFormat::kFp32, SumPlace::kHbm});
    CHECK(parse_mapping("sums=bf16", "--map").sums == SumStorage{SumFormat::kBf16, SumPlace::kTcm});
    CHECK(has(to_text(in_hbm(LoopOrder::kKmn, SumFormat::kBf16)), " sums=bf16@hbm"));
    const auto wrong = [](const std::string& text) { return ::error_of([&] { (void)parse_mapping(text, "--map"); }); };
    CHECK(wrong("sums=fp32@sram") == "--map sums: expected fp32, which is kept in TCM, or fp32@hbm, got 'fp32@sram'");
    CHECK(has(wrong("sums=fp23@hbm"), "--map sums: unknown sum format 'fp23'"));
    CHECK(refused(Dtype::kFp16, {SumFormat::kFp16, SumPlace::kHbm}).empty());
    CHECK(refused(Dtype::kInt8, {SumFormat::kInt32, SumPlace::kHbm}).empty());
    CHECK(refused(Dtype::kBf16, {SumFormat::kFp16, SumPlace::kHbm}) ==
          "mapping: sums fp16@hbm of bf16: expected fp32 or bf16, with @hbm");
    CHECK(refused(Dtype::kFp16, {SumFormat::kInt32}) == "mapping: sums int32 of fp16: expected fp32, fp16 or bf16");
  }

  TEST_CASE("32.19 buffers may be of sums alone, but not of nothing") {
    GemmMapping mapping = in_hbm(LoopOrder::kKmn);
    mapping.blocks = {};
    mapping.buffers = 3;
    CHECK_NOTHROW(static_cast<void>(MappedGemm(kProblem, mapping)));
    mapping.sums = SumFormat::kFp32;
    CHECK(has(::error_of([&] { (void)MappedGemm(kProblem, mapping); }), "buffers 3 of nothing that is loaded"));
  }

  TEST_CASE("32.15 32.19 traffic: 2 x (blocks along K - 1) x M x N x bytes more, in any order") {
    const auto sums = [](const GemmMapping& mapping) {
      const MappedGemm mapped(kProblem, mapping);
      const Bytes operands = mapped.times_a() * 256 * 256 * 2 + mapped.times_b() * 256 * 192 * 2;
      CHECK(mapped.loads_of_sums() == 4 * 2 * (mapped.k_blocks() - 1));
      return mapped.traffic() - operands - 256 * 192 * 2;
    };
    for (const LoopOrder order : kLoopOrders.values()) {
      CHECK(sums(in_hbm(order)) == 2 * 1 * 256 * 192 * 4);
      CHECK(sums(in_hbm(order, SumFormat::kBf16)) == 2 * 1 * 256 * 192 * 2);
    }
    GemmMapping four = in_hbm(LoopOrder::kKmn);
    four.block.k = 64;
    CHECK(sums(four) == 2 * 3 * 256 * 192 * 4);
    GemmMapping tcm = in_hbm(LoopOrder::kKmn);
    tcm.sums = SumFormat::kFp32;
    CHECK(MappedGemm(kProblem, tcm).traffic() == MappedGemm(kProblem, in_hbm(LoopOrder::kKmn)).traffic() - 2 * 196608);
  }

  TEST_CASE("32.19 TCM: buffers of a block of sums whatever the order is, and output slots of the larger bytes") {
    const MachineSpec machine = milestone();
    const Bytes operands = 2 * 64 * 128 * 2 + 2 * 128 * 96 * 2;
    for (const LoopOrder order : kLoopOrders.values()) {
      CHECK(MappedGemm(kProblem, in_hbm(order)).tcm(machine) == operands + 2 * 64 * 96 * 4 + 2 * 32 * 32 * 4);
      CHECK(MappedGemm(kProblem, in_hbm(order, SumFormat::kBf16)).tcm(machine) ==
            operands + 2 * 64 * 96 * 2 + 2 * 32 * 32 * 2);
    }
    GemmMapping once = in_hbm(LoopOrder::kKmn);
    once.block = {256, 128, 192};  // one load of sums
    CHECK(MappedGemm(kProblem, once).tcm(machine) ==
          2 * 256 * 128 * 2 + 2 * 128 * 192 * 2 + 256 * 192 * 4 + 2 * 32 * 32 * 4);
  }

  TEST_CASE("32.5 sums in TCM take no output slots of their bytes: what fits has a bound") {
    for (const SumPlace place : {SumPlace::kTcm, SumPlace::kHbm}) {
      MachineSpec machine = milestone();
      const GemmProblem problem{32, 128, 32};
      GemmMapping mapping = whole_mapping(problem, {32, 64, 32}, {});
      mapping.block.k = 64;
      mapping.sums.place = place;
      machine.pe.output_depth = 64;
      machine.pe.tcm.capacity = MappedGemm(problem, mapping).tcm(machine);
      CHECK_NOTHROW(static_cast<void>(gemm_bound(MappedGemm(problem, mapping), machine)));
    }
  }

  TEST_CASE("32.19 the matrix of sums lies after C and the bias, in its own format, and has to have room") {
    MachineSpec machine = milestone();
    GemmProblem problem = kProblem;
    problem.layout = Layout::kRowMajor;
    problem.epilogues = parse_epilogues("bias");
    const GemmMatrices placed = place_gemm(MappedGemm(problem, in_hbm(LoopOrder::kKmn)), machine);
    const Bytes stripe = machine.die.hbm.burst * machine.die.hbm.pseudo_channels;
    const Bytes until = (256 * 256 + 256 * 192 + 256 * 192) * 2 + ceil_div(192 * 2, stripe) * stripe;
    CHECK(placed.kept.base == until);
    CHECK(placed.kept.layout == Layout::kBlocked);
    CHECK(placed.kept.dtype == Dtype::kFp32);
    CHECK(placed.kept.element_bytes() == 256 * 192 * 4);
    GemmMapping all_k = in_hbm(LoopOrder::kKmn);
    all_k.block.k = problem.k;
    CHECK(place_gemm(MappedGemm(problem, all_k), machine).kept.rows == 0);
    machine.die.hbm.capacity = until + 256 * 192 * 4 - stripe;
    MappingRequest request = parse_mapping(to_text(in_hbm(LoopOrder::kKmn)), "test");
    CHECK(has(::error_of([&] { (void)search_mappings(problem, machine, request); }), "(die.hbm.capacity): "));
  }

  TEST_CASE(
      "32.19 the bound has sums in dma_in, hbm and dma_out, and the first output leaves after one block along K") {
    const MachineSpec machine = milestone();
    const GemmProblem problem{512, 512, 512};
    GemmMapping mapping{.tile = {32, 64, 32}, .block = {128, 128, 128}, .order = LoopOrder::kKmn, .buffers = 2};
    const GemmBound tcm = gemm_bound(MappedGemm(problem, mapping), machine);
    mapping.sums = {SumFormat::kFp32, SumPlace::kHbm};
    const GemmBound hbm = gemm_bound(MappedGemm(problem, mapping), machine);
    const Bytes moved = 3 * 512 * 512 * 4;
    const Picoseconds once = machine.die.hbm.bandwidth.time_for(moved);
    CHECK(term(hbm, "dma_in").work - term(tcm, "dma_in").work == once);
    CHECK(term(hbm, "dma_out").work - term(tcm, "dma_out").work == once);
    // All of C, 512 KiB, is more than the queues hold.
    CHECK(term(hbm, "hbm").work - term(tcm, "hbm").work == 2 * once);
    // 2 tiles of the first output's 8 along K, 16 ns each; 4096 bytes of sums are stored in 8 ns and not 4.
    CHECK(term(tcm, "dma_out").head - term(hbm, "dma_out").head == 6 * from_ns(16) - from_ns(4));
    for (const char* same : {"fetch", "mac", "store", "vector", "accumulators"}) {
      CHECK(term(hbm, same).work == term(tcm, same).work);
    }
  }

  TEST_CASE("32.13 the estimate: loads of sums are later loads, and come ahead unless the step before stored them") {
    const MachineSpec machine = milestone({"die.hbm.read_latency=1000 ns", "pe.dma.outstanding_bursts=1024"});
    const auto ranked = [&](const std::string& order) {
      const std::string map = "tile=32x64x32 block=32x64x32 buffers=2 stream=none sums=fp32@hbm order=" + order;
      return search_mappings({64, 128, 64}, machine, parse_mapping(map, "test")).best.at(0);
    };
    const Picoseconds call = machine.pe.control;
    const Picoseconds latency = machine.pe.dma.setup + from_ns(1000);
    // Of A 4 loads, of B 8, of sums 4, of 4096 bytes, 16 ns, each; the first A and B come before.
    CHECK(ranked("kmn").estimate == 6 * call + latency + from_ns(32) + 7 * (latency + from_ns(3 * 16)) + 2 * 14 * call);
    // Of A 8, too.
    CHECK(ranked("mnk").estimate == ranked("mnk").bound + 6 * call + latency + 7 * latency + 2 * 18 * call);
  }

  TEST_CASE("32.8 sums in HBM are tried where they are asked for, or where none fits with sums in TCM") {
    MachineSpec machine = milestone();
    machine.pe.tcm.capacity = 160 << 10;
    const GemmProblem problem{256, 256, 256};
    const auto places = [&](const std::string& map) {
      std::string places;
      for (const RankedMapping& one : search_mappings(problem, machine, parse_mapping(map, "test")).best) {
        const std::string place = one.mapping.sums.place == SumPlace::kHbm ? "hbm " : "tcm ";
        if (!has(places, place)) places += place;
        CHECK(one.tcm <= machine.pe.tcm.capacity);
      }
      return places;
    };
    CHECK(places("auto") == "tcm ");
    CHECK(places("block=64x64x64") == "tcm ");
    CHECK(places("block=64x64x64 order=kmn") == "hbm ");  // fp32 sums of all of C are 256 KiB
    CHECK(places("order=kmn sums=bf16@hbm") == "hbm ");
    const std::string told = ::error_of([&] { (void)places("block=64x64x64 order=kmn sums=fp32"); });
    CHECK_MESSAGE(has(told, "or keep sums in HBM: sums=fp32@hbm"), told);
    const MappingSearch both = search_mappings(problem, machine, parse_mapping("block=64x64x64 order=kmn", "test"));
    CHECK(both.tried > static_cast<std::int64_t>(both.best.size()));  // those that keep sums in TCM do not fit
  }
}
