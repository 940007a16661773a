#include "sim/engine/systemc_kernel.hpp"

#include <systemc>
#include <utility>

namespace kernbench {

void renew_systemc() {
  // An event of the library's own, made when it was loaded and destroyed at exit, belongs to the first kernel.
  static const sc_core::sc_simcontext* const first = sc_core::sc_curr_simcontext;
  sc_core::sc_simcontext* const old =
      std::exchange(sc_core::sc_curr_simcontext, nullptr);  // the next is made on demand
  sc_core::sc_default_global_context = nullptr;
  if (old != first) delete old;
}

}  // namespace kernbench
