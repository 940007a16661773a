// Runs a kernel in a forked child and brings back its result and every op record.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/system/run.hpp"
#include "tests/support/forked.hpp"

/// How a failed comparison shows a time.
template <>
struct doctest::StringMaker<kernbench::Picoseconds> {
  static doctest::String convert(kernbench::Picoseconds time) { return (std::to_string(time.value) + " ps").c_str(); }
};

namespace kernbench {

struct Logged {
  std::string engine;
  std::string stage;
  OpRecord op;
};

/// Keeps every record.
class Recorder : public OpSink {
 public:
  void record(std::string_view engine, const Stage& stage, const OpRecord& record) override {
    records_.push_back({std::string(engine), std::string(stage.name), record});
  }
  [[nodiscard]] const std::vector<Logged>& records() const { return records_; }

 private:
  std::vector<Logged> records_;
};

struct Observed {
  RunResult result;
  std::vector<Logged> records;

  [[nodiscard]] std::vector<OpRecord> of(std::string_view stage) const {
    std::vector<OpRecord> chosen;
    for (const Logged& logged : records) {
      if (logged.stage == stage) chosen.push_back(logged.op);
    }
    return chosen;
  }
  /// Length of the composite window.
  [[nodiscard]] Picoseconds composite() const { return result.composite.length(); }
};

using Run = std::function<RunResult(const RunSettings&)>;

inline std::string to_text(const RunResult& result, const std::vector<Logged>& records) {
  std::ostringstream out;
  for (const Window& window : {result.pe, result.composite})
    out << window.start.value << ' ' << window.end.value << ' ';
  out << result.tiles << ' ' << result.useful_macs << ' ' << result.hbm_read << ' ' << result.hbm_written << ' '
      << result.engine.wakeups << ' ' << result.engine.bursts << ' ' << result.stages.size() << '\n';
  for (const Cause cause : kCauses.values())
    out << result.ledger.time.of(cause).value << ' ' << result.ledger.path.of(cause).value << ' ';
  out << result.ledger.memory.value << ' ';
  for (const StageTotals& s : result.stages) {
    out << s.stage << ' ' << s.engine << ' ' << s.records << ' ' << s.wall.value << ' ' << s.busy.value << ' '
        << s.bytes << ' ' << s.macs << '\n';
  }
  for (const auto& [engine, stage, op] : records) {
    out << engine << ' ' << stage << ' ' << op.start.value << ' ' << op.end.value << ' ' << op.bytes << ' ' << op.macs
        << ' ' << op.tile << ' ' << op.composite << '\n';
  }
  return out.str();
}

inline Observed from_text(const std::string& text) {
  std::istringstream in(text);
  Observed observed;
  RunResult& result = observed.result;
  for (Window* window : {&result.pe, &result.composite}) in >> window->start.value >> window->end.value;
  std::size_t stages = 0;
  in >> result.tiles >> result.useful_macs >> result.hbm_read >> result.hbm_written >> result.engine.wakeups >>
      result.engine.bursts >> stages;
  for (const Cause cause : kCauses.values()) {
    Picoseconds time;
    Picoseconds path;
    in >> time.value >> path.value;
    result.ledger.time.add(cause, time);
    result.ledger.path.add(cause, path);
  }
  in >> result.ledger.memory.value;
  result.stages.resize(stages);
  for (StageTotals& s : result.stages) {
    in >> s.stage >> s.engine >> s.records >> s.wall.value >> s.busy.value >> s.bytes >> s.macs;
  }
  Logged logged;
  OpRecord& op = logged.op;
  while (in >> logged.engine >> logged.stage >> op.start.value >> op.end.value >> op.bytes >> op.macs >> op.tile >>
         op.composite) {
    observed.records.push_back(logged);
  }
  return observed;
}

/// Throws std::runtime_error with the message of what the run threw.
inline Observed observe(const Run& run) {
  return from_text(forked([&] {
    Recorder recorder;
    RunSettings settings;
    settings.sink = &recorder;
    const RunResult result = run(settings);
    return to_text(result, recorder.records());
  }));
}

inline Observed simulate(const MachineSpec& machine, const std::function<Process(KernelPe)>& kernel) {
  return observe([&](const RunSettings& settings) { return run_kernel(machine, kernel, settings); });
}

inline Observed simulate_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
                              bool verify = false) {
  return observe([&](RunSettings settings) {
    settings.verify = verify;
    return run_gemm(machine, problem, variant, settings);
  });
}

/// Of a run without records, which may be counted on where it repeats itself (adr/0047).
inline RunResult totals_of_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant) {
  return from_text(forked([&] { return to_text(run_gemm(machine, problem, variant), {}); })).result;
}

inline Observed simulate_math(const MachineSpec& machine, const MathProblem& problem, bool verify = false) {
  return observe([&](RunSettings settings) {
    settings.verify = verify;
    return run_math(machine, problem, settings);
  });
}

/// What `work` throws; "" where it does not.
inline std::string failure_of(const std::function<void()>& work) {
  try {
    work();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace kernbench
