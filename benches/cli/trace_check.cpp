// `kernbench trace check`: what is in a trace and what is wrong with it.
#include <memory>
#include <string>

#include "benches/cli/output_options.hpp"
#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/traces/merge/trace_facts.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::trace_check_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace check rank0.json.gz
  kernbench trace check all.pftrace.gz --against run/

Any trace: of PyTorch's profiler, merged, or one that the simulator wrote. The exit code is 1 where a merged trace has what it must
not have, or has not every slice of the traces of --against once; a rank's own trace may have flows with one end.)";

struct Options {
  std::filesystem::path file;
  std::vector<std::filesystem::path> against;
  std::string layout;
  bool skip_bad = false;
  OutputOptions output;
};

std::string microseconds(Int128 picoseconds) { return formatted("%.3f", static_cast<double>(picoseconds) / 1e6); }

std::string count_text(std::uint64_t count) { return grouped(static_cast<std::int64_t>(count)); }

std::string categories_text(const traces::TraceFacts& facts, const Terminal& terminal) {
  Table table({{"rank", Align::kRight}, {"category"}, {"slices", Align::kRight}, {"sum [µs]", Align::kRight}});
  for (const traces::FactsCategory& entry : facts.categories) {
    table.add_row({entry.rank ? std::to_string(*entry.rank) : "", printable(entry.count.category),
                   count_text(entry.count.slices), microseconds(entry.count.duration_ps)});
  }
  return table.format(terminal);
}

std::string tracks_text(const traces::TraceFacts& facts, const Terminal& terminal) {
  Table table({{"process"}, {"track"}, {"slices", Align::kRight}, {"crossing", Align::kRight, 1}});
  for (const traces::FactsTrack& track : facts.tracks) {
    table.add_row(
        {printable(track.process), printable(track.name), count_text(track.slices), count_text(track.crossing)});
  }
  return table.format(terminal);
}

std::string steps_text(const std::set<std::int64_t>& steps) {
  if (steps.empty()) return "none";
  return count_text(steps.size()) + ", " + std::to_string(*steps.begin()) + " to " + std::to_string(*steps.rbegin());
}

std::string flows_text(const traces::FlowCounts& flows) {
  return count_text(flows.begins) + " begins, " + count_text(flows.ends) + " ends; " +
         count_text(flows.begins_without_end) + " begins and " + count_text(flows.ends_without_begin) +
         " ends without a partner";
}

std::string facts_text(const traces::TraceFacts& facts, const Terminal& terminal) {
  std::string text = std::string(facts.is_merged ? "merged trace, " : "trace, ") +
                     (facts.is_perfetto ? "Perfetto's packets" : "Chrome's trace events") + ", " +
                     count_text(facts.bytes) + " bytes\n\n";
  text += tracks_text(facts, terminal) + "\n" + categories_text(facts, terminal) + "\n";
  text += "span     " + microseconds(facts.span_ps) + " µs\n";
  text += "flows    " + flows_text(facts.flows) + "\n";
  text += "steps    " + steps_text(facts.steps) + "\n";
  if (!facts.devices.empty()) text += "devices  " + printable(joined(facts.devices, ", ")) + "\n";
  text +=
      "others   " + count_text(facts.instants) + " instants, " + count_text(facts.other_events) + " not looked at\n";
  for (const std::string& problem : facts.problems) {
    text += std::string(facts.is_merged ? "wrong: " : "note: ") + printable(problem) + "\n";
  }
  if (facts.is_merged && facts.problems.empty()) text += "nothing is wrong\n";
  return text;
}

int check(const Options& options) {
  traces::TraceFacts facts = traces::read_trace_facts(options.file, options.skip_bad);
  if (!options.against.empty()) {
    const auto inputs = traces::find_trace_files(options.against, options.layout);
    warn_passed_over(inputs);
    for (std::string& difference : traces::compare_with_inputs(facts, inputs, options.skip_bad)) {
      facts.problems.push_back(std::move(difference));
    }
  }
  options.output.deliver([&facts](const Terminal& terminal) { return facts_text(facts, terminal); },
                         {[&facts] { return traces::facts_json(facts); }, {}});
  const bool is_to_be_right = facts.is_merged || !options.against.empty();
  return is_to_be_right && !facts.problems.empty() ? 1 : 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("file", options->file, "A trace: .json, .pftrace, each with .gz or without")
      .required()
      .type_name("FILE")
      .reads();
  command.add_option("--against", options->against, "The traces that were merged: each of their slices is there once")
      .type_name("TRACES")
      .reads();
  command.add_option("--layout", options->layout, "Where paths of --against name the rank").type_name("LAYOUT");
  command.add_flag("--skip-bad", options->skip_bad, "Leave out events that do not parse, and count them");
  options->output.add_to(command, OutputOptions::Kinds::kJson);
  command.footer(kExamples);
  return [options] { return check(*options); };
}

}  // namespace kernbench::trace_check_command
