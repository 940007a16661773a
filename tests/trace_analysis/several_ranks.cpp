#include "tests/trace_analysis/several_ranks.hpp"

#include <algorithm>

#include "benches/io/text/csv.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "tests/trace_analysis/small_trace.hpp"

namespace {

constexpr double kLaunchesFrom = -1'000'000;  // µs: long before what they launch
constexpr double kBetweenLaunches = 10;

std::string quoted(const std::string& name, const std::string& value) { return ",\"" + name + R"(":")" + value + "\""; }

std::string number(const std::string& name, std::int64_t value) { return ",\"" + name + "\":" + std::to_string(value); }

}  // namespace

void RankEvents::add(const std::string& name, double start, double duration, const std::string& args) {
  const std::string id = R"("correlation":)" + std::to_string(++launches_);
  const double launch = kLaunchesFrom + kBetweenLaunches * launches_;
  events_.push_back(event_text("cuda_runtime", "cudaLaunchKernel", std::to_string(launch), "1", id));
  events_.push_back(event_text("kernel", name, std::to_string(start), std::to_string(duration), id + args));
}

RankEvents& RankEvents::gemm(const std::string& kernel, double start, double duration, int k) {
  const double launch = kLaunchesFrom + kBetweenLaunches * (launches_ + 1);
  const std::string inner = std::to_string(k);
  events_.push_back(op_text("aten::mm", std::to_string(launch - 1), "4", "[[16," + inner + "],[" + inner + ",8]]",
                            "[[" + inner + ",1],[8,1]]"));
  add(kernel, start, duration, "");
  return *this;
}

RankEvents& RankEvents::kernel(const std::string& name, double start, double duration) {
  add(name, start, duration, "");
  return *this;
}

RankEvents& RankEvents::collective(double start, double duration, const Signature& signature) {
  std::string args = quoted("Collective name", signature.kind) + quoted("dtype", "BFloat16") +
                     number("In msg nelems", signature.elements) + number("Out msg nelems", signature.elements) +
                     quoted("Process Group Name", signature.group) + quoted("Process Group Ranks", signature.ranks) +
                     number("Group size", signature.group_size);
  if (signature.sequence >= 0) args += number("Seq", signature.sequence);
  add("ncclDevKernel_Generic", start, duration, args);
  return *this;
}

RankEvents& RankEvents::annotation(const std::string& name, double start, double duration) {
  events_.push_back(event_text("gpu_user_annotation", name, std::to_string(start), std::to_string(duration)));
  return *this;
}

kernbench::traces::PlacedTrace RankEvents::placed(std::int64_t rank, const kernbench::traces::TraceAxes& axes,
                                                  const std::string& fields) const {
  return {axes, rank, SmallTrace(trace_text(events_, fields)).read()};
}

std::string run_fields(std::int64_t world_size, std::int64_t base_time_ns) {
  return R"("distributedInfo":{"world_size":)" + std::to_string(world_size) + R"(},"baseTimeNanoseconds":)" +
         std::to_string(base_time_ns);
}

std::vector<std::string> column_of(const kernbench::traces::TraceTable& table, const std::string& column) {
  const auto lines = kernbench::parse_csv(table_csv(table), "table.csv");
  const auto& heads = lines.at(0).cells;
  const auto place = static_cast<std::size_t>(std::ranges::find(heads, column) - heads.begin());
  std::vector<std::string> cells;
  for (std::size_t i = 1; i < lines.size(); ++i) cells.push_back(lines[i].cells.at(place));
  return cells;
}

std::vector<std::string> of_collectives(const std::vector<kernbench::traces::PlacedTrace>& traces,
                                        const std::string& column, const kernbench::traces::AloneTimes& alone) {
  const auto times_of = [&alone](const std::string&) -> const kernbench::traces::AloneTimes& { return alone; };
  return column_of(collectives_table(traces, timed_groups(traces, {}), times_of), column);
}

std::vector<std::string> of_ranks(const std::vector<kernbench::traces::PlacedTrace>& traces,
                                  const std::string& column) {
  return column_of(stragglers_table(traces, timed_groups(traces, {})), column);
}
