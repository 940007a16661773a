// `kernbench trace collectives`: collectives over all ranks, and who waits for whom.
#include <memory>

#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/cli/trace_reference.hpp"
#include "benches/traces/tables/collectives.hpp"

namespace kernbench::trace_collectives_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace collectives run/
  kernbench trace collectives sweep/ --table stragglers       by rank: waits, how often last, what kept it
  kernbench trace collectives run/ --table left_over          communication that no other rank has a partner for

latency: the shortest over the ranks, from when all are there. A rank's wait: the latest start - its own. alone: measured on the
same device with nothing beside it (kernbench reference show).)";

struct Options {
  TraceOptions traces;
  TableOption table{{"collectives", "stragglers", "left_over"}};
  OutputOptions output;
};

traces::TraceTable table_of(const std::string& name, const std::vector<traces::PlacedTrace>& all,
                            const std::vector<traces::TimedGroup>& groups) {
  if (name == "stragglers") return traces::stragglers_table(all, groups);
  if (name == "left_over") return traces::left_over_table(all, groups);
  return traces::collectives_table(all, groups, reference_times());
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->traces.add_reading(command);
  options->traces.add_selection(command);
  options->table.add_to(command);
  options->output.add_to(command, OutputOptions::Kinds::kJsonAndCsv);
  command.footer(kExamples);
  return [options] {
    const std::vector<traces::PlacedTrace> all = options->traces.read();
    const std::vector<traces::TimedGroup> groups = traces::timed_groups(all, options->traces.selection());
    deliver_table(options->output, table_of(options->table.name(), all, groups));
    return 0;
  };
}

}  // namespace kernbench::trace_collectives_command
