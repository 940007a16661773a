#include "sim/system/gpu/gpu_command_run.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>

namespace kernbench {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kNothing = 1e-6;  // ns, and of a byte
constexpr std::size_t kStreams = 4;

/// Commands one after the other: the first that has not ended is at the head.
class Line {
 public:
  void add(std::size_t command) { commands_.push_back(command); }
  [[nodiscard]] bool is_head(std::size_t command) const {
    return next_ < commands_.size() && commands_[next_] == command;
  }
  [[nodiscard]] std::optional<std::size_t> head() const {
    return next_ < commands_.size() ? std::optional(commands_[next_]) : std::nullopt;
  }
  [[nodiscard]] bool holds(std::size_t command) const {
    return std::ranges::find(commands_, command) != commands_.end();
  }
  [[nodiscard]] std::optional<std::size_t> last() const {
    return commands_.empty() ? std::nullopt : std::optional(commands_.back());
  }
  void pop() { ++next_; }

 private:
  std::vector<std::size_t> commands_;
  std::size_t next_ = 0;
};

/// What is left of a command that has begun.
struct Rest {
  double time = 0;   ///< before the first byte, or of a kernel
  double bytes = 0;  ///< after it
};

class CommandEvents {
 public:
  CommandEvents(const std::vector<GpuCommand>& commands, int gpus, const GpuSpec& gpu, const GpuCommandRules& rules)
      : commands_(commands),
        copy_(gpu.peer_copy),
        rules_(rules),
        streams_(static_cast<std::size_t>(gpus) * kStreams),
        fetches_(static_cast<std::size_t>(gpus)),
        leaving_(static_cast<std::size_t>(gpus)),
        kernels_(static_cast<std::size_t>(gpus)),
        times_(commands.size(), {-1, -1, -1}),
        rest_(commands.size()) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      stream_of(commands[i]).add(i);
      if (is_fetch(commands[i])) fetches_[index(commands[i].from)].add(i);
    }
  }

  GpuCommandRun run() {
    GpuCommandRun run;
    while (ended_ < commands_.size()) {
      begin_what_can();
      step();
      ++run.events;
    }
    run.total = last_end();
    run.commands = times_;
    return run;
  }

 private:
  static std::size_t index(int gpu) { return static_cast<std::size_t>(gpu); }
  static bool is_fetch(const GpuCommand& command) { return command.copy && command.gpu != command.from; }
  Line& stream_of(const GpuCommand& command) {
    return streams_[index(command.gpu) * kStreams + static_cast<std::size_t>(command.stream)];
  }
  [[nodiscard]] bool has_begun(std::size_t i) const { return times_[i].begin >= 0; }
  [[nodiscard]] bool has_ended(std::size_t i) const { return times_[i].end >= 0; }

  [[nodiscard]] double hand_over(bool copy_before, bool copy_after) const {
    if (!rules_.hand_over) return 0;
    return copy_.wait + (copy_before || copy_after ? copy_.engine : 0);
  }

  /// When all that it waits for has ended and been told; never while one has not.
  [[nodiscard]] double told(const GpuCommand& command) const {
    // All streams wait for the compute stream, which begins.
    double at = command.stream == QueueKind::kCompute ? 0 : hand_over(false, command.copy);
    for (const int wait : command.waits) {
      const auto other = static_cast<std::size_t>(wait);
      if (!has_ended(other)) return kForever;
      at = std::max(at, times_[other].end + hand_over(commands_[other].copy, command.copy));
    }
    return at;
  }

  /// The unit that does one at a time, where there is one.
  Line* unit_of(const GpuCommand& command) {
    if (command.copy) return rules_.one_copy_at_a_time ? &leaving_[index(command.from)] : nullptr;
    return rules_.one_kernel_at_a_time ? &kernels_[index(command.gpu)] : nullptr;
  }

  /// Heads of streams that may begin now do; the first time that another may is kept.
  void begin_what_can() {
    next_told_ = kForever;
    for (const Line& stream : streams_) {
      const std::optional<std::size_t> head = stream.head();
      if (!head || has_begun(*head)) continue;
      const GpuCommand& command = commands_[*head];
      const double at = told(command);
      if (at > now_ + kNothing) {
        next_told_ = std::min(next_told_, at);
        continue;
      }
      if (times_[*head].ready < 0) times_[*head].ready = now_;
      if (rules_.fetches_in_order && is_fetch(command) && !fetches_[index(command.from)].is_head(*head)) continue;
      if (Line* unit = unit_of(command)) {
        if (!unit->holds(*head)) unit->add(*head);
        if (!unit->is_head(*head)) continue;
      }
      begin(*head);
    }
  }

  void begin(std::size_t i) {
    const GpuCommand& command = commands_[i];
    times_[i].begin = now_;
    rest_[i] =
        command.copy ? Rest{copy_.start + (is_fetch(command) ? copy_.fetch : 0), command.bytes} : Rest{command.time, 0};
    running_.push_back(i);
  }

  [[nodiscard]] bool moves(std::size_t i) const { return rest_[i].time <= kNothing && rest_[i].bytes > 0; }

  /// Copies share what leaves a GPU and what reaches one.
  [[nodiscard]] double rate(std::size_t i) const {
    std::int64_t leave = 0;
    std::int64_t reach = 0;
    for (const std::size_t other : running_) {
      if (!moves(other)) continue;
      leave += commands_[other].from == commands_[i].from ? 1 : 0;
      reach += commands_[other].to == commands_[i].to ? 1 : 0;
    }
    return copy_.bandwidth / static_cast<double>(std::max(leave, reach));
  }

  /// On to the next time that something changes.
  void step() {
    double time = next_told_ - now_;
    std::vector<double> rates;
    rates.reserve(running_.size());
    for (const std::size_t i : running_) {
      rates.push_back(moves(i) ? rate(i) : 0);
      time = std::min(time, rates.back() > 0 ? rest_[i].bytes / rates.back() : rest_[i].time);
    }
    now_ += time;
    for (std::size_t at = 0; at < running_.size(); ++at) {
      Rest& rest = rest_[running_[at]];
      if (rates[at] > 0) {
        rest.bytes -= rates[at] * time;
        if (rest.bytes <= kNothing * rates[at]) rest.bytes = 0;
      } else {
        rest.time -= time;
        if (rest.time <= kNothing) rest.time = 0;
      }
    }
    const auto over = [this](std::size_t i) { return rest_[i].time <= 0 && rest_[i].bytes <= 0; };
    for (const std::size_t i : running_) {
      if (over(i)) end(i);
    }
    std::erase_if(running_, over);
  }

  void end(std::size_t i) {
    const GpuCommand& command = commands_[i];
    times_[i].end = now_;
    ++ended_;
    stream_of(command).pop();
    if (is_fetch(command)) fetches_[index(command.from)].pop();
    if (Line* unit = unit_of(command)) unit->pop();
  }

  /// The compute stream of each GPU waits for its other streams.
  [[nodiscard]] double last_end() const {
    double last = 0;
    for (const Line& stream : streams_) {
      const std::optional<std::size_t> i = stream.last();
      if (!i) continue;
      const GpuCommand& command = commands_[*i];
      last =
          std::max(last, times_[*i].end + (command.stream == QueueKind::kCompute ? 0 : hand_over(command.copy, false)));
    }
    return last;
  }

  const std::vector<GpuCommand>& commands_;
  const GpuPeerCopy& copy_;
  GpuCommandRules rules_;
  std::vector<Line> streams_;
  std::vector<Line> fetches_;  ///< from each GPU, in the order of the list
  std::vector<Line> leaving_;  ///< copies from each GPU, as they come
  std::vector<Line> kernels_;  ///< of each GPU, as they come
  std::vector<GpuCommandTimes> times_;
  std::vector<Rest> rest_;
  std::vector<std::size_t> running_;
  double now_ = 0;
  double next_told_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace

GpuCommandRun run_gpu_commands(const std::vector<GpuCommand>& commands, int gpus, const GpuSpec& gpu,
                               const GpuCommandRules& rules) {
  return CommandEvents(commands, gpus, gpu, rules).run();
}

}  // namespace kernbench
