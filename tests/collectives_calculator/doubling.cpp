// recursive_doubling and halving_doubling (18.5).
#include "tests/collectives_calculator/schedule.hpp"

namespace calc {
namespace {

// The first n - P pairs of ranks share a seat; the odd rank of a pair is a guest.
struct Seats {
  int ranks, count = 1, pairs = 0;
  explicit Seats(int n) : ranks(n) {
    while (2 * count <= n) count *= 2;
    pairs = n - count;
  }
  int host(int seat) const { return seat < pairs ? 2 * seat : seat + pairs; }
  int guest(int seat) const { return seat < pairs ? 2 * seat + 1 : -1; }
  int seat(int rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
  bool is_guest(int rank) const { return rank < 2 * pairs && rank % 2 == 1; }
};

// The seats of a group of d that contains seat s.
Range group(int s, int d) { return {s / d * d, d}; }

class Doubling {
 public:
  Doubling(const Request& request, int ranks) : request_(request), seats_(ranks), whole_{0, request.count} {}

  void plan(Ranks& ranks) {
    const int n = seats_.ranks;
    for (int rank = 0; rank < n; ++rank) {
      // broadcast: ranks are shifted so that the root has seat 0
      const int shift = request_.collective == "broadcast" || request_.collective == "reduce" ? request_.root : 0;
      shift_ = shift;
      const int shifted = (rank + n - shift) % n;
      Steps steps(ranks[rank].emplace_back(), request_.chunk);
      if (n == 1) continue;
      if (seats_.is_guest(shifted))
        plan_guest(steps, shifted);
      else if (request_.algorithm == "recursive_doubling")
        plan_recursive(steps, seats_.seat(shifted));
      else
        plan_halving(steps, seats_.seat(shifted));
    }
  }

 private:
  int rank_of(int shifted) const { return (shifted + shift_) % seats_.ranks; }
  int host(int seat) const { return rank_of(seats_.host(seat)); }
  bool sums() const { return request_.collective != "all_gather" && request_.collective != "broadcast"; }

  // The data of seats: in reduce_scatter and all_gather the blocks of their ranks, else balanced blocks, one a seat.
  Range blocks(const Range& seats) const {
    const bool own = request_.collective == "reduce_scatter" || request_.collective == "all_gather";
    const auto of = [&](std::int64_t seat, bool last) {
      if (!own) return block(whole_, seats_.count, seat);
      const int s = static_cast<int>(seat), guest = seats_.guest(s);
      return block(whole_, seats_.ranks, last && guest >= 0 ? guest : seats_.host(s));
    };
    const std::int64_t begin = of(seats.begin, false).begin;
    return {begin, of(seats.end() - 1, true).end() - begin};
  }

  void plan_guest(Steps& steps, int guest) {
    const int partner = rank_of(guest - 1);
    const Range own = block(whole_, seats_.ranks, guest);
    const std::string& what = request_.collective;
    if (what == "all_gather")
      steps.send(partner, own);
    else if (sums())
      steps.send(partner, whole_);
    if (what == "all_gather") {  // what precedes its block, then what follows it
      steps.take(StepKind::receive, partner, {0, own.begin});
      steps.take(StepKind::receive, partner, {own.end(), request_.count - own.end()});
    } else if (what == "reduce_scatter") {
      steps.take(StepKind::receive, partner, own);
    } else if (what != "reduce") {
      steps.take(StepKind::receive, partner, whole_);
    }
  }

  void from_guest(Steps& steps, int seat) {
    const int guest = seats_.guest(seat);
    if (guest < 0) return;
    if (request_.collective == "all_gather")
      steps.take(StepKind::receive, rank_of(guest), block(whole_, seats_.ranks, guest));
    else if (sums())
      steps.take(StepKind::reduce, rank_of(guest), whole_);
  }

