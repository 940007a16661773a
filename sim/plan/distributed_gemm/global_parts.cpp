#include "sim/plan/distributed_gemm/global_parts.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace kernbench {

namespace {

Interval moved(const Interval& interval, std::int64_t by) { return {interval.begin + by, interval.end + by}; }

class Holder {
 public:
  Holder(const DistributedGemmPlan& plan, const CommandList& list) : plan_(plan), list_(list) {}

  /// What a part of a buffer that has been written before holds.
  [[nodiscard]] GlobalPart at(const BufferPart& part) const {
    const GlobalPart holds = whole(part.buffer);
    const Rect& origin = holds.rect;
    return {holds.matrix, {moved(part.rect.rows, origin.rows.begin), moved(part.rect.columns, origin.columns.begin)}};
  }

  /// What the whole buffer holds once `value` is written to a part of it.
  const GlobalPart& write(const BufferPart& part, const GlobalPart& value) {
    GlobalPart& holds = held_[part.buffer];
    if (is_tile(part.buffer.kind)) {
      holds = whole(part.buffer);
    } else if (is_gathered(part.buffer.kind)) {
      const BufferShape& shape = list_.buffers().at(part.buffer);
      const std::int64_t top = value.rect.rows.begin - part.rect.rows.begin;
      const std::int64_t left = value.rect.columns.begin - part.rect.columns.begin;
      holds = {value.matrix, {{top, top + shape.rows}, {left, left + shape.columns}}};
    } else {
      holds = value;
    }
    return holds;
  }

 private:
  [[nodiscard]] GlobalPart whole(const BufferId& buffer) const {
    const auto tile = [&buffer](const DistributedMatrix& matrix) { return matrix.tile(matrix.tile_of(buffer.device)); };
    if (buffer.kind == BufferKind::kA) return {OperandOf::kA, tile(plan_.a)};
    if (buffer.kind == BufferKind::kB) return {OperandOf::kB, tile(plan_.b)};
    if (buffer.kind == BufferKind::kC) return {OperandOf::kC, tile(plan_.c)};
    const auto held = held_.find(buffer);
    if (held == held_.end()) throw std::logic_error("a command reads a buffer that none has written");
    return held->second;
  }

  const DistributedGemmPlan& plan_;
  const CommandList& list_;
  std::map<BufferId, GlobalPart> held_;
};

void add(std::vector<std::int64_t>& cuts, const Interval& interval) {
  cuts.push_back(interval.begin);
  cuts.push_back(interval.end);
}

void sort_once(std::vector<std::int64_t>& cuts, std::int64_t size) {
  add(cuts, {0, size});
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

}  // namespace

std::vector<GlobalCommand> global_parts(const DistributedGemmPlan& plan, const CommandList& list) {
  Holder holder(plan, list);
  std::vector<GlobalCommand> commands;
  for (const Command& command : list.commands()) {
    GlobalCommand global;
    if (command.kind != CommandKind::kZero) global.in = holder.at(command.in);
    switch (command.kind) {
      case CommandKind::kMultiply:
        global.second = holder.at(command.second);
        global.out = {OperandOf::kC, {global.in.rect.rows, global.second.rect.columns}};
        break;
      case CommandKind::kCopy:
        global.out = global.in;
        break;
      default:
        global.out = holder.at(command.out);
    }
    global.holds = holder.write(command.out, global.out);
    commands.push_back(global);
  }
  return commands;
}

DimensionCuts dimension_cuts(const DistributedGemmPlan& plan, const std::vector<GlobalCommand>& commands) {
  DimensionCuts cuts;
  const auto add_part = [&cuts](const GlobalPart& part) {
    add(part.matrix == OperandOf::kB ? cuts.k : cuts.m, part.rect.rows);
    add(part.matrix == OperandOf::kA ? cuts.k : cuts.n, part.rect.columns);
  };
  for (const auto& [matrix, of] :
       {std::pair(&plan.a, OperandOf::kA), std::pair(&plan.b, OperandOf::kB), std::pair(&plan.c, OperandOf::kC)}) {
    for (int tile = 0; tile < matrix->tiles(); ++tile) {
      if (!matrix->tile(tile).empty()) add_part({of, matrix->tile(tile)});
    }
  }
  for (const GlobalCommand& command : commands) {
    for (const GlobalPart* part : {&command.out, &command.in, &command.second}) {
      if (!part->rect.empty()) add_part(*part);
    }
  }
  sort_once(cuts.m, plan.a.rows());
  sort_once(cuts.k, plan.a.columns());
  sort_once(cuts.n, plan.b.columns());
  return cuts;
}

std::vector<Interval> pieces_between(const std::vector<std::int64_t>& cuts, const Interval& interval) {
  std::vector<Interval> pieces;
  if (interval.empty()) return pieces;
  for (auto cut = std::ranges::lower_bound(cuts, interval.begin); *cut < interval.end; ++cut) {
    pieces.push_back({*cut, *std::next(cut)});
  }
  return pieces;
}

}  // namespace kernbench
