#include "tests/system/calculator_program.hpp"

#include <algorithm>
#include <array>
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
  Program program{!load_a, !load_b, {}, {{m, n, k}}, {}};
  for (const auto& [loaded, load] :
       {std::pair(load_a, Load{Load::Of::kA, m, k}), std::pair(load_b, Load{Load::Of::kB, k, n})}) {
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

/// 32.2.
std::vector<Step> steps_of(const Run& run, const Mapping& mapping) {
  const std::vector<Range> rows = blocks_of(run.m, mapping.block.m, mapping.tile.m);
  const std::vector<Range> inner = blocks_of(run.k, mapping.block.k, mapping.tile.k);
  const std::vector<Range> columns = blocks_of(run.n, mapping.block.n, mapping.tile.n);
  const auto blocks = [&](char loop) {
    return loop == 'm' ? rows.size() : loop == 'k' ? inner.size() : columns.size();
  };
  std::vector<Step> steps;
  std::array<std::size_t, 3> at{};  // of the loops, the outermost first
  for (at[0] = 0; at[0] < blocks(mapping.order[0]); ++at[0]) {
    for (at[1] = 0; at[1] < blocks(mapping.order[1]); ++at[1]) {
      for (at[2] = 0; at[2] < blocks(mapping.order[2]); ++at[2]) {
        const auto now = [&](char loop) { return at.at(mapping.order.find(loop)); };
        const std::size_t k = now('k');
        steps.push_back({rows[now('m')], columns[now('n')], inner[k], k > 0, k + 1 < inner.size()});
      }
    }
  }
  return steps;
}

/// A load, the first step that uses it, and the last that has to be complete before it (-1: none) (32.3, 32.19).
struct Planned {
  Load load;
  std::int64_t first = 0;
  std::int64_t after = -1;
};

std::vector<Planned> loads_of(const std::vector<Step>& steps, Load::Of of, std::int64_t buffers) {
  std::vector<Planned> loads;
  std::optional<Load> present;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Load needed =
        of == Load::Of::kB ? Load{of, steps[s].inner, steps[s].columns} : Load{of, steps[s].rows, steps[s].inner};
    if (present && present->rows == needed.rows && present->columns == needed.columns) continue;
    present = needed;
    loads.push_back({needed, static_cast<std::int64_t>(s)});
  }
  // A buffer is left when the load after the one in it is first used.
  for (std::size_t l = static_cast<std::size_t>(buffers); l < loads.size(); ++l) {
    loads[l].after = loads[l - static_cast<std::size_t>(buffers) + 1].first - 1;
  }
  return loads;
}

/// 32.19: each step that adds loads its sums, when the one that left them is complete, and its buffer's user.
std::vector<Planned> loads_of_sums(const std::vector<Step>& steps, std::int64_t buffers) {
  std::vector<Planned> loads;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (!steps[s].adds) continue;
    std::size_t left = s - 1;
    while (steps[left].rows != steps[s].rows || steps[left].columns != steps[s].columns) --left;
    Planned load{{Load::Of::kSums, steps[s].rows, steps[s].columns},
                 static_cast<std::int64_t>(s),
                 static_cast<std::int64_t>(left)};
    const auto number = static_cast<std::int64_t>(loads.size());
    if (number >= buffers) {
      load.after = std::max(load.after, loads[static_cast<std::size_t>(number - buffers)].first);
    }
    loads.push_back(load);
  }
  return loads;
}

/// 32.2 to 32.4, with both operands loaded.
Program mapped(const Run& run, const Mapping& mapping) {
  Program program;
  program.steps = steps_of(run, mapping);
  std::vector<Planned> loads = loads_of(program.steps, Load::Of::kA, mapping.buffers);
  for (const Planned& load : loads_of(program.steps, Load::Of::kB, mapping.buffers)) loads.push_back(load);
  if (mapping.sums_in_hbm) {
    for (const Planned& load : loads_of_sums(program.steps, mapping.buffers)) loads.push_back(load);
  }
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
