// The adapter to memories that speak TLM-2.0: each style of theirs beside a calculation by hand.
#include "sim/hw/memory/tlm_memory.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/hw/foreign_memory.hpp"

namespace kernbench::foreign {

namespace {

constexpr std::int64_t kNs = 1000;

auto loose(Latency latency, std::int64_t waits = 0, TlmGrain grain = TlmGrain::kBurst) {
  return [=](Calendar& calendar, Calls& calls) {
    return std::make_unique<Partition<Loose>>("hbm", calendar, TlmCoding::kLooselyTimed, grain, calls, latency, waits);
  };
}

auto phased(Latency latency, Phases phases, std::int64_t accept = 0) {
  return [=](Calendar& calendar, Calls& calls) {
    return std::make_unique<Partition<Phased>>("hbm", calendar, TlmCoding::kApproximatelyTimed, TlmGrain::kBurst, calls,
                                               latency, phases, accept);
  };
}

Latency always(std::int64_t latency) {
  return [latency](std::uint64_t /*address*/) { return latency; };
}

/// 7 ns, but the odd bursts come after 3 ns.
std::int64_t uneven(std::uint64_t address) { return address / 256 % 2 == 0 ? 7 * kNs : 3 * kNs; }

std::string answers_of(const std::string& dialogue) { return dialogue.substr(dialogue.find("--\n") + 3); }
std::string calls_of(const std::string& dialogue) { return dialogue.substr(0, dialogue.find("--\n")); }

std::vector<Ask> random_reads() {
  std::vector<Ask> asks;
  std::int64_t at = 0;
  const auto count = *rc::gen::inRange(1, 20);
  for (int i = 0; i < count; ++i) {
    at += *rc::gen::weightedElement<int>({{2, 0}, {2, 1}, {1, 999}, {1, 5000}});
    asks.push_back({true, {*rc::gen::inRange(0, 64), *rc::gen::inRange(1, 5)}, at, 0});
  }
  return asks;
}

/// What the clauses say of reads in the order of their arrival, where a burst of `address` that is sent at t lets the
/// next one be sent at t + gap and is answered at t + latency(address).
std::string calculated(const std::vector<Ask>& asks, std::int64_t gap, const Latency& latency) {
  std::string text;
  std::int64_t free = 0;
  std::int64_t answered = 0;
  for (const Ask& ask : asks) {
    for (std::int64_t burst = 0; burst < ask.packet.bursts; ++burst) {
      const std::int64_t sent = std::max(ask.at, free);
      free = sent + gap;
      const auto address = static_cast<std::uint64_t>((ask.packet.first_burst + burst) * 256);
      answered = std::max(answered, sent + latency(address));
    }
    text += std::to_string(answered) + " read " + std::to_string(ask.packet.first_burst) + "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("ADR-0029") {
  TEST_CASE("29.5 a request reaches the memory when SystemC's clock shows its arrival, not a picosecond earlier") {
    const std::string text = dialogue(
        loose(always(10)), {{true, {0, 1}, 999, 0}, {true, {1, 1}, 1000, 0}, {true, {2, 1}, 1'000'000'001, 0}});
    CHECK(calls_of(text) == "999 read 0 256\n1000 read 256 256\n1000000001 read 512 256\n");
    CHECK(answers_of(text) == "1009 read 0\n1010 read 1\n1000000011 read 2\n");
  }

  TEST_CASE("29.5 at one instant reads come first, then by the node that asks, then in the order of issue") {
    const std::vector<Ask> asks{{false, {0, 1}, 50, 1}, {true, {1, 1}, 50, 2}, {true, {2, 1}, 50, 1},
                                {true, {3, 1}, 50, 2},  {true, {4, 1}, 49, 3}, {false, {5, 1}, 50, 0}};
    const char* const kOrder =
        "49 read 1024 256\n50 read 512 256\n50 read 256 256\n50 read 768 256\n50 write 1280 256\n50 write 0 256\n";
    CHECK(calls_of(dialogue(loose(always(10)), asks)) == kOrder);
    CHECK(calls_of(dialogue(loose(always(10), 10), asks)) == kOrder);
    CHECK(calls_of(dialogue(phased(always(10), Phases::kCompleted), asks)) == kOrder);
  }

  TEST_CASE("29.6 a burst is a transaction, or a packet where the model says so") {
    CHECK(calls_of(dialogue(loose(always(10)), {{true, {5, 3}, 7, 0}})) ==
          "7 read 1280 256\n7 read 1536 256\n7 read 1792 256\n");
    CHECK(calls_of(dialogue(loose(always(10), 0, TlmGrain::kPacket), {{false, {5, 3}, 7, 0}})) == "7 write 1280 768\n");
  }

  TEST_CASE("29.7 an annotated delay counts from the call, to the picosecond") {
    CHECK(answers_of(dialogue(loose(always(12'345)), {{true, {0, 1}, 1, 0}})) == "12346 read 0\n");
    CHECK(answers_of(dialogue(loose(always(12'346)), {{true, {0, 1}, 1, 0}})) == "12347 read 0\n");
    CHECK(answers_of(dialogue(loose(always(0)), {{true, {0, 1}, 1, 0}})) == "1 read 0\n");
  }

  TEST_CASE("29.7 a memory that waits takes as long as one that annotates, and holds up nobody else's call") {
    for (const std::int64_t waits : {std::int64_t{0}, std::int64_t{1}, 2999L, 3 * kNs, 5 * kNs, 7 * kNs}) {
      CAPTURE(waits);
      const std::string text =
          dialogue(loose(uneven, waits), {{true, {0, 2}, 10, 0}, {true, {1, 1}, 10, 0}, {true, {2, 1}, 11, 0}});
      CHECK(calls_of(text) == "10 read 0 256\n10 read 256 256\n10 read 256 256\n11 read 512 256\n");
      CHECK(answers_of(text) == "7010 read 0\n7010 read 1\n7011 read 2\n");
    }
    CHECK(rc::check("any reads, any part of the latency waited for", [] {
      const std::vector<Ask> asks = random_reads();
      const auto waits = *rc::gen::inRange(0, 8000);
      RC_ASSERT(answers_of(dialogue(loose(uneven, waits), asks)) == calculated(asks, 0, uneven));
    }));
  }

  TEST_CASE("29.8 four phases: the next request goes out at END_REQ, a read is answered at BEGIN_RESP") {
    const std::string text =
        dialogue(phased(always(7 * kNs), Phases::kFour, 400), {{true, {0, 2}, 10, 0}, {true, {2, 1}, 809, 0}});
    CHECK(calls_of(text) == "10 read 0 256\n410 read 256 256\n810 read 512 256\n");
    CHECK(answers_of(text) == "7810 read 0\n8210 read 2\n");
    const std::string later =
        dialogue(phased(always(7 * kNs), Phases::kFour, 400), {{true, {0, 2}, 10, 0}, {true, {2, 1}, 811, 0}});
    CHECK(answers_of(later) == "7810 read 0\n8211 read 2\n");
  }

  TEST_CASE("29.8 END_REQ as an answer to the call counts from its delay on") {
    const std::string text = dialogue(phased(always(7 * kNs), Phases::kUpdatedRequest, 400), {{true, {0, 3}, 10, 0}});
    CHECK(calls_of(text) == "10 read 0 256\n410 read 256 256\n810 read 512 256\n");
    CHECK(answers_of(text) == "8210 read 0\n");
  }

  TEST_CASE("29.8 a response without END_REQ ends the request when it is said") {
    CHECK(calls_of(dialogue(phased(always(700), Phases::kTwo), {{true, {0, 2}, 10, 0}})) ==
          "10 read 0 256\n710 read 256 256\n");
    for (const Phases phases : {Phases::kUpdatedResponse, Phases::kCompleted}) {
      const std::string text = dialogue(phased(always(700), phases), {{true, {0, 2}, 10, 0}, {true, {2, 1}, 11, 0}});
      CHECK(calls_of(text) == "10 read 0 256\n10 read 256 256\n11 read 512 256\n");
      CHECK(answers_of(text) == "710 read 0\n711 read 2\n");
    }
  }

  TEST_CASE("29.8 any reads in any phases take what the calculation says") {
    CHECK(rc::check("any reads", [] {
      const std::vector<Ask> asks = random_reads();
      const auto accept = *rc::gen::inRange(0, 3000);
      const auto accepted = [&](std::uint64_t address) { return accept + uneven(address); };
      RC_ASSERT(answers_of(dialogue(phased(uneven, Phases::kFour, accept), asks)) ==
                calculated(asks, accept, accepted));
      RC_ASSERT(answers_of(dialogue(phased(uneven, Phases::kUpdatedRequest, accept), asks)) ==
                calculated(asks, accept, accepted));
      RC_ASSERT(answers_of(dialogue(phased(uneven, Phases::kUpdatedResponse), asks)) == calculated(asks, 0, uneven));
      RC_ASSERT(answers_of(dialogue(phased(uneven, Phases::kCompleted), asks)) == calculated(asks, 0, uneven));
    }));
  }

  TEST_CASE("29.9 reads are answered in the order of their arrival, whatever the memory answers first") {
    const std::vector<Ask> asks{{true, {0, 1}, 10, 0}, {true, {1, 1}, 20, 0}, {true, {3, 1}, 4030, 0}};
    const char* const kAnswers = "7010 read 0\n7010 read 1\n7030 read 3\n";
    CHECK(answers_of(dialogue(loose(uneven), asks)) == kAnswers);
    CHECK(answers_of(dialogue(loose(uneven, 7 * kNs), asks)) == kAnswers);
    CHECK(answers_of(dialogue(phased(uneven, Phases::kFour), asks)) == kAnswers);
  }

  TEST_CASE("29.9 writes and reads do not wait for each other's answers") {
    CHECK(answers_of(dialogue(loose(uneven), {{true, {0, 1}, 10, 0}, {false, {1, 1}, 10, 0}})) ==
          "3010 taken 1\n3010 written 1\n7010 read 0\n");
    CHECK(
        answers_of(dialogue(loose(uneven), {{false, {0, 1}, 10, 0}, {false, {1, 1}, 10, 0}, {true, {3, 1}, 20, 0}})) ==
        "3010 taken 1\n3020 read 3\n7010 taken 0\n7010 written 0\n7010 written 1\n");
  }

  TEST_CASE("29.10 a write leaves the port at its last END_REQ and is acknowledged at its last response") {
    CHECK(answers_of(dialogue(phased(always(7 * kNs), Phases::kFour, 400), {{false, {0, 2}, 10, 0}})) ==
          "810 taken 0\n7810 written 0\n");
    CHECK(answers_of(dialogue(phased(always(7 * kNs), Phases::kCompleted), {{false, {0, 2}, 10, 0}})) ==
          "7010 taken 0\n7010 written 0\n");
  }

  TEST_CASE("29.15 the same requests give the same calls and answers again") {
    CHECK(rc::check("twice", [] {
      const std::vector<Ask> asks = random_reads();
      const auto make = loose(uneven, *rc::gen::inRange(0, 8000));
      const std::string first = dialogue(make, asks);
      RC_ASSERT(dialogue(make, asks) == first);
    }));
  }
}

}  // namespace kernbench::foreign
