#include "sim/plan/mapped_program.hpp"

namespace kernbench {

std::vector<MappedCall> MappedProgram::next() {
  using What = MappedCall::What;
  std::vector<MappedCall> calls;
  const std::int64_t step = step_++;
  start_loads(step, over_, calls);
  if (step == 0) {
    for (const BlockOf what : {BlockOf::kA, BlockOf::kB}) {
      const bool loaded = what == BlockOf::kA ? loaded_.a : loaded_.b;
      if (!loaded) calls.push_back({What::kRef, static_cast<std::int64_t>(what)});
    }
  }
  for (; awaited_ < loads_.size() && loads_[awaited_].step == step; ++awaited_) {
    calls.push_back({What::kWaitForLoad, static_cast<std::int64_t>(awaited_)});
  }
  calls.push_back({What::kMultiply, step});
  start_loads(step, step - 1, calls);
  return calls;
}

void MappedProgram::start_loads(std::int64_t needed, std::int64_t before, std::vector<MappedCall>& calls) {
  for (; started_ < loads_.size(); ++started_) {
    const BlockLoad& load = loads_[started_];
    if (load.step > needed && load.after > before) return;
    if (load.after > over_) {
      over_ = load.after;
      calls.push_back({MappedCall::What::kWaitForStep, over_});
    }
    calls.push_back({MappedCall::What::kLoad, static_cast<std::int64_t>(started_)});
  }
}

}  // namespace kernbench
