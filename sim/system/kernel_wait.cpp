// What is told of a kernel that has not ended, and of messages that nobody has received (28.23, 28.24).
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/system/kernel_launch.hpp"
#include "sim/system/waiting_ranks.hpp"

namespace kernbench {

namespace {

std::string messages(std::int64_t count) { return std::to_string(count) + (count == 1 ? " message" : " messages"); }

}  // namespace

std::vector<std::int32_t> KernelLaunch::missing(std::int64_t number) const {
  std::vector<std::int32_t> ranks;
  for (const auto& rank : ranks_) {
    if (rank->barriers < number) ranks.push_back(rank->rank);
  }
  return ranks;
}

std::string KernelLaunch::state_of(const ChannelKey& key, const std::string& sender) const {
  const auto& [from, to, number] = key;
  const Channel& channel = channels_.at(key);
  if (channel.awaited.empty()) return "its message is under way";
  std::string text = sender + " has sent " + (channel.sends == 0 ? "nothing" : messages(channel.sends)) + " on it";
  if (channel.sends > 0) text += ", received before";
  for (auto other = channels_.lower_bound({from, to, 0}); other != channels_.end(); ++other) {
    const auto& [other_from, other_to, other_number] = other->first;
    if (other_from != from || other_to != to) break;
    if (other->second.sent.empty() || other_number == number) continue;
    text += "; it sent " + messages(static_cast<std::int64_t>(other->second.sent.size())) + " on " +
            channel_text(other_number) + " that nobody has received";
  }
  return text + (ended_[static_cast<std::size_t>(from)] ? "; it has ended" : "");
}

std::string KernelLaunch::waiting() const {
  std::vector<WaitingRank> waiting;
  const auto size = static_cast<std::int32_t>(pes_.size());
  const auto add = [&](const KernelRank& rank, const std::string& what, const std::string& alike) {
    waiting.push_back({rank.rank, system_->pe_name(rank.index), what, alike});
  };
  for (const auto& rank : ranks_) {
    if (ended_[static_cast<std::size_t>(rank->rank)]) continue;
    if (rank->waits.empty()) add(*rank, "", "");
    for (const RankWait& wait : rank->waits) {
      const std::string since = "since " + format_quantity(wait.since.value, Dimension::kTime) + " in ";
      if (wait.round >= 0) {
        const std::vector<std::int32_t> absent = missing(rank->barriers);
        const std::string what = since + "barrier " + std::to_string(rank->barriers) + ", round " +
                                 std::to_string(wait.round) + ": " +
                                 (absent.empty() ? "every rank has come to it" : name_ranks(absent) + " did not come");
        add(*rank, what, what);
      } else if (wait.from >= 0) {
        const auto said = [&](const std::string& sender) {
          return since + wait.call + " from " + sender + " on " + channel_text(wait.channel) + ": " +
                 state_of({wait.from, rank->rank, wait.channel}, sender);
        };
        add(*rank, said("rank " + std::to_string(wait.from)), said(name_relative(wait.from, rank->rank, size)));
      } else {
        // "pe0: composite 0 (gemm): not complete": the PE is told already, and those that wait for the same are alike.
        const std::string& name = wait.done->name();
        const std::string what = since + wait.call + " for " + name.substr(name.find(": ") + 2) + ": not complete";
        add(*rank, what, what);
      }
    }
  }
  return describe_waiting(name_, waiting);
}

void KernelLaunch::check_end() const {
  const auto left_over = [this](std::deque<MatrixLayout> Channel::*of) {
    std::string text;
    for (const auto& [key, channel] : channels_) {
      const std::deque<MatrixLayout>& matrices = channel.*of;
      if (matrices.empty()) continue;
      Bytes bytes = 0;
      for (const MatrixLayout& matrix : matrices) bytes += matrix.footprint();
      text += "  " + channel_name(key) + ": " + messages(static_cast<std::int64_t>(matrices.size())) + ", " +
              std::to_string(bytes) + " bytes\n";
    }
    return text;
  };
  if (const std::string sent = left_over(&Channel::sent); !sent.empty()) {
    throw SimulationError(name_ + " has ended, and nobody has received what was sent in\n" + first_lines(sent) +
                          "expected a recv for every send");
  }
  if (const std::string awaited = left_over(&Channel::awaited); !awaited.empty()) {
    throw SimulationError(name_ + " has ended, and nobody has sent what an irecv was to take in\n" +
                          first_lines(awaited) + "expected a send for every irecv");
  }
}

}  // namespace kernbench
