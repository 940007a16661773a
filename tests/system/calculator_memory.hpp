// The calculator's memory system: links, pseudo-channels and the two DMA engines of a PE (ADR-0004).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "tests/system/calculator.hpp"
#include "tests/system/calculator_layout.hpp"

namespace kernbench::calculator {

/// A time that depends on something not calculated yet. It is larger than every time, so that a maximum of unknown
/// and known times is unknown.
inline constexpr Time kUnknown = std::numeric_limits<Time>::max();

/// When the first and the last byte of a packet are somewhere.
struct Span {
  Time head = 0;
  Time tail = 0;
};

/// 4.7, and TCM ports (4.8) with a latency of 0.
class Link {
 public:
  Link(Bandwidth bandwidth, Time latency) : bandwidth_(bandwidth), latency_(latency) {}
  Span cross(Span in, Bytes bytes);

 private:
  Bandwidth bandwidth_;
  Time latency_;
  Time free_ = 0;
};

/// 4.5, 4.6, 4.15 and 4.16. Calls come in the order of their times, at one instant reads first (4.17).
class PseudoChannels {
 public:
  explicit PseudoChannels(const HbmSpec& hbm);
  /// A read arrives; returns when it has been served.
  Time read(const Packet& packet, Time arrival);
  /// When a write that may be taken in from `from` on is taken in (4.16).
  Time room(const Packet& packet, Time from);
  /// Takes a write in.
  void take(const Packet& packet, Time at);

 private:
  enum class Kind { kNone, kRead, kWrite };
  struct Write {
    Time taken = 0;
    Time end = kUnknown;  ///< on its channel
  };
  struct Channel {
    Time busy_until = 0;
    Kind last = Kind::kNone;
    std::vector<Write> writes;  ///< all there ever were
    std::size_t begun = 0;      ///< of them
  };
  /// A packet's bursts on one channel.
  struct Share {
    Channel* channel;
    std::int64_t bursts;
  };
  std::vector<Share> shares(const Packet& packet);
  /// Puts a burst on its channel, at the earliest at `from`; returns its end.
  Time put(Channel& channel, Kind kind, Time from) const;
  [[nodiscard]] Time begin(const Channel& channel, Kind kind, Time from) const;
  /// What happens to the writes that wait on a channel in which nothing comes before `until` (4.15).
  void idle(Channel& channel, Time until) const;

  Time burst_time_;
  Time turnaround_;
  std::size_t batch_;
  std::size_t queue_;
  std::vector<Channel> channels_;
};

struct Transfer {
  std::vector<Packet> packets;
  Bytes bytes = 0;  ///< valid ones
  Time submitted = 0;
  std::size_t issued = 0;      ///< packets, of packets.size()
  std::size_t served = 0;      ///< packets
  Time taken_up = kUnknown;    ///< 4.11
  Time last_issue = kUnknown;  ///< of its last packet
  Time left_port = kUnknown;   ///< writes: the tail of the last packet has left the TCM (5.9)
  Time latest_done = 0;        ///< of the packets served
  [[nodiscard]] Time done() const { return served == packets.size() ? latest_done : kUnknown; }
};

/// 4.11 and 4.12, reader or writer. Packets are issued as far as what is known allows, and wait for service.
class DmaEngine {
 public:
  DmaEngine(const MachineSpec& machine, bool write);

  void submit(std::vector<Packet> packets, Bytes bytes, Time at);
  /// Issues the next packet if the time of its issue can be told; false otherwise.
  bool issue_next();
  /// Arrival at the controller of the first packet that has not been served.
  [[nodiscard]] Time next_arrival() const;
  /// When it is its turn: a read when it arrives, a write when it is taken in.
  [[nodiscard]] Time next_turn(PseudoChannels& channels) const;
  /// Serves that packet, or takes it in.
  void serve_next(PseudoChannels& channels);

  [[nodiscard]] const std::vector<Transfer>& transfers() const { return transfers_; }

 private:
  struct Waiting {
    std::size_t transfer = 0;
    Packet packet;
    Time arrival = 0;
  };

  const bool write_;
  const Bytes burst_;
  const Time setup_;
  const Time read_latency_;
  const Time distance_;  ///< 4.1
  Link first_link_;      ///< reads: memory -> router; writes: PE -> router
  Link second_link_;     ///< reads: router -> PE; writes: router -> memory
  Link port_;
  std::vector<Transfer> transfers_;
  std::size_t current_ = 0;  ///< the transfer whose packets are being issued
  Time last_issue_ = 0;
  std::int64_t credits_;
  Time last_taken_ = 0;                            ///< writes: those taken in so far
  std::multimap<Time, std::int64_t> coming_back_;  ///< credits of served packets, by the time of their return
  std::vector<Waiting> waiting_;                   ///< issued packets, those from first_waiting_ on not served
  std::size_t first_waiting_ = 0;
};

}  // namespace kernbench::calculator
