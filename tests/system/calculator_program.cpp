#include "tests/system/calculator_program.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace kernbench::calculator {
namespace {

using Kind = Call::Kind;

/// 14.3: A is loaded or referenced, then B; then the loads are waited for.
Program staged(const Run& run, const TileShape& tile) {
  const bool load_a = run.variant == "load_ref" || run.variant == "load_load";
  const bool load_b = run.variant == "load_load";
  if (!load_a && run.variant != "ref_ref") throw std::invalid_argument("variant " + run.variant);
  const Range m{0, ceil_div(run.m, tile.m)};
  const Range k{0, ceil_div(run.k, tile.k)};
  const Range n{0, ceil_div(run.n, tile.n)};
  Program program{!load_a, !load_b, {}, {{m, n}}, {}};
  for (const auto& [loaded, load] : {std::pair(load_a, Load{false, m, k}), std::pair(load_b, Load{true, k, n})}) {
    program.calls.push_back({loaded ? Kind::kLoad : Kind::kRef, static_cast<std::int64_t>(program.loads.size())});
    if (loaded) program.loads.push_back(load);
  }
  for (std::size_t i = 0; i < program.loads.size(); ++i) {
    program.calls.push_back({Kind::kWaitLoad, static_cast<std::int64_t>(i)});
  }
  program.calls.push_back({Kind::kComposite, 0});
  program.calls.push_back({Kind::kWaitComposite, 0});
  return program;
}

/// A dimension in blocks, as tiles (32.2).
std::vector<Range> blocks_of(std::int64_t size, std::int64_t block, std::int64_t tile) {
  std::vector<Range> blocks;
  for (std::int64_t at = 0; at < size; at += block) {
    blocks.push_back({at / tile, ceil_div(std::min(at + block, size), tile)});
  }
  return blocks;
}

/// A load, the first step that uses it, and the last that uses what was in its buffer before (-1: none) (32.3).
struct Planned {
  Load load;
  std::int64_t first = 0;
  std::int64_t after = -1;
};

std::vector<Planned> loads_of(const std::vector<Step>& steps, const Range& all_k, bool of_b, std::int64_t buffers) {
  std::vector<Planned> loads;
  std::optional<Range> present;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Range& needed = of_b ? steps[s].columns : steps[s].rows;
    if (present == needed) continue;
    present = needed;
    const Load load = of_b ? Load{true, all_k, needed} : Load{false, needed, all_k};
    loads.push_back({load, static_cast<std::int64_t>(s)});
  }
  // A buffer is left when the load after the one in it is first used.
  for (std::size_t l = static_cast<std::size_t>(buffers); l < loads.size(); ++l) {
    loads[l].after = loads[l - static_cast<std::size_t>(buffers) + 1].first - 1;
  }
  return loads;
}

/// 32.2 to 32.4, with K in one block and both operands loaded.
Program mapped(const Run& run, const Mapping& mapping) {
  Program program;
  const std::vector<Range> rows = blocks_of(run.m, mapping.block_m, mapping.tile.m);
  const std::vector<Range> columns = blocks_of(run.n, mapping.block_n, mapping.tile.n);
  const std::size_t inner = mapping.n_outermost ? rows.size() : columns.size();
  for (std::size_t s = 0; s < rows.size() * columns.size(); ++s) {
    program.steps.push_back(mapping.n_outermost ? Step{rows[s % inner], columns[s / inner]}
                                                : Step{rows[s / inner], columns[s % inner]});
  }
  const Range all_k{0, ceil_div(run.k, mapping.tile.k)};
  std::vector<Planned> loads = loads_of(program.steps, all_k, false, mapping.buffers);
  for (const Planned& load : loads_of(program.steps, all_k, true, mapping.buffers)) loads.push_back(load);
  std::stable_sort(loads.begin(), loads.end(), [](const Planned& a, const Planned& b) { return a.first < b.first; });
  for (const Planned& planned : loads) program.loads.push_back(planned.load);

  std::size_t begun = 0;
  std::size_t awaited = 0;
  std::int64_t over = -1;
  const auto begin_loads = [&](std::int64_t needed, std::int64_t before) {
    for (; begun < loads.size() && (loads[begun].first <= needed || loads[begun].after <= before); ++begun) {
      if (loads[begun].after > over) {
        over = loads[begun].after;
        program.calls.push_back({Kind::kWaitComposite, over});
      }
      program.calls.push_back({Kind::kLoad, static_cast<std::int64_t>(begun)});
    }
  };
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(program.steps.size()); ++s) {
    begin_loads(s, over);
    for (; awaited < loads.size() && loads[awaited].first <= s; ++awaited) {
      program.calls.push_back({Kind::kWaitLoad, static_cast<std::int64_t>(awaited)});
    }
    program.calls.push_back({Kind::kComposite, s});
    begin_loads(s, s - 1);
  }
  program.calls.push_back({Kind::kWaitComposite, static_cast<std::int64_t>(program.steps.size()) - 1});
  return program;
}

}  // namespace

Program program_of(const Run& run, const TileShape& tile) {
  return run.mapping ? mapped(run, *run.mapping) : staged(run, tile);
}

}  // namespace kernbench::calculator
