// `kernbench dev trace-grow`: a large trace out of a small one, whose tables are known.
#include <spdlog/spdlog.h>

#include <memory>

#include "benches/cli/dev_commands.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/traces/grow/grow_trace.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::dev_trace_grow_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench dev trace-grow rank0.json.gz big.json --size 1GB
  kernbench dev trace-grow rank0.json.gz ten.json.gz --copies 10

Copies follow each other in time; their correlation ids, flows, steps and other ids are their own, all else stays. So counts and
sums of a table are as many times the trace's, and shortest, longest, means and medians the same. For ranks of one run give all of
them one --period: their collectives then wait as before.)";

struct Options {
  std::filesystem::path in;
  std::filesystem::path out;
  std::string size;
  std::uint64_t copies = 0;  ///< 0: not given
  std::string period;
  bool skip_bad = false;
};

/// Bytes: sizes of files are powers of 1000, and of 1024 where they say so.
std::uint64_t read_size(const std::string& text) {
  try {
    const std::int64_t bytes = text.ends_with("iB") ? parse_quantity(text, Dimension::kBytes)
                                                    : parse_quantity(text + "/s", Dimension::kBandwidth);
    if (bytes > 0) return static_cast<std::uint64_t>(bytes);
  } catch (const ConfigError&) {
    // Its words are of bandwidths.
  }
  throw ConfigError("--size: expected a size such as 200MB, 1GB or 512 MiB, got " + in_quotes(text));
}

traces::TracePs read_period(const std::string& text) {
  try {
    const std::int64_t period = parse_quantity(text, Dimension::kTime);
    if (period > 0) return period;
  } catch (const ConfigError& error) {
    throw ConfigError(std::string("--period: ") + error.what());
  }
  throw ConfigError("--period: expected a time above 0, got " + in_quotes(text));
}

int grow(const Options& options) {
  traces::GrowOptions how{.skip_bad = options.skip_bad};
  const bool has_copies = options.copies > 0;
  if (has_copies == !options.size.empty()) throw ConfigError("expected one of --size and --copies");
  if (has_copies) {
    how.copies = options.copies;
  } else {
    how.bytes = read_size(options.size);
  }
  if (!options.period.empty()) how.period = read_period(options.period);
  const traces::GrownTrace grown = traces::grow_trace(options.in, options.out, how);
  spdlog::info("{}: the trace {}, each {} ms; {}, {} bytes before compression", printable(options.out.string()),
               counted(static_cast<std::int64_t>(grown.copies), "time"),
               formatted("%.12g", static_cast<double>(grown.period) / 1e9),
               counted(static_cast<std::int64_t>(grown.events), "event"),
               grouped(static_cast<std::int64_t>(grown.bytes)));
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("in", options->in, "A trace of PyTorch's profiler or the simulator: .json, .json.gz")
      .required()
      .type_name("IN")
      .reads();
  command.add_option("out", options->out, "The large trace: .json or .json.gz")
      .required()
      .type_name("OUT")
      .rule(file_to_write())
      .writes();
  command.add_option("--size", options->size, "So large, before compression: 200MB, 1GB").type_name("SIZE");
  command.add_option("--copies", options->copies, "So many copies, instead of --size")
      .type_name("N")
      .rule(whole_number(1, 1'000'000'000));
  command.add_option("--period", options->period, "Time from copy to copy [what the trace spans, to a whole ms]")
      .type_name("TIME");
  command.add_flag("--skip-bad", options->skip_bad, "Leave out events that do not parse");
  command.footer(kExamples);
  return [options] { return grow(*options); };
}

}  // namespace kernbench::dev_trace_grow_command
