// Memories: HBM controllers (4.2 to 4.6, 4.15 to 4.17) and SRAMs (19.7).
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "tests/collectives_calculator/calendar.hpp"
#include "tests/collectives_calculator/machine.hpp"

namespace calc {

struct Access {
  bool write = false;
  int asker = 0;           // the number of the node that asks
  std::int64_t order = 0;  // of issue
  std::int64_t burst = 0;  // the first one
  int bursts = 1;
  Bytes bytes = 0;
  // A read: when its data are ready. A write: when it has been taken in (HBM) or served (SRAM), and when its room at
  // the port begins its way back. Called ahead of time.
  std::function<void(Time ready)> ready;
  std::function<void(Time done, Time room)> taken;
};

class Memory {
 public:
  explicit Memory(Calendar& calendar) : calendar_(calendar) {}
  virtual ~Memory() = default;
  void arrive(Access access, Time at);  // a request to read, or a write's tail

 protected:
  virtual void read(Access& access) = 0;
  virtual void write(Access& access) = 0;
  virtual void settle() {}  // after all that arrived at an instant
  void wake(Time at);       // settles then

  Calendar& calendar_;

 private:
  void decide();
  std::vector<Access> arrived_;
  Time pending_ = never;  // the next settling
};

class Sram : public Memory {
 public:
  Sram(Calendar& calendar, const Machine& machine) : Memory(calendar), machine_(machine) {}

 private:
  void read(Access& access) override { access.ready(serve(access.bytes) + machine_.sram_latency); }
  void write(Access& access) override {
    const Time end = serve(access.bytes);
    access.taken(end + machine_.sram_latency, end);
  }
  Time serve(Bytes bytes);

  const Machine& machine_;
  Time free_ = 0;
};

class Hbm : public Memory {
 public:
  Hbm(Calendar& calendar, const Machine& machine);

 private:
  struct Channel {
    Time end = 0;           // of the last burst put on it
    int last = -1;          // its kind: -1 none, 0 read, 1 write
    int waiting = 0;        // write bursts not yet put on the channel
    std::deque<Time> ends;  // of write bursts put on it, which still take room in the queue
  };
  void read(Access& access) override;
  void write(Access& access) override { outside_.push_back(std::move(access)); }
  void settle() override;
  Time free_for(const Channel& channel, int kind) const;
  Time put(Channel& channel, int kind);
  void put_batch(Channel& channel);
  Channel& channel_of(std::int64_t burst) { return channels_[burst % machine_.pseudo_channels]; }
  bool room(const Access& access);

  const Machine& machine_;
  Time burst_time_;
  std::vector<Channel> channels_;
  std::deque<Access> outside_;  // writes that have arrived and are not yet taken in
};

}  // namespace calc
