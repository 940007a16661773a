#include "benches/traces/events/trace_files.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <system_error>
#include <thread>
#include <tuple>

#include "benches/io/text/read_number.hpp"
#include "benches/traces/events/byte_source.hpp"
#include "benches/traces/events/decimal_time.hpp"
#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/event_parser.hpp"
#include "benches/traces/events/trace_layout.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

namespace fs = std::filesystem;

/// The rank and the axes that a path says; neither where no layout fits.
bool place_file(TraceFile& file, const std::vector<TraceLayout>& layouts) {
  for (const TraceLayout& layout : layouts) {
    const auto values = layout.match(file.path);
    if (!values) continue;
    for (const auto& [name, value] : *values) {
      if (name == kRankName) {
        file.rank = std::stoll(value);
      } else {
        file.axes.emplace_back(name, value);
      }
    }
    return true;
  }
  return false;
}

bool is_json_name(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

/// Why the file is no rank's trace; "" where it begins as one.
std::string no_trace(const fs::path& file) {
  try {
    const std::unique_ptr<ByteSource> source = open_bytes(file);
    const EventBatches batches(*source, kTraceWindow, EventParser::padding());
    if (batches.fields().contains(EventBatches::kMerge)) return source->name() + ": is merged of ranks' traces";
  } catch (const NoTraceError& error) {
    return error.what();
  } catch (const ConfigError&) {
    return "";  // said where it is read
  }
  return "";
}

/// Takes what is no rank's trace from among traces, and says so.
void pass_over_strays(std::vector<TraceFile>& files) {
  std::vector<TraceFile> traces;
  std::vector<std::string> strays;
  for (const TraceFile& file : files) {
    std::string why = no_trace(file.path);
    if (why.empty()) {
      traces.push_back(file);
    } else {
      strays.push_back("passed over: " + std::move(why));
    }
  }
  if (traces.empty()) return;
  files = std::move(traces);
  files.front().passed_over = std::move(strays);
}

std::vector<TraceFile> files_below(const fs::path& folder, const std::vector<TraceLayout>& layouts) {
  std::vector<TraceFile> placed;
  std::vector<TraceFile> others;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->is_regular_file(error) || !is_json_name(entry->path())) continue;
    TraceFile file{entry->path(), {}, {}, {}};
    (place_file(file, layouts) ? placed : others).push_back(file);
  }
  const std::string name = printable(folder.string());
  if (error) throw ConfigError(name + ": cannot be read: " + error.message());
  if (placed.empty()) placed = std::move(others);
  if (placed.empty()) throw ConfigError(name + ": expected traces (.json, .json.gz) in or below this folder");
  std::ranges::sort(placed, {}, &TraceFile::path);
  if (placed.size() > 1) pass_over_strays(placed);
  return placed;
}

/// Orders "28" before "112", and texts as texts.
bool axes_before(const TraceAxes& a, const TraceAxes& b) {
  const auto before = [](const auto& left, const auto& right) {
    const auto a_number = read_number(left.second);
    const auto b_number = read_number(right.second);
    if (left.first == right.first && a_number && b_number && *a_number != *b_number) return *a_number < *b_number;
    return std::tie(left.first, left.second) < std::tie(right.first, right.second);
  };
  return std::ranges::lexicographical_compare(a, b, before);
}

std::int64_t rank_of(const TraceFile& file, const RankTrace& trace) {
  const auto& said = trace.distributed.rank;
  if (said && file.rank && *said != *file.rank) {
    throw ConfigError(printable(file.path.string()) + ": distributedInfo says rank " + std::to_string(*said) +
                      ", the path says " + std::to_string(*file.rank) + ": expected the same; rename the file");
  }
  return said.value_or(file.rank.value_or(0));
}

/// A process group that both ranks are in has the same ranks in both files.
bool has_other_groups(const RankTrace& a, const RankTrace& b, std::int64_t rank_a, std::int64_t rank_b) {
  const auto holds = [](const DistributedInfo::Group& group, std::int64_t rank) {
    return std::ranges::find(group.ranks, rank) != group.ranks.end();
  };
  return std::ranges::any_of(a.distributed.groups, [&](const auto& group) {
    return std::ranges::any_of(b.distributed.groups, [&](const auto& other) {
      const bool is_of_both = holds(group, rank_a) && holds(group, rank_b);
      return group.name == other.name && is_of_both && group.ranks != other.ranks;
    });
  });
}