  void to_guest(Steps& steps, int seat) {
    const int guest = seats_.guest(seat);
    if (guest < 0 || request_.collective == "reduce") return;
    const Range own = block(whole_, seats_.ranks, guest);
    if (request_.collective == "all_gather") {
      steps.send(rank_of(guest), {0, own.begin});
      steps.send(rank_of(guest), {own.end(), request_.count - own.end()});
    } else {
      steps.send(rank_of(guest), request_.collective == "reduce_scatter" ? own : whole_);
    }
  }

  void double_up(Steps& steps, int s) {
    for (int d = 1; d < seats_.count; d *= 2) {
      steps.send(host(s ^ d), blocks(group(s, d)));
      steps.take(StepKind::receive, host(s ^ d), blocks(group(s ^ d, d)));
    }
  }

  void plan_recursive(Steps& steps, int s) {
    if (request_.collective == "all_gather") {
      from_guest(steps, s);
      double_up(steps, s);
      to_guest(steps, s);
      return;
    }
    // all_reduce: each chunk reduced is passed on to the next exchange, or the guest
    const int guest = seats_.guest(s), last = seats_.count / 2;
    if (guest < 0)
      steps.send(host(s ^ 1), whole_);
    else
      steps.pass(StepKind::reduce, {guest}, whole_, {host(s ^ 1)});
    for (int d = 1; d < seats_.count; d *= 2) {
      std::vector<int> to;
      if (d < last)
        to = {host(s ^ (2 * d))};
      else if (guest >= 0)
        to = {guest};
      steps.pass(StepKind::reduce, {host(s ^ d)}, whole_, to);
    }
  }

  void plan_halving(Steps& steps, int s) {
    const std::string& what = request_.collective;
    from_guest(steps, s);
    if (sums()) {
      for (int d = seats_.count / 2; d >= 1; d /= 2) {
        steps.send(host(s ^ d), blocks(group(s ^ d, d)));
        steps.take(StepKind::reduce, host(s ^ d), blocks(group(s, d)));
      }
    }
    if (what == "broadcast") {
      for (int d = seats_.count / 2; d >= 1; d /= 2) {
        if (s % (2 * d) == 0)
          steps.send(host(s + d), blocks({s + d, d}));
        else if (s % (2 * d) == d)
          steps.take(StepKind::receive, host(s - d), blocks({s, d}));
      }
    }
    if (what == "reduce") {
      for (int d = 1; d < seats_.count; d *= 2) {
        if (s % (2 * d) == 0)
          steps.take(StepKind::receive, host(s + d), blocks({s + d, d}));
        else if (s % (2 * d) == d)
          steps.send(host(s - d), blocks({s, d}));
      }
    } else if (what != "reduce_scatter") {
      double_up(steps, s);
    }
    to_guest(steps, s);
  }

  const Request& request_;
  Seats seats_;
  Range whole_;
  int shift_ = 0;
};

// recursive_doubling, broadcast and reduce: a binomial tree.
void plan_binomial(const Request& request, Ranks& ranks) {
  const int n = static_cast<int>(ranks.size());
  for (int rank = 0; rank < n; ++rank) {
    const int u = (rank + n - request.root) % n;
    const auto rank_at = [&](int v) { return (v + request.root) % n; };
    TreePlace place;
    if (u > 0) place.parent = rank_at(u & (u - 1));
    int below = 1;  // children: u + d for every d below u's lowest set bit
    while (below < n && (u & below) == 0) below *= 2;
    for (int d = below / 2; d >= 1; d /= 2)
      if (u + d < n) place.children.push_back(rank_at(u + d));
    Steps steps(ranks[rank].emplace_back(), request.chunk);
    (request.collective == "broadcast" ? tree_down : tree_up)(steps, place, {0, request.count});
  }
}

}  // namespace

void plan_recursive_doubling(const Request& request, Ranks& ranks) {
  if (request.collective == "broadcast" || request.collective == "reduce")
    plan_binomial(request, ranks);
  else
    Doubling(request, static_cast<int>(ranks.size())).plan(ranks);
}

void plan_halving_doubling(const Request& request, Ranks& ranks) {
  Doubling(request, static_cast<int>(ranks.size())).plan(ranks);
}

}  // namespace calc
