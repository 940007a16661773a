// What the adapter to a foreign memory sends: generic payloads that know whose they are, used again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <tlm>
#include <vector>

#include "sim/hw/memory/memory_port.hpp"

namespace kernbench {

/// An access that a foreign memory has been asked for, or is about to be, by one transaction or several.
struct TlmRequest {
  MemoryAccess access;
  std::int64_t not_taken = 0;     ///< transactions whose request has not ended
  std::int64_t not_answered = 0;  ///< transactions without a response
};

/// As far as the base protocol has come with a transaction.
enum class TlmProgress : std::uint8_t { kWaiting, kRequested, kTaken, kResponding, kDone };

class TlmTransaction : public tlm::tlm_generic_payload {
 public:
  TlmTransaction(tlm::tlm_mm_interface& pool, const void* sender, std::size_t bytes)
      : tlm_generic_payload(&pool), sender_(sender), data_(bytes) {}

  /// Makes it a transaction that nobody has seen yet; data are zeros (29.14).
  void begin(tlm::tlm_command command, std::uint64_t address, std::size_t bytes) {
    set_command(command);
    set_address(address);
    data_.assign(bytes, 0);
    set_data_ptr(data_.data());
    set_data_length(static_cast<unsigned>(bytes));
    set_streaming_width(static_cast<unsigned>(bytes));
    set_byte_enable_ptr(nullptr);
    set_dmi_allowed(false);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    progress = TlmProgress::kWaiting;
    taken = false;
    taken_at = sc_core::SC_ZERO_TIME;
  }

  [[nodiscard]] const void* sender() const { return sender_; }

  TlmRequest* request = nullptr;
  std::int64_t number = 0;  ///< in the order of sending
  TlmProgress progress = TlmProgress::kWaiting;
  bool taken = false;         ///< the memory said when its request ends
  sc_core::sc_time taken_at;  ///< that time

 private:
  const void* sender_;
  std::vector<unsigned char> data_;
};

/// The transactions of one sender. A memory may hold one after it has answered (acquire, release): it comes back when
/// nobody does any more.
class TlmPool : public tlm::tlm_mm_interface {
 public:
  explicit TlmPool(const void* sender) : sender_(sender) {}

  TlmTransaction& take(std::size_t bytes) {
    if (free_.empty()) free_.push_back(&all_.emplace_back(*this, sender_, bytes));
    TlmTransaction& transaction = *free_.back();
    free_.pop_back();
    transaction.acquire();
    return transaction;
  }

  void free(tlm::tlm_generic_payload* transaction) override {
    transaction->reset();
    free_.push_back(dynamic_cast<TlmTransaction*>(transaction));
  }

 private:
  const void* sender_;
  std::deque<TlmTransaction> all_;
  std::vector<TlmTransaction*> free_;
};

}  // namespace kernbench
