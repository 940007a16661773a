#include "sim/hw/message/scoreboard.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace kernbench {

Scoreboard::Scoreboard(Calendar& calendar, std::string name) : calendar_(calendar), name_(std::move(name)) {
  calendar.enroll(*this);
}

Scoreboard::Read& Scoreboard::open(Address first, Bytes bytes) {
  forget_what_is_over();
  longest_ = std::max(longest_, bytes);
  const auto place = reads_.emplace(first, std::make_unique<Read>(*this, first, bytes));
  place->second->place_ = place;
  return *place->second;
}

void Scoreboard::forget_what_is_over() {
  for (; !over_.empty() && over_.front().first <= calendar_.now(); over_.pop_front()) {
    reads_.erase(over_.front().second);
  }
}

void Scoreboard::look_up(Wait& wait) {
  forget_what_is_over();
  // A read that reaches into the range begins less than the longest one's length before it.
  const auto last = reads_.lower_bound(wait.end);
  for (auto place = reads_.upper_bound(wait.first - longest_); place != last; ++place) {
    Read& read = *place->second;
    if (read.end_ <= wait.first) continue;
    const Address to = std::min(read.end_, wait.end);
    if (read.read_to_ < to) {
      read.waiters_.push_back({to, &wait});
      ++wait.unknown;
      continue;
    }
    const auto piece = std::ranges::find_if(read.pieces_, [to](const Read::Piece& some) { return some.to >= to; });
    // Where that piece begins behind `to`, the one before it is over, and forgotten.
    if (piece != read.pieces_.end() && piece->from < to) wait.at = std::max(wait.at, piece->at);
  }
}

void Scoreboard::Read::transferred(const Transfer& transfer, Picoseconds at) {
  const Picoseconds now = board_.calendar_.now();
  const Address from = read_to_;
  read_to_ += transfer.bytes;
  KB_CHECK(read_to_ <= end_, board_.name_ + ": more is read of a message than it has");
  if (!pieces_.empty()) at = std::max(at, pieces_.back().at);  // all before this piece, too
  std::erase_if(pieces_, [now](const Piece& piece) { return piece.at <= now; });
  pieces_.push_back({from, read_to_, at});
  std::erase_if(waiters_, [&](const Waiter& waiter) {
    if (waiter.to > read_to_) return false;
    Wait& wait = *waiter.wait;
    wait.at = std::max(wait.at, at);
    if (--wait.unknown == 0) board_.calendar_.schedule(wait.process, wait.at);
    return true;
  });
  if (read_to_ == end_) board_.over_.emplace_back(at, place_);
}

std::string Scoreboard::waiting() const {
  for (const auto& [first, read] : reads_) {
    if (read->waiters_.empty()) continue;
    return name_ + ": who overwrites it up to byte " + std::to_string(read->waiters_.front().to - 1) +
           " waits for an earlier send, which has read it up to byte " + std::to_string(read->read_to_ - 1);
  }
  return {};
}

}  // namespace kernbench
