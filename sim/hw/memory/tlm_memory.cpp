// Our side: arrivals become transactions, and what the memory says of them is heard at its time.
#include "sim/hw/memory/tlm_memory.hpp"

#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench {

TlmMemory::TlmMemory(const sc_core::sc_module_name& name, Calendar& calendar, const HbmSpec& spec, TlmCoding coding,
                     TlmGrain grain)
    : sc_module(name),
      calendar_(calendar),
      burst_(spec.burst),
      coding_(coding),
      grain_(grain),
      pool_(this),
      responses_("responses"),
      said_(calendar, std::string(this->name()) + ".said"),
      alarm_(calendar, [this] { serve(); }),
      hearing_(hear()) {
  SC_METHOD(send);
  sensitive << something_to_send_;
  dont_initialize();
  SC_METHOD(respond);
  sensitive << responses_.get_event();
  dont_initialize();
  SC_METHOD(look_for_silence);
  sensitive << silence_;
  dont_initialize();
  calendar.end_when_idle();
  calendar.enroll(*this);
  hearing_.start(calendar);
}

void TlmMemory::read(const MemoryAccess& access, Picoseconds arrival) { take({access, Access::kRead, arrival}); }

void TlmMemory::write(const MemoryAccess& access, Flight arrival) { take({access, Access::kWrite, arrival.tail}); }

void TlmMemory::take(const MemoryRequest& request) {
  alarm_.at(request.arrival);
  arrivals_.push(request);
}

void TlmMemory::serve() {
  const Picoseconds now = calendar_.now();
  while (arrivals_.there(now)) begin(arrivals_.pop());
  if (arrivals_.next() != kForever) alarm_.at(arrivals_.next());
  if (!to_send_.empty()) calendar_.notify(something_to_send_, now);
}

void TlmMemory::begin(const MemoryRequest& request) {
  const bool reads = request.kind == Access::kRead;
  const Packet packet = request.access.at_controller();
  bursts_ += packet.bursts;
  calendar_.owe();
  const std::int64_t count = grain_ == TlmGrain::kBurst ? packet.bursts : 1;
  const Bytes bytes = packet.bursts / count * burst_;
  TlmRequest& added = (reads ? reads_ : writes_).emplace_back(TlmRequest{request.access, count, count});
  for (std::int64_t i = 0; i < count; ++i) {
    TlmTransaction& transaction = pool_.take(static_cast<std::size_t>(bytes));
    transaction.begin(reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                      static_cast<std::uint64_t>(packet.first_burst * burst_ + i * bytes),
                      static_cast<std::size_t>(bytes));
    transaction.request = &added;
    transaction.number = sent_++;
    to_send_.push_back(&transaction);
  }
}

Process TlmMemory::hear() {
  for (;;) {
    const Word word = co_await said_.pop();
    if (!word.failure.empty()) {
      throw SimulationError("memory " + std::string(name()) + " at " + std::to_string(calendar_.now().value) +
                            " ps: " + word.failure);
    }
    if (word.answers) {
      answered(*word.transaction, calendar_.now());
    } else {
      taken(*word.transaction, calendar_.now());
    }
  }
}

/// The data of a write leave the port when the last of its transactions has been taken (29.10).
void TlmMemory::taken(const TlmTransaction& transaction, Picoseconds at) {
  TlmRequest& request = *transaction.request;
  if (--request.not_taken == 0) request.access.route->taken(request.access, at);
}

void TlmMemory::answered(TlmTransaction& transaction, Picoseconds at) {
  TlmRequest& answered = *transaction.request;
  transaction.release();
  if (--answered.not_answered > 0) return;
  ++answers_;
  calendar_.settle();
  for (; !reads_.empty() && reads_.front().not_answered == 0; reads_.pop_front()) {
    const MemoryAccess access = reads_.front().access;
    access.route->answer(access, at);
  }
  for (; !writes_.empty() && writes_.front().not_answered == 0; writes_.pop_front()) {
    const MemoryAccess access = writes_.front().access;
    access.client->written(access, at);
  }
}

std::string TlmMemory::waiting() const {
  const std::size_t count = reads_.size() + writes_.size();
  if (count == 0) return {};
  const bool reads = !reads_.empty();
  const Packet first = (reads ? reads_ : writes_).front().access.at_controller();
  return std::string(name()) + ": no answer to " + std::to_string(count) + " accesses, the first " +
         (reads ? "a read" : "a write") + " at address " + std::to_string(first.first_burst * burst_);
}

}  // namespace kernbench
