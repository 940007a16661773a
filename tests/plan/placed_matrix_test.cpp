// Where the parts of a matrix lie that is spread over several PEs.
#include "sim/plan/placed_matrix.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>
#include <utility>

#include "sim/plan/multi_pe_gemm.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0030") {
  TEST_CASE("30.2 every tile is some PE's, whole, and is found there by all") {
    CHECK(rc::check("parts", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const MatrixLayout shape{
          *rc::gen::element(Layout::kBlocked, Layout::kRowMajor), up_to(60), up_to(60), up_to(7), up_to(7), 0, 32};
      const auto policy = *rc::gen::element(PlacementPolicy::kReplicate, PlacementPolicy::kRows,
                                            PlacementPolicy::kColumns, PlacementPolicy::kBlocks);
      const auto pes = static_cast<int>(up_to(12));
      const int grid_rows = policy == PlacementPolicy::kBlocks ? static_cast<int>(up_to(pes)) : 0;
      PlacedMatrix matrix(shape, policy, pes, pes, grid_rows > 0 && pes % grid_rows == 0 ? grid_rows : 0);
      for (int pe = 0; pe < pes; ++pe) matrix.place(pe, 4096 * pe, 100 + pe);
      std::int64_t elements = 0;
      for (int pe = 0; pe < pes; ++pe) elements += matrix.part(pe).rows * matrix.part(pe).columns;
      RC_ASSERT(elements == shape.rows * shape.columns * (policy == PlacementPolicy::kReplicate ? pes : 1));
      const auto reader = static_cast<int>(up_to(pes)) - 1;
      std::set<std::pair<MemoryNode, Address>> seen;
      for (std::int64_t i = 0; i < shape.row_tiles(); ++i) {
        for (std::int64_t j = 0; j < shape.column_tiles(); ++j) {
          const int owner = matrix.owner(i, j, reader);
          const Rect has = matrix.tiles(owner);
          RC_ASSERT(has.rows.begin <= i && i < has.rows.end && has.columns.begin <= j && j < has.columns.end);
          if (policy == PlacementPolicy::kReplicate) RC_ASSERT(owner == reader);
          const Block block = matrix.tile(i, j, reader);
          RC_ASSERT(block.memory == (owner == reader ? kOwnPartition : 100 + owner));
          RC_ASSERT(block.rows == shape.rows_of(i) && block.row_bytes == 2 * shape.columns_of(j));
          RC_ASSERT(block.address == matrix.part(owner).tile(i - has.rows.begin, j - has.columns.begin).address);
          RC_ASSERT(seen.insert({block.memory, block.address}).second);
        }
      }
    }));
  }

  TEST_CASE("30.2 rows, columns and blocks are cut as 23.1 cuts") {
    const MatrixLayout shape{Layout::kBlocked, 9 * 32, 64, 32, 64, 0, 256};
    const PlacedMatrix rows(shape, PlacementPolicy::kRows, 4);  // 9 rows of tiles: 3, 3, 3, 0
    CHECK(rows.part(0).rows == 96);
    CHECK(rows.part(2).rows == 96);
    CHECK(rows.part(3).rows == 0);
    const PlacedMatrix columns(shape, PlacementPolicy::kColumns, 4);  // one column of tiles
    CHECK(columns.part(0).columns == 64);
    CHECK(columns.part(1).columns == 0);
    const PlacedMatrix blocks({Layout::kBlocked, 128, 128, 32, 32, 0, 256}, PlacementPolicy::kBlocks, 8);  // 4 x 2
    CHECK(blocks.part(3).rows == 32);
    CHECK(blocks.part(3).columns == 64);
    CHECK(blocks.tiles(3) == Rect{{1, 2}, {2, 4}});
    const PlacedMatrix wide({Layout::kBlocked, 128, 128, 32, 32, 0, 256}, PlacementPolicy::kBlocks, 8, 8, 2);
    CHECK(wide.grid_rows() == 2);
    CHECK(wide.grid_columns() == 4);
    CHECK(wide.tiles(5) == Rect{{2, 4}, {1, 2}});
  }

  TEST_CASE("30.2 parts follow each other in a partition, and one that is too small is refused") {
    MachineSpec machine = milestone();
    const GemmProblem problem{256, 256, 256};
    const GemmPlacement placement{PlacementPolicy::kRows, PlacementPolicy::kReplicate, PlacementPolicy::kRows};
    const PlacedGemm gemm = place_multi_pe_gemm(problem, placement, {}, machine, {1, 2, 3, 4});
    CHECK(gemm.a.part(1).base == 0);
    CHECK(gemm.b.part(1).base == 64 * 256 * 2);
    CHECK(gemm.c.part(1).base == 64 * 256 * 2 + 256 * 256 * 2);
    CHECK(gemm.bytes_of_pe == 2 * 64 * 256 * 2 + 256 * 256 * 2);
    machine.die.hbm.capacity = gemm.bytes_of_pe - 1;
    CHECK(error_of([&] {
            (void)place_multi_pe_gemm(problem, placement, {}, machine, {1, 2, 3, 4});
          }).find("1 byte is missing") != std::string::npos);
    // With a product of all of C, the PE's part of C is a piece of it.
    GemmPlacement split_k{PlacementPolicy::kColumns, PlacementPolicy::kRows, PlacementPolicy::kRows};
    for (const PlacementPolicy c : {PlacementPolicy::kRows, PlacementPolicy::kColumns}) {
      split_k.c = c;
      const PlacedGemm split = place_multi_pe_gemm(problem, split_k, {.products = true}, milestone(), {1, 2, 3, 4});
      CHECK(split.c.part(2).base == split.products[2] + 2 * 64 * 256 * 2);
      CHECK(split.product(1, 2).base == split.products[2] + 64 * 256 * 2);
    }
    // 128 columns of A are two tiles: two PEs have products, and C is cut between them.
    const PlacedGemm two = place_multi_pe_gemm({256, 128, 256}, split_k, {.products = true}, milestone(), {1, 2, 3, 4});
    CHECK(two.c.part(1).columns == 128);
    CHECK(two.c.part(2).columns == 0);
    CHECK(two.c.parts() == 2);
  }

  TEST_CASE("30.2 a placement is read matrix by matrix; what is wrong is named") {
    const GemmPlacement usual{};
    const GemmPlacement read = parse_placement("b=columns, c=blocks", usual);
    CHECK(read == GemmPlacement{PlacementPolicy::kRows, PlacementPolicy::kColumns, PlacementPolicy::kBlocks});
    CHECK(to_text(read) == "a=rows,b=columns,c=blocks");
    CHECK(error_of([&] { (void)parse_placement("a=row", usual); }).find("did you mean 'rows'?") != std::string::npos);
    const GemmPlacement wide = parse_placement("c=blocks,grid=2x4", usual);
    CHECK(wide.grid == PeGridShape{2, 4});
    CHECK(to_text(wide) == "a=rows,b=replicate,c=blocks,grid=2x4");
    const char* const steps = "a=rows,b=replicate,c=blocks,grid=2x4,block=64x32x16,buffers=3";
    CHECK(to_text(parse_placement(steps, usual)) == steps);
    CHECK(error_of([&] { (void)parse_placement("block=64x32", usual); }).starts_with("block: expected MxKxN"));
    CHECK(error_of([&] { (void)parse_placement("buffers=0", usual); }).starts_with("buffers: expected 1 to "));
    for (const char* wrong :
         {"grid=2", "grid=0x4", "grid=2x4x1", "grid=", "grid=x4", "grid=-2x4", "grid=99999999999x1"}) {
      CAPTURE(wrong);
      CHECK(error_of([&] {
              (void)parse_placement(wrong, usual);
            }).starts_with("grid: expected ROWSxCOLUMNS of PEs such as 4x16, got '"));
    }
    const auto placed = [&](const GemmPlacement& placement) {
      return error_of([&] {
        (void)place_multi_pe_gemm({64, 64, 64}, placement, {}, milestone(), std::vector<MemoryNode>(4, 0));
      });
    };
    CHECK(placed(wide) == "--place grid=2x4 is of 8 PEs: expected a grid of 4");
    CHECK(placed(parse_placement("grid=2x2", usual)) ==
          "--place grid=2x2: no matrix lies in blocks; expected one that does, such as c=blocks");
    for (const char* wrong : {"d=rows", "rows", "a=rows,,", "=rows", "grid=2x3,grid=3x2", "buffers=2,buffers=3"}) {
      CAPTURE(wrong);
      CHECK(error_of([&] { (void)parse_placement(wrong, usual); }).starts_with("'"));
    }
  }
}

