// Everything is read from the row; only shares of a window are computed here.
#include "benches/cli/sim_report.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/checked.hpp"

namespace kernbench {
namespace {

double window_ns(const Row& row) { return row.windows.at("pe_ns").get<double>(); }

/// The time in which the channels were at work in the window, all together. A bench's row has the bytes alone: then it
/// is the time of their bursts, no more than the window, since writes that wait when it ends are written after it
/// (4.15). For a memory that follows the keys of its channels.
double hbm_busy_ns(const Row& row, const MachineSpec& machine) {
  if (row.metrics.contains("hbm_busy_ns")) return row.metrics.at("hbm_busy_ns").get<double>();
  const HbmSpec& hbm = machine.die.hbm;
  const auto bursts = [&](const char* bytes) {
    return (row.metrics.value(bytes, Bytes{0}) + hbm.burst - 1) / hbm.burst;
  };
  const auto moved = static_cast<double>(bursts("hbm_read_bytes") + bursts("hbm_written_bytes"));
  return std::min(moved * hbm.burst_time().ns(), static_cast<double>(hbm.pseudo_channels) * window_ns(row));
}

double hbm_share(const Row& row, const MachineSpec& machine) {
  return hbm_busy_ns(row, machine) / static_cast<double>(machine.die.hbm.pseudo_channels) / window_ns(row);
}

bool reads_memory(const StageRow& stage) { return stage.stage == "load" || stage.stage == "dma_in"; }
bool writes_memory(const StageRow& stage) { return stage.stage == "dma_out" || stage.stage == "store_out"; }

Load dma_load(const Row& row, const std::string& name, bool (*belongs)(const StageRow&), Bandwidth path) {
  Bytes bytes = 0;
  for (const StageRow& stage : row.stages) {
    bytes = checked_add(bytes, belongs(stage) ? stage.bytes : 0, "bytes moved by " + name, kInBytes);
  }
  return {name, path.time_for(bytes).ns() / window_ns(row)};
}

}  // namespace

std::string format_stages(const Row& row, const MachineSpec& machine, const Look& look) {
  Table table({{"stage"},
               {"engine", Align::kLeft, 2},
               {"records", Align::kRight, 3},
               {"wall (ns)", Align::kRight},
               {"busy (ns)", Align::kRight, 1},
               {"share", Align::kRight},
               {"bytes", Align::kRight},
               {"GB/s", Align::kRight}});
  for (const StageRow& stage : row.stages) {
    const bool moves = stage.bytes > 0 && stage.wall_ns > 0;
    table.add_row({stage.stage, stage.engine, grouped(stage.records), one_decimal(stage.wall_ns),
                   one_decimal(stage.busy_ns), percent(stage.wall_ns / window_ns(row)),
                   stage.bytes > 0 ? grouped(stage.bytes) : "",
                   moves ? one_decimal(static_cast<double>(stage.bytes) / stage.wall_ns) : ""});
  }
  const HbmSpec& hbm = machine.die.hbm;
  const auto bursts = row.metrics.at("hbm_bursts").get<std::int64_t>();
  const bool known = hbm.follows_keys();
  table.add_row({"hbm", known ? std::to_string(hbm.pseudo_channels) + " channels" : hbm.model, grouped(bursts), "",
                 known ? one_decimal(hbm_busy_ns(row, machine)) : "", known ? percent(hbm_share(row, machine)) : "",
                 grouped(checked_multiply(bursts, hbm.burst, "bytes moved by the HBM", kInBytes)), ""});
  return table.format(look);
}

Load busiest(const Row& row, const MachineSpec& machine) {
  const RouterSpec& router = machine.die.router;
  std::vector<Load> loads = {
      dma_load(row, "DMA into TCM", reads_memory, std::min(router.link, machine.pe.tcm.write)),
      dma_load(row, "DMA out of TCM", writes_memory, std::min(router.link, machine.pe.tcm.read))};
  if (machine.die.hbm.follows_keys()) loads.insert(loads.begin(), {"HBM channels", hbm_share(row, machine)});
  for (const StageRow& stage : row.stages) {
    if (!reads_memory(stage) && !writes_memory(stage)) loads.push_back({stage.stage, stage.wall_ns / window_ns(row)});
  }
  Load busiest{"", std::ranges::max(loads, {}, &Load::share).share};
  for (const Load& load : loads) {
    if (load.share == busiest.share) busiest.resource += (busiest.resource.empty() ? "" : " and ") + load.resource;
  }
  return busiest;
}

std::string describe_bottleneck(const Row& row, const MachineSpec& machine) {
  const Load load = busiest(row, machine);
  std::string text = load.resource + ", at work for " + percent(load.share) + " of the PE window";
  if (load.share < 0.5) text += ": most of the time goes into latencies that nothing hides";
  return text;
}

std::string fact(const std::string& name, const std::string& value, const Look& look) {
  constexpr std::size_t kWidth = 12;
  return hanging(name + std::string(name.size() < kWidth ? kWidth - name.size() : 1, ' '), value, look.width);
}

std::string format_extras(const Row& row, const std::string& trace_file, const Look& look) {
  std::string text;
  if (row.metrics.contains(kValuesCompared)) {
    const auto compared = row.metrics.at(kValuesCompared).get<std::int64_t>();
    text += fact("values",
                 compared == 0 ? "no values compared: the kernel calls no expect"
                               : "verified: " + counted(compared, "value") + " compared, all as the kernel expects",
                 look);
  } else if (std::ranges::find(row.flags, "verified") != row.flags.end()) {
    text += fact("values", "verified: the result that the simulated machine computed equals the reference", look);
  }
  if (!trace_file.empty()) text += fact("trace", trace_file + " (opens in https://ui.perfetto.dev)", look);
  return text;
}

}  // namespace kernbench
