// Which elements of a buffer its rank's sends have still to read: who overwrites them waits for that (adr/0019, 19.16).
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/calendar.hpp"
#include "sim/hw/pe/transfer.hpp"

namespace kernbench {

/// Of one buffer. Reads come from its start to its end; several may go on at once, over the same bytes, too.
class Scoreboard : public Waitable {
 public:
  Scoreboard(Calendar& calendar, std::string name);

  /// One who reads: tell it each transfer that takes a piece, in their order.
  class Read;
  /// Bytes [first, first + bytes) are to be read, piece by piece, from now on. What is returned is there until the last
  /// piece has been read.
  Read& open(Address first, Bytes bytes);

  /// Awaitable: goes on when all reads opened before now have read what they have to of [first, first + bytes). Costs
  /// no wake-up where they have.
  [[nodiscard]] auto clear(Address first, Bytes bytes) { return Wait{*this, first, first + bytes}; }

  [[nodiscard]] std::string waiting() const override;

 private:
  struct Wait {
    Scoreboard& board;
    Address first = 0;
    Address end = 0;
    std::coroutine_handle<> process{};
    std::int64_t unknown = 0;  ///< reads whose times are not known yet
    Picoseconds at{};          ///< when the others are over

    [[nodiscard]] bool await_ready() {
      board.look_up(*this);
      return unknown == 0 && at <= board.calendar_.now();
    }
    void await_suspend(std::coroutine_handle<> waiter) {
      process = waiter;
      if (unknown == 0) board.calendar_.schedule(process, at);
    }
    void await_resume() const {}
  };

  void look_up(Wait& wait);
  void forget_what_is_over();

  using Reads = std::multimap<Address, std::unique_ptr<Read>>;  // by their first byte
  Calendar& calendar_;
  std::string name_;
  Reads reads_;
  Bytes longest_ = 0;
  std::deque<std::pair<Picoseconds, Reads::iterator>> over_;  // reads whose last piece has a time
};

class Scoreboard::Read : public TransferListener {
 public:
  Read(Scoreboard& board, Address first, Bytes bytes) : board_(board), read_to_(first), end_(first + bytes) {}

  /// The next piece has been read at `at`, now or later.
  void transferred(const Transfer& transfer, Picoseconds at) override;

 private:
  friend Scoreboard;
  /// Bytes [from, to), and all of the message before them, have been read at `at`.
  struct Piece {
    Address from = 0;
    Address to = 0;
    Picoseconds at;
  };
  /// Somebody waits until all before `to` has been read.
  struct Waiter {
    Address to;
    Wait* wait;
  };

  Scoreboard& board_;
  Reads::iterator place_;
  Address read_to_;
  Address end_;
  std::vector<Piece> pieces_;  // that are being read at known times, in their order
  std::vector<Waiter> waiters_;
};

}  // namespace kernbench
