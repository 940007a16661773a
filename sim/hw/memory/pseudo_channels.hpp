// The pseudo-channels of one HBM partition: each does one burst after the other. Reads go ahead; writes are gathered,
// so that the channel seldom turns around between them (adr/0004).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/ring_buffer.hpp"
#include "sim/engine/repetition.hpp"
#include "sim/hw/link/sharing.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

enum class Access : std::uint8_t { kRead, kWrite };

/// ADR-0004, clauses 4.5, 4.6, 4.15 and 4.16. Calls come in the order of their times, at one instant reads first. When
/// a gathered write is done follows from what comes until then: it is worked out at the next call, so that it costs no
/// event of its own.
class PseudoChannels {
 public:
  explicit PseudoChannels(const HbmSpec& spec);

  /// Puts the bursts of a read that arrives at `arrival` on their channels; returns the end of its last burst.
  /// `contention`, if any, is told what that has waited for other users.
  Picoseconds read(const Packet& packet, Picoseconds arrival, std::int32_t user = 0, Picoseconds* contention = nullptr);

  /// What the bursts of a read take of channels that are free.
  [[nodiscard]] Picoseconds unhindered(const Packet& packet) const {
    return ceil_div(packet.bursts, static_cast<std::int64_t>(channels_.size())) * burst_time_;
  }

  /// The first instant, not before `at`, at which each channel of a write has room, if no write is taken in until then.
  [[nodiscard]] Picoseconds room_at(const Packet& packet, Picoseconds at);
  /// Takes a write in at `at`, when there is room for it.
  void write(const Packet& packet, Picoseconds at, std::int32_t user = 0);

  /// What it counts may be counted on (adr/0047).
  void follow(Repetition& repetition);
  /// Notes what is on its channels, and what waits for them, at `now`.
  void note_state(Repetition& repetition, Picoseconds now);
  /// Which channels a packet uses.
  [[nodiscard]] std::uint64_t of(const Packet& packet) const {
    const auto count = static_cast<std::int64_t>(channels_.size());
    return static_cast<std::uint64_t>(packet.bursts * count + packet.first_burst % count);
  }

  /// Bursts read and taken in.
  [[nodiscard]] std::int64_t bursts() const { return bursts_; }
  /// Time until `end` in which a channel was at work, all channels together, in ns; no read goes on then.
  [[nodiscard]] double busy_ns(Picoseconds end) const;

 private:
  /// Bursts that were taken in together.
  struct Writes {
    Picoseconds at;  ///< when
    std::int32_t user = 0;
    std::int64_t bursts = 0;
  };
  /// Bursts that follow each other without a gap.
  struct Run {
    Picoseconds first_end;
    std::int64_t bursts = 0;
  };
  struct Channel {
    Picoseconds free_at;  ///< end of what was put on it
    Access last = Access::kRead;
    bool used = false;
    Picoseconds busy;             ///< of the bursts put on it
    RingBuffer<Writes> gathered;  ///< that wait, in the order in which they were taken in
    RingBuffer<Run> under_way;    ///< writes put on the channel, those of the past perhaps included
    std::int64_t waiting = 0;     ///< bursts gathered
    std::int64_t going = 0;       ///< bursts under way
    Sharing sharing;
  };

  /// Calls `serve(channel, bursts)` for each channel that the packet has bursts on.
  template <class Serve>
  void for_each_channel(const Packet& packet, Serve serve);
  [[nodiscard]] Picoseconds start(const Channel& channel, Access access, Picoseconds from) const;
  /// Puts the gathered writes on the channel that begin before `end`, all of them where that is kForever.
  void begin_writes(Channel& channel, Picoseconds end) const;
  /// Forgets the writes that are over at `at`.
  void end_writes(Channel& channel, Picoseconds at) const;

  Picoseconds burst_time_;
  Picoseconds turnaround_;
  std::int64_t batch_;
  std::int64_t room_;
  std::int64_t bursts_ = 0;
  std::vector<Channel> channels_;
};

}  // namespace kernbench
