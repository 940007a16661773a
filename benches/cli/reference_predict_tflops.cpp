// `kernbench reference predict tflops`: what a GEMM would reach, learned from rows.
#include <algorithm>
#include <memory>

#include "benches/cli/output_options.hpp"
#include "benches/cli/reference_predict_commands.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/measured/predictor/prediction.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::reference_predict_tflops_command {
namespace {

constexpr const char* kTflopsExamples = R"(Examples:
  kernbench reference predict tflops --m 4096 --n 4096 --k 12288 --dtype bf16 --from benches/reference/nvidia-h200/gemm.json
  kernbench reference predict tflops --m 64 --n 8192 --k 8192 --dtype fp16 --from benches/reference/nvidia-h200/gemm.json \
      --only backend=cublaslt,l2=warm

A line for each kind of row (backend, state of the L2, variant), or one where --only leaves one. The range: where eight
of ten rows of this dtype and kind lie, from their predictions, when their shapes are held out. Outside the sizes that
the rows of its dtype and kind reach it refuses (exit code 2), and says which row is the nearest. How far off the
predictor is for which shapes: kernbench reference predict error.)";

struct TflopsOptions {
  PredictorOptions predictor;
  GemmRow asked;
  std::string dtype;
  OutputOptions output;
};

std::string tflops_text(const GemmRow& asked, double time_ns) { return short_number(asked.flops() / time_ns / 1e3); }

std::string predictions_table(const std::vector<GemmPrediction>& predictions, const GemmRows& rows,
                              const Terminal& terminal) {
  Table table({{"kind"},
               {"TFLOPS", Align::kRight},
               {"range", Align::kRight},
               {"time (ns)", Align::kRight},
               {.title = "nearest row", .rank = 1, .wraps = true}});
  std::string refused;
  for (const GemmPrediction& prediction : predictions) {
    const GemmRow& asked = prediction.asked;
    const std::string& kind = rows.kinds[asked.kind].name;
    if (!prediction.refused.empty()) {
      refused += prose("refused: " + printable(prediction.refused), terminal);
      continue;
    }
    const std::string range =
        prediction.low_ns ? tflops_text(asked, *prediction.high_ns) + " to " + tflops_text(asked, *prediction.low_ns)
                          : "unknown: fewer than 10 held-out rows";
    table.add_row({printable(kind.empty() ? "all rows" : kind), tflops_text(asked, asked.time_ns), range,
                   one_decimal(asked.time_ns), printable(prediction.nearest)});
  }
  const GemmRow& first = predictions.front().asked;
  return "m=" + std::to_string(first.m) + " n=" + std::to_string(first.n) + " k=" + std::to_string(first.k) + " " +
         std::string(name_of(first.dtype)) + ", learned from " +
         counted(static_cast<std::int64_t>(rows.rows.size()), "row") + "\n\n" + table.format(terminal) +
         (refused.empty() ? "" : "\n" + refused);
}

int run_tflops(const TflopsOptions& options) {
  GemmRow asked = options.asked;
  asked.dtype = parse_dtype(options.dtype, "--dtype");
  const GemmRows rows = options.predictor.read();
  const std::vector<GemmPrediction> predictions = predict_gemm(rows, asked, options.predictor.seed());
  options.output.deliver([&](const Terminal& terminal) { return predictions_table(predictions, rows, terminal); },
                         results_documents([&] { return prediction_results(predictions, rows); }));
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<TflopsOptions>();
  const ValueRule size = whole_number(1, 1'000'000'000);
  command.add_option("--m", options->asked.m, "Rows of A and C").required().rule(size).type_name("N");
  command.add_option("--n", options->asked.n, "Columns of B and C").required().rule(size).type_name("N");
  command.add_option("--k", options->asked.k, "Columns of A, rows of B").required().rule(size).type_name("N");
  command.add_option("--dtype", options->dtype, "Of the operands, as bf16").required().type_name("DTYPE");
  options->predictor.add_to(command, "--from");
  options->output.add_to(command);
  command.footer(kTflopsExamples);
  return [options] { return run_tflops(*options); };
}

}  // namespace kernbench::reference_predict_tflops_command
