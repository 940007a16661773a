#include "sim/hw/pe/vector_unit.hpp"

namespace kernbench {

Process VectorUnit::run() {
  const Picoseconds latency = spec().clock.time_for(spec().vector.latency_cycles);
  Picoseconds free_at{};
  std::int64_t sums_taken = 0;
  for (;;) {
    ArrayResult result = co_await pipeline_.to_vector.pop(free_at);
    if (result.partial) {
      if (result.first) {
        co_await pipeline_.sums.acquire(1);
        ++sums_taken;
      }
      result.sum = (sums_taken - 1) % spec().mac.accumulators;
    }
    free_at = now() + spec().clock.time_for(result.vector_cycles);
    const Picoseconds ready = free_at + latency;
    log_.record({now(), free_at, 0, 0, result.output.tile, result.composite});
    observe(ready, [result](DataPath& data) { data.transformed(result); });
    if (result.partial) pipeline_.partials.release(1, ready);
    if (result.last) pipeline_.to_store.push(result, ready);
  }
}

}  // namespace kernbench
