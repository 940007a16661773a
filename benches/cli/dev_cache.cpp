// `kernbench dev cache`: what is kept of earlier evaluations (adr/0037-evaluation-cache.md), and removing it.
#include <memory>

#include "benches/cli/dev_commands.hpp"
#include "benches/cli/output_options.hpp"
#include "benches/experiments/run/evaluation_cache.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/memory_estimate.hpp"

namespace kernbench::dev_cache_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench dev cache stat
  kernbench dev cache prune                      rows that another build of kernbench made
  kernbench dev cache prune --older-than 30
  kernbench dev cache prune --all

`kernbench whatif`, `search` and `run --sweep` look rows up here before they simulate. The cache is
in $KERNBENCH_CACHE, else in $XDG_CACHE_HOME/kernbench, else in ~/.cache/kernbench.)";

std::filesystem::path folder() {
  if (const auto folder = evaluation_cache_folder()) return *folder;
  throw ConfigError(
      "there is no place for a cache: expected KERNBENCH_CACHE, XDG_CACHE_HOME or HOME to be an absolute path");
}

std::string size_text(std::int64_t bytes) { return approximate_bytes(static_cast<double>(bytes)); }

/// All workloads together.
CachedWorkload total_of(const CacheContents& contents) {
  CachedWorkload total{"all"};
  for (const CachedWorkload& workload : contents.workloads) {
    total.rows += workload.rows;
    total.usable += workload.usable;
    total.bytes += workload.bytes;
  }
  return total;
}

std::string as_table(const CacheContents& contents, const Terminal& terminal) {
  if (contents.workloads.empty()) return "nothing is kept in " + contents.file.string() + "\n";
  Table table({{"workload"},
               {"rows", Align::kRight},
               {"of this build", Align::kRight},
               {"of others", Align::kRight, 1},
               {"size", Align::kRight}});
  std::vector<CachedWorkload> lines = contents.workloads;
  if (lines.size() > 1) lines.push_back(total_of(contents));
  for (const CachedWorkload& line : lines) {
    table.add_row(
        {line.name, grouped(line.rows), grouped(line.usable), grouped(line.rows - line.usable), size_text(line.bytes)});
  }
  return table.format(terminal) + "\n" + contents.file.string() + ", " + size_text(contents.file_bytes) + "\n";
}

Json as_json(const CacheContents& contents) {
  Json workloads = Json::array();
  for (const CachedWorkload& workload : contents.workloads) {
    workloads.push_back(
        {{"workload", workload.name}, {"rows", workload.rows}, {"usable", workload.usable}, {"bytes", workload.bytes}});
  }
  return {{"file", contents.file.string()}, {"file_bytes", contents.file_bytes}, {"workloads", workloads}};
}

int stat(const OutputOptions& output) {
  const CacheContents contents = cache_contents(folder());
  output.deliver([&](const Terminal& terminal) { return as_table(contents, terminal); },
                 {[&] { return as_json(contents).dump(2) + "\n"; }, {}});
  return 0;
}

int prune(const CachePruning& pruning, const OutputOptions& output) {
  const std::int64_t removed = prune_cache(folder(), pruning);
  const CacheContents contents = cache_contents(folder());
  const std::int64_t left = total_of(contents).rows;
  output.deliver(
      [&](const Terminal&) {
        return counted(removed, "row") + " removed, " + grouped(left) + " left; " + contents.file.string() + ", " +
               size_text(contents.file_bytes) + "\n";
      },
      {[&] {
         return Json{{"removed", removed},
                     {"rows", left},
                     {"file", contents.file.string()},
                     {"file_bytes", contents.file_bytes}}
                    .dump(2) +
                "\n";
       },
       {}});
  return 0;
}

std::function<int()> set_up_stat(CommandSpec& command) {
  auto output = std::make_shared<OutputOptions>();
  output->add_to(command, OutputOptions::Kinds::kJson);
  return [output] { return stat(*output); };
}

std::function<int()> set_up_prune(CommandSpec& command) {
  struct Options {
    std::int64_t days = 0;
    bool all = false;
    OutputOptions output;
  };
  constexpr std::int64_t kMostDays = 100'000;
  auto options = std::make_shared<Options>();
  const Option& older =
      command.add_option("--older-than", options->days, "Rows that were kept more days ago, of any build")
          .rule(whole_number(0, kMostDays))
          .type_name("DAYS");
  command.add_flag("--all", options->all, "Every row; also a file that cannot be read").excludes(older);
  options->output.add_to(command, OutputOptions::Kinds::kJson);
  return [options, &older] {
    CachePruning pruning{options->all};
    if (older.given()) pruning.older_than_days = options->days;
    return prune(pruning, options->output);
  };
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(command, {{1, "stat", "How much is kept, and how much of it this build can use", set_up_stat},
                         {2, "prune", "Remove what no build uses any more, or more", set_up_prune}});
  return {};  // one of them is run
}

}  // namespace kernbench::dev_cache_command
