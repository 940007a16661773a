#include "sim/hw/pe/vector_unit.hpp"

#include <algorithm>

namespace kernbench {

Process VectorUnit::run() {
  Picoseconds ready{};
  std::int64_t sums_taken = 0;
  for (;;) {
    ArrayResult result = co_await pipeline_.to_vector.pop();
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
    co_await server_.serve(spec().clock.time_for(result.vector_cycles), 0, result.output.tile, result.composite);
    ready = now() + latency();
    observe(ready, [result](PeValues& values) { values.transformed(result); });
    if (result.partial) pipeline_.partials.release(1, ready);
    if (result.last) pipeline_.to_store.push(result, ready);
  }
}

}  // namespace kernbench
