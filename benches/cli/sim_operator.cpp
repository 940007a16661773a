// `kernbench sim operator`: a tensor operator on some of a machine's PEs.
#include <memory>

#include "benches/cli/over_rows.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/cli/sim_run.hpp"
#include "benches/cli/sim_workloads.hpp"
#include "benches/harness/collective/pe_set.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/row_from_operator.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/system/model_version.hpp"
#include "sim/system/operators/operator_run.hpp"

namespace kernbench::sim_operator_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench sim operator --op layernorm --batch 8 --sequence 128 --dimension 768
  kernbench sim operator --op softmax --sequence 64 --dimension 4096 --over die --verify
  kernbench sim operator --op gelu --sequence 1024 --dimension 4096 --set pe.vector.lanes=256
  kernbench sim operator --op cross_entropy --sequence 64 --dimension 32000 --trace ce.perfetto-trace.gz

docs/operators.md says what each of them computes, and how.
Exit codes: 0 all well, 1 the simulation failed or computed a wrong value, 2 wrong input.)";

struct Options : SimOptions {
  std::string op;
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
  std::int64_t dimension = 0;
  std::string dtype = "bf16";
  std::string over = "package";
};

std::string format_facts(const Row& row, const Look& look) {
  const auto number = [&row](const char* name) { return row.metrics.at(name).get<double>(); };
  const auto bytes = [&row](const char* name) { return grouped(row.metrics.at(name).get<std::int64_t>()); };
  // Above its peak only by what memories have taken and not written (43.15).
  const double share = number("bandwidth_share");
  const bool waits = row.metrics.at("hbm_written_bytes").get<std::int64_t>() > 0;
  std::string text =
      fact("time",
           one_decimal(number("time_ns")) + " ns" +
               (waits ? ", when memories have taken the last write; some of it may still wait there" : ""),
           look);
  if (row.metrics.contains("plan_bound_ns")) {
    text += fact("bound",
                 one_decimal(number("plan_bound_ns")) + " ns of the plan (" +
                     row.metrics.at("plan_bottleneck").get<std::string>() + "), " + one_decimal(number("roofline_ns")) +
                     " ns of the machine (" + row.metrics.at("roofline_bottleneck").get<std::string>() + ")",
                 look);
    text += fact("efficiency", percent(number("efficiency")) + " of the machine's roofline", look);
  }
  text += fact("throughput",
               one_decimal(number("throughput_gbps")) + " GB/s of what must be read and written, " + percent(share) +
                   " of the memories' bandwidth" + (share > 1 ? ": with what is not written yet" : ""),
               look);
  text += fact("vector unit", "at work for " + percent(number("vector_util")) + " of the time, in the mean", look);
  text += fact("HBM", bytes("hbm_read_bytes") + " B read, " + bytes("hbm_written_bytes") + " B written", look);
  return text + fact("pieces",
                     bytes("pieces") + " of up to " + bytes("piece_elements") + " elements, " + bytes("tcm_bytes") +
                         " B of TCM a PE",
                     look);
}

int run(const Options& options) {
  const LoadedMachine machine = options.machine->load();
  const PeSet over = parse_pes("--over", options.over, machine.spec);
  const auto pes = static_cast<std::int64_t>(over.pes.size());
  const OperatorProblem problem{parse_operator(options.op, "--op"), options.batch, options.sequence, options.dimension,
                                parse_dtype(options.dtype, "--dtype")};
  const OperatorPlan plan = plan_operator_on(over.machine, problem, pes);
  const std::string name(kOperators[problem.op]);
  const std::string shape =
      std::to_string(options.batch) + "x" + std::to_string(options.sequence) + "x" + std::to_string(options.dimension);
  const std::string title = name + " of " + shape + " " + std::string(name_of(problem.dtype)) + " over " +
                            counted(pes, "PE") + " of " + machine.spec.name;
  const TraceHeader header{title,
                           {{"machine", machine.spec.name},
                            {"machine_sha256", machine.sha256},
                            {"model", kModelVersion},
                            {"operator", name},
                            {"shape (batch x sequence x dimension)", shape}}};
  MemoryEstimate memory = network_memory(over.machine);
  memory.add(operator_memory(over.machine, problem, pes, options.verify));
  Row row = simulate_isolated(options, header, memory, [&](const RunSettings& settings) {
    const OverResult result = run_operator(over.machine, plan, over.pes, settings);
    Row of_run = row_of_operator(result, plan, over.machine);
    if (settings.verify) of_run.metrics[kValuesCompared] = result.compared;
    return of_run;
  });
  row.point = {{"operation", name},
               {"batch_size", options.batch},
               {"sequence_length", options.sequence},
               {"tensor_dimension", options.dimension},
               {"dtype", name_of(problem.dtype)},
               {"over", options.over}};
  const auto tables = [&](const Look& look) {
    return styled(title, Style::kBold, look.colours) + "\n" + format_ledgers(row, over.machine, look) +
           format_facts(row, look) + format_repeated(row, "--trace", look) +
           format_extras(row, options.trace.string(), look);
  };
  options.deliver(tables, as_results({row}, "sim-operator", machine), machine, title);
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  const auto size = [&command](const char* name, std::int64_t& value, const char* meaning) -> auto& {
    return command.add_option(name, value, meaning).rule(whole_number(1, kLargestDimension)).type_name("N");
  };
  command.add_option("--op", options->op, "One of " + joined(kOperators.all())).required().type_name("OP");
  size("--batch", options->batch, "Batches of rows").show_default();
  size("--sequence", options->sequence, "Rows of a batch").show_default();
  size("--dimension", options->dimension, "Elements of a row").required();
  command.add_option("--dtype", options->dtype, "Of what is read and written: bf16, fp16, fp32")
      .type_name("DTYPE")
      .show_default();
  command
      .add_option("--over", options->over,
                  "PEs of a die, a package, the system, or by number: package.die.pe, with commas and ranges")
      .type_name("die|package|system|P.D.E[-P.D.E],...")
      .show_default();
  options->add_to(command, false);
  command.footer(kExamples);
  return [options] { return run(*options); };
}

}  // namespace kernbench::sim_operator_command
