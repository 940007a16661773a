#include "benches/gpu/options.hpp"

namespace kernbench::gpu {

std::shared_ptr<Options> Options::add_to(CLI::App& app, const std::string& out) {
  auto options = std::make_shared<Options>();
  options->out = out;
  app.add_option("--suites", options->suites, "File with the lists of cases")->capture_default_str();
  app.add_option("--out", options->out, "File to write; its folder is made")->capture_default_str();
  app.add_option("--budget", options->budget_s, "Seconds until this ends; cases that do not fit are counted as skipped")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--smoke", options->smoke, "A few small cases only, to see that all works");
  app.add_flag("--quick", options->quick, "Fewer samples a case, and no power windows");
  app.add_option("--samples", options->samples, "Samples of each time; 0: by their length, 10 to 50")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  app.add_option("--warm-ups", options->warm_ups, "Repetitions before the first sample")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  app.add_flag("--list", options->list, "Print the cases, one JSON object a line, and measure nothing (needs no GPU)");
  app.add_option("--seed", options->seed, "Of the random inputs")->capture_default_str();
  return options;
}

}  // namespace kernbench::gpu
