#include "benches/gpu/options.hpp"

#include "benches/io/program/option_values.hpp"

namespace kernbench::gpu {

std::shared_ptr<Options> Options::add_to(CommandSpec& command, const std::string& out) {
  auto options = std::make_shared<Options>();
  options->out = out;
  command.add_option("--suites", options->suites, "File with the lists of cases").show_default().reads();
  command.add_option("--out", options->out, "File to write; its folder is made").show_default().writes();
  command
      .add_option("--budget", options->budget_s,
                  "Seconds until this ends; cases that do not fit are counted as skipped")
      .rule(decimal_number(0.001, 1e9))
      .show_default();
  command.add_flag("--smoke", options->smoke, "A few small cases only, to see that all works");
  command.add_flag("--quick", options->quick, "Fewer samples a case, and no power windows");
  command.add_option("--samples", options->samples, "Samples of each time; 0: by their length, 10 to 50")
      .rule(whole_number(0, 100000))
      .show_default();
  command.add_option("--warm-ups", options->warm_ups, "Repetitions before the first sample")
      .rule(whole_number(0, 100000))
      .show_default();
  command.add_flag("--list", options->list,
                   "Print the cases, one JSON object a line, and measure nothing (needs no GPU)");
  command.add_option("--seed", options->seed, "Of the random inputs").show_default();
  return options;
}

}  // namespace kernbench::gpu
