#include "sim/hw/pe/vector_unit.hpp"

#include <algorithm>

namespace kernbench {

Process VectorUnit::run() {
  const Picoseconds latency = spec().clock.time_for(spec().vector.latency_cycles);
  Picoseconds ready{};
  std::int64_t sums_taken = 0;
  for (;;) {
    ArrayResult result = co_await pipeline_.to_vector.pop(free_at_);
    if (result.partial) {
      if (result.first) {
        co_await pipeline_.sums.acquire(1);
        ++sums_taken;
      }
      result.sum = (sums_taken - 1) % spec().mac.accumulators;
    }
    if (result.vector_cycles == 0) {  // it has only waited for the results before it
      pipeline_.to_store.push(result, std::max(ready, now()));
      continue;
    }
    while (free_at_ > now()) co_await pipeline_.calendar.until(free_at_);  // taken by a message meanwhile
    free_at_ = now() + spec().clock.time_for(result.vector_cycles);
    ready = free_at_ + latency;
    log_.record({now(), free_at_, 0, 0, result.output.tile, result.composite});
    observe(ready, [result](DataPath& data) { data.transformed(result); });
    if (result.partial) pipeline_.partials.release(1, ready);
    if (result.last) pipeline_.to_store.push(result, ready);
  }
}

VectorUnit::Service VectorUnit::process(std::int64_t elements, Picoseconds not_before) {
  const Picoseconds start = std::max(not_before, free_at_);
  free_at_ = start + spec().clock.time_for(ceil_div(elements, spec().vector.lanes));
  log_.record({start, free_at_});
  return {free_at_, free_at_ + spec().clock.time_for(spec().vector.latency_cycles)};
}

}  // namespace kernbench