TEST_SUITE("ADR-0060") {
  TEST_CASE("60.1 60.3 PEs that multiply what is their own, and which of them have the same work") {
    constexpr auto kRows = PlacementPolicy::kRows;
    constexpr auto kColumns = PlacementPolicy::kColumns;
    constexpr auto kReplicate = PlacementPolicy::kReplicate;
    constexpr auto kBlocks = PlacementPolicy::kBlocks;
    MachineSpec machine = milestone();
    const auto alike = [&machine](const GemmProblem& problem, const GemmPlacement& placement) {
      return alike_pes(place_multi_pe_gemm(problem, placement, {}, machine, {1, 2, 3, 4}), machine.die.hbm);
    };
    using Ranks = std::vector<std::int32_t>;
    CHECK(alike({256, 256, 256}, {kRows, kReplicate, kRows}) == Ranks{0, 0, 0, 0});
    CHECK(alike({255, 256, 256}, {kRows, kReplicate, kRows}) == Ranks{0, 0, 0, 3});
    CHECK(alike({64, 256, 256}, {kRows, kReplicate, kRows}) == Ranks{0, 0, 2, 2});  // two have nothing
    CHECK(alike({256, 256, 256}, {kReplicate, kColumns, kColumns}) == Ranks{0, 0, 0, 0});
    CHECK(alike({256, 256, 256}, {kReplicate, kReplicate, kBlocks}) == Ranks{0, 0, 0, 0});  // further on in copies
    CHECK(alike({256, 256, 250}, {kReplicate, kReplicate, kBlocks}) == Ranks{0, 1, 0, 1});
    // Tiles of 4 KiB, of which a column of tiles has six: the next one begins at another of 20 pseudo-channels.
    machine.die.hbm.pseudo_channels = 20;
    CHECK(alike({256, 384, 256}, {kReplicate, kReplicate, kBlocks}) == Ranks{0, 1, 2, 3});
    machine.die.hbm.pseudo_channels = 8;
    machine.die.hbm.model = "tlm_simple";  // which may look at the whole address
    CHECK(alike({256, 256, 256}, {kReplicate, kReplicate, kBlocks}) == Ranks{0, 1, 2, 3});
    CHECK(alike({256, 256, 256}, {kRows, kColumns, kRows}).empty());
    CHECK(alike({256, 256, 256}, {kReplicate, kColumns, kRows}).empty());
  }
}
