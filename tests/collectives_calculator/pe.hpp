// What several threads of a PE share: servers, DMA engines, TCM ports (4.7, 4.8, 4.11, 4.12, 19.12).
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <set>

#include "tests/collectives_calculator/calendar.hpp"

namespace calc {

// A TCM port: a link of latency 0 (4.7, 4.8).
class TcmPort {
 public:
  explicit TcmPort(std::int64_t bandwidth) : bandwidth_(bandwidth) {}

  // Returns when head and tail have left the port.
  std::pair<Time, Time> pass(Time head, Time tail, Bytes bytes) {
    const Time start = std::max(head, free_);
    free_ = std::max(start + duration(bytes, bandwidth_), tail);
    return {start, free_};
  }

 private:
  std::int64_t bandwidth_;
  Time free_ = 0;
};

// 1.18: serves in the order of asking, of one instant the lower turn first. Control processor and vector unit.
class Server {
 public:
  using Action = Calendar::Action;
  explicit Server(Calendar& calendar) : calendar_(calendar) {}

  void ask(int turn, Time service, Action then) {
    if (service == 0) return then();  // 1.18: served at once
    asking_.insert({calendar_.now(), turn, asked_++, service, std::move(then)});
    if (!busy_) choose_later();
  }

 private:
  struct Asker {
    Time since;
    int turn;
    std::int64_t order;
    Time service;
    mutable Action then;
    bool operator<(const Asker& other) const {
      return std::tie(since, turn, order) < std::tie(other.since, other.turn, other.order);
    }
  };
  void choose_later() {
    calendar_.at(calendar_.now(), Phase::choosing, [this] { choose(); });
  }
  void choose() {
    if (busy_ || asking_.empty()) return;
    busy_ = true;
    Asker asker = std::move(asking_.extract(asking_.begin()).value());
    calendar_.at(calendar_.now() + asker.service, [this, then = std::move(asker.then)] {
      busy_ = false;
      choose_later();
      then();
    });
  }

  Calendar& calendar_;
  std::set<Asker> asking_;
  std::int64_t asked_ = 0;
  bool busy_ = false;
};

// What a transfer is for decides its turn at one instant (19.12).
enum class Purpose { operand = 0, landed = 1, outgoing = 2, result = 0, posted = 1 };

struct Transfer {
  Purpose purpose = Purpose::posted;
  int queue = 0;
  std::int64_t piece = 0;
  int packets = 1;
  std::function<int(int packet)> credits;  // of the engine, that a packet needs
  std::function<void(int packet)> issue;
};

class DmaEngine {
 public:
  DmaEngine(Calendar& calendar, Time setup, int credits) : calendar_(calendar), setup_(setup), credits_(credits) {}

  void submit(Transfer transfer, Time at) {
    calendar_.at(at, [this, transfer = std::move(transfer)]() mutable {
      waiting_.insert({calendar_.now(), std::move(transfer)});
      if (!busy_) choose_later();
    });
  }

  void release(int credits, Time at) {  // 4.12
    calendar_.at(at, [this, credits] {
      credits_ += credits;
      if (issuing_) issue();
    });
  }

 private:
  struct Waiting {
    Time since;
    mutable Transfer transfer;
    bool operator<(const Waiting& other) const {
      const Transfer &a = transfer, &b = other.transfer;
      return std::tie(since, a.purpose, a.queue, a.piece) < std::tie(other.since, b.purpose, b.queue, b.piece);
    }
  };
  void choose_later() {
    calendar_.at(calendar_.now(), Phase::choosing, [this] { choose(); });
  }
  void choose() {  // 4.11
    if (busy_ || waiting_.empty()) return;
    busy_ = true;
    current_ = std::move(waiting_.extract(waiting_.begin()).value().transfer);
    next_ = 0;
    calendar_.at(calendar_.now() + setup_, [this] {
      issuing_ = true;
      issue();
    });
  }
  void issue() {
    while (next_ < current_.packets) {
      const int needed = current_.credits ? current_.credits(next_) : 0;
      if (needed > credits_) return;
      credits_ -= needed;
      current_.issue(next_++);
    }
    issuing_ = busy_ = false;
    choose_later();
  }

  Calendar& calendar_;
  Time setup_;
  int credits_;
  std::multiset<Waiting> waiting_;
  Transfer current_;
  int next_ = 0;
  bool busy_ = false, issuing_ = false;
};

}  // namespace calc