void require_one_run(const PlacedTrace& a, const PlacedTrace& b) {
  if (a.axes != b.axes) return;
  const std::string names = printable(a.trace.file.string()) + " and " + printable(b.trace.file.string());
  if (a.rank == b.rank) {
    throw ConfigError(names + ": both are of rank " + std::to_string(a.rank) +
                      ": expected one file a rank; take one away, or say with --layout what tells them apart");
  }
  if (a.trace.distributed.world_size != b.trace.distributed.world_size) {
    throw ConfigError(names + ": their world sizes differ (" + std::to_string(a.trace.distributed.world_size) +
                      " and " + std::to_string(b.trace.distributed.world_size) + "): expected ranks of one run");
  }
  if (has_other_groups(a.trace, b.trace, a.rank, b.rank)) {
    throw ConfigError(names + ": their process groups differ: expected ranks of one run");
  }
}

/// Of files without base time among others of their point that have one: as if they began when the first of those does.
/// When they did the ends of their collectives say, or nothing does (40.31).
void stand_in_base_times(std::vector<PlacedTrace>& traces) {
  const auto origin = [](const RankTrace& trace) {
    constexpr Int128 kPsOfNs = 1000;
    return picoseconds_from_microseconds(trace.origin_us).value_or(0) / kPsOfNs;
  };
  for (PlacedTrace& placed : traces) {
    if (placed.trace.has_base_time) continue;
    const auto has_base = [&placed](const PlacedTrace& other) {
      return other.axes == placed.axes && other.trace.has_base_time;
    };
    const auto other = std::ranges::find_if(traces, has_base);
    if (other == traces.end()) continue;
    const Int128 base = other->trace.base_time_ns + origin(other->trace) - origin(placed.trace);
    constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
    placed.trace.base_time_ns = static_cast<std::int64_t>(std::clamp(base, -kMost, kMost));
  }
}

}  // namespace

std::vector<TraceFile> find_trace_files(const std::vector<fs::path>& paths, const std::string& layout) {
  const std::vector<TraceLayout> layouts = layout.empty() ? known_layouts() : std::vector{TraceLayout(layout)};
  std::vector<TraceFile> files;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error))
      throw ConfigError(printable(path.string()) + ": expected a trace or a folder of them");
    // Absolute: of ".", or of a folder one stands in, the names above say the axes.
    const fs::path place = fs::absolute(path).lexically_normal();
    if (fs::is_directory(path, error)) {
      for (TraceFile& file : files_below(place, layouts)) files.push_back(std::move(file));
    } else {
      place_file(files.emplace_back(TraceFile{place, {}, {}, {}}), layouts);
    }
  }
  const auto fits = [](const TraceFile& file) { return file.rank.has_value(); };
  if (!layout.empty() && std::ranges::none_of(files, fits)) {
    throw ConfigError("--layout \"" + layout + "\": fits none of the traces, the first " +
                      printable(files.front().path.string()) +
                      ": expected the end of their paths, such as {channels}ch_{threads}threads/rank{rank}.json");
  }
  return files;
}

PlacedTrace place_trace(const TraceFile& file, RankTrace trace) {
  const std::int64_t rank = rank_of(file, trace);
  trace.warnings.insert(trace.warnings.end(), file.passed_over.begin(), file.passed_over.end());
  return {file.axes, rank, std::move(trace)};
}

void put_in_order(std::vector<PlacedTrace>& traces) {
  std::ranges::stable_sort(traces, [](const PlacedTrace& a, const PlacedTrace& b) {
    if (axes_before(a.axes, b.axes)) return true;
    return !axes_before(b.axes, a.axes) && a.rank < b.rank;
  });
  for (std::size_t i = 1; i < traces.size(); ++i) require_one_run(traces[i - 1], traces[i]);
  stand_in_base_times(traces);
}

std::vector<PlacedTrace> read_traces(const std::vector<TraceFile>& files, const TraceReadOptions& options) {
  std::vector<PlacedTrace> traces(files.size());
  std::vector<std::exception_ptr> errors(files.size());
  std::atomic<std::size_t> next = 0;
  const auto read_some = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      try {
        traces[i] = place_trace(files[i], read_rank_trace(files[i].path, options));
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> readers;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min(cores, files.size()); ++i) readers.emplace_back(read_some);
    read_some();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  put_in_order(traces);
  return traces;
}

}  // namespace kernbench::traces
