// `tlm_simple`: a memory written for TLM-2.0 alone, and what makes it a memory model (docs/memory-models.md).
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <systemc>
#include <tlm>

#include "sim/hw/memory/tlm_memory.hpp"

namespace kernbench {

namespace {

/// Serves one transaction after the other, each for `service`; its response follows `latency` later. Knows nothing of
/// kernbench.
class SimpleMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<SimpleMemory> socket;

  SimpleMemory(const sc_core::sc_module_name& name, sc_dt::uint64 size, const sc_core::sc_time& service,
               const sc_core::sc_time& latency)
      : sc_module(name), socket("socket"), size_(size), service_(service), latency_(latency) {
    socket.register_b_transport(this, &SimpleMemory::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    if (transaction.get_address() + transaction.get_data_length() > size_) {
      transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    free_at_ = std::max(free_at_, sc_core::sc_time_stamp() + delay) + service_;
    delay = free_at_ + latency_ - sc_core::sc_time_stamp();
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  sc_dt::uint64 size_;
  sc_core::sc_time service_;
  sc_core::sc_time latency_;
  sc_core::sc_time free_at_;
};

sc_core::sc_time to_systemc(Picoseconds time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time.value));
}

/// A burst a transaction, at the partition's whole bandwidth; reads and writes alike.
class SimplePartition : public TlmMemory {
 public:
  SimplePartition(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec)
      : TlmMemory(name, calendar, spec, TlmCoding::kLooselyTimed),
        memory_("memory", static_cast<sc_dt::uint64>(spec.capacity), to_systemc(spec.bandwidth.time_for(spec.burst)),
                to_systemc(spec.read_latency)) {
    connect(memory_.socket);
  }

 private:
  SimpleMemory memory_;
};

const RegisterMemoryModel kSimple({"tlm_simple", "one server of die.hbm.bandwidth, then die.hbm.read_latency (TLM-2.0)",
                                   make_partition<SimplePartition>});

}  // namespace

}  // namespace kernbench
