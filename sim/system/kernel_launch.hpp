// A kernel on some of a machine's PEs: their ranks, and the message queues between them (adr/0014, adr/0028).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/system/kernel.hpp"
#include "sim/system/launch.hpp"

namespace kernbench {

using KernelProgram = std::function<Process(KernelPe)>;

class KernelLaunch : public Launch {
 public:
  /// Rank r of the kernel runs on the machine's PE pes[r].
  KernelLaunch(std::string name, KernelProgram program, std::vector<std::int32_t> pes);
  KernelLaunch(const KernelLaunch&) = delete;
  KernelLaunch& operator=(const KernelLaunch&) = delete;
  ~KernelLaunch() override;

  /// The others do nothing (adr/0060).
  void run_only(std::int32_t rank) { only_ = rank; }
  void start(System& system) override;
  [[nodiscard]] bool done() const override { return running_ == 0; }
  [[nodiscard]] Picoseconds end() const override;
  [[nodiscard]] std::string what() const override { return name_; }
  [[nodiscard]] std::string waiting() const override;
  /// Throws SimulationError where messages have been sent that nobody has received.
  void check_end() const override;
  /// Of each rank.
  [[nodiscard]] const std::vector<Picoseconds>& ends() const { return ends_; }
  [[nodiscard]] const std::vector<std::int32_t>& pes() const { return pes_; }
  /// Values that the kernel has compared with what it expects.
  [[nodiscard]] std::int64_t compared() const { return compared_; }
  void count_compared(std::int64_t values) { compared_ += values; }

 private:
  friend class KernelRank;
  /// A queue, and what its sender and one of its receivers have named of which the other has named nothing yet.
  struct Channel {
    std::shared_ptr<MessageQueue> queue;
    std::size_t receiver = 0;  ///< of the queue's
    std::int64_t sends = 0;
    std::deque<MatrixLayout> sent;
    std::deque<MatrixLayout> awaited;
    Completion* received = nullptr;  ///< of the last irecv, if any
  };
  using ChannelKey = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

  Process run(KernelRank* rank);
  /// Its queue is made when the first of its two ends asks for it; its slots take room at the receiver.
  Channel& channel(std::int32_t from, std::int32_t to, std::int32_t number);
  /// The number of the channels from a group's sender to its receivers, which have one queue.
  std::int32_t channel_of(const MulticastGroup& group);
  [[nodiscard]] std::shared_ptr<MessageQueue> queue(const MulticastGroup& group, const std::string& name);
  /// "channel 0", or what is said of a group's.
  [[nodiscard]] std::string channel_text(std::int32_t number) const;
  [[nodiscard]] std::string channel_name(const ChannelKey& key) const;
  /// What has become of the message that a rank waits for; `sender` is what the text calls it.
  [[nodiscard]] std::string state_of(const ChannelKey& key, const std::string& sender) const;
  /// Ranks that have not come to their `number`-th barrier.
  [[nodiscard]] std::vector<std::int32_t> missing(std::int64_t number) const;

  std::string name_;
  KernelProgram program_;
  std::vector<std::int32_t> pes_;
  std::optional<std::int32_t> only_;
  System* system_ = nullptr;
  std::vector<std::unique_ptr<KernelRank>> ranks_;
  std::deque<Process> programs_;
  std::map<ChannelKey, Channel> channels_;
  std::vector<MulticastGroup> groups_;
  std::vector<Picoseconds> ends_;
  std::vector<bool> ended_;
  std::int64_t compared_ = 0;
  std::int64_t running_ = 0;
};

/// "64 x 32"
[[nodiscard]] std::string dimensions(const MatrixLayout& matrix);

/// What a rank waits for, which may never come.
struct RankWait {
  const char* call = "";
  const Completion* done = nullptr;  ///< of a wait
  std::int32_t from = -1;            ///< of a receive: the sender
  std::int32_t channel = 0;          ///< of a receive
  std::int32_t round = -1;           ///< of a barrier
  Picoseconds since{};
};

/// One PE of a launch.
class KernelRank {
 public:
  KernelRank(KernelLaunch& launch, System& system, std::int32_t rank);

  KernelLaunch& launch;
  System& system;
  const std::int32_t rank;
  const std::int32_t index;  ///< of the PE in the machine
  Pe& pe;

  /// Awaitable: the control processor works on one call (28.5).
  [[nodiscard]] auto control_call() { return pe.control_call({.launch = launch.order()}); }
  /// Of the PE; for a launch that is not the first, one that is not kept (33.10).
  [[nodiscard]] Ledger& ledger() { return launch.order() == 0 ? pe.ledger() : unkept_; }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(launch.pes_.size()); }
  /// Throws SimulationError, which names the kernel and the call, where there is no such rank.
  [[nodiscard]] std::int32_t peer(std::int32_t other, const char* call) const;
  /// The queue of a matrix that is sent, or received. Throws SimulationError where the other side has named another
  /// one.
  MessageQueue& sending(const MatrixLayout& matrix, std::int32_t to, std::int32_t channel);
  KernelLaunch::Channel& receiving(const MatrixLayout& matrix, std::int32_t from, std::int32_t channel);
  /// The number of a group's channels. Throws SimulationError where a rank is none or is named twice, or this one is
  /// not `of` it.
  enum class Side : std::uint8_t { kSender, kReceiver };
  std::int32_t channel_of(const MulticastGroup& group, Side side, const char* call);
  /// Where a whole matrix lies that is sent or received, gaps between its tiles included. Throws SimulationError where
  /// that is in another memory than the own TCM or partition.
  [[nodiscard]] MessagePlace place_of(const MatrixLayout& matrix, const char* call) const;
  [[nodiscard]] ValueStore& store_of(const MatrixLayout& matrix) const;
  /// Of the machine.
  [[nodiscard]] std::int32_t pe_of(std::int32_t other) const { return launch.pes_.at(static_cast<std::size_t>(other)); }
  /// A row-major matrix, nowhere yet. Throws SimulationError where it has no elements.
  [[nodiscard]] MatrixLayout shape(std::int64_t rows, std::int64_t columns) const;

  // Throw SimulationError, which calls the matrix `what`.
  /// Where it has no elements.
  void expect_set(const MatrixLayout& matrix, const std::string& what) const;
  /// Or lies in TCM where nobody has room.
  void expect_held(const MatrixLayout& matrix, const std::string& what) const;
  /// Or lies in a memory that no ref names, or its load has not been waited for.
  void expect_operand(const Operand& operand, const std::string& what) const;
  /// Where a composite with result `c` cannot use this auxiliary matrix.
  void expect_auxiliary(const Operand& auxiliary, const MatrixLayout& c) const;
  void expect_dtype(const MatrixLayout& matrix, Dtype dtype, const std::string& what) const;
  /// Where it is blocked by other tiles.
  void expect_tiles(const MatrixLayout& matrix, std::int64_t rows, std::int64_t columns, const std::string& what) const;
  /// Where the elements of one do not lie as those of the other.
  void expect_alike(const MatrixLayout& from, const MatrixLayout& to, const std::string& call) const;
  void expect_alike_sides(const MatrixLayout& sent, const MatrixLayout& received, const std::string& channel) const;
  /// Where the matrices do not fit each other or the problem, of which what is 0 is what they say.
  void complete(GemmProblem& problem, const GemmMatrices& matrices) const;
  void complete(MathProblem& problem, const MathMatrices& matrices) const;

  /// Of a call that has started something: "send of 4 x 4 elements".
  Completion& begun(const std::string& what);
  /// A message that is to be taken.
  struct Incoming {
    KernelLaunch::Channel* channel = nullptr;
    Completion* before = nullptr;  ///< when the message before it has been taken
    MatrixLayout into{};
    MessagePlace place;
    Landing landing = Landing::kReplace;
    std::int64_t number = 0;  ///< of the rank's receives
    RankWait wait;
  };
  /// At the end of the call's control time.
  [[nodiscard]] Incoming incoming(const MatrixLayout& into, const KernelPe::Receive& what);
  Task<Picoseconds> take(Incoming message);
  /// The same, while the program goes on. Returns what is complete then.
  Completion& start_to_take(const Incoming& message);
  [[noreturn]] void misuse(const std::string& message) const;
  /// Throws the exception that is being handled again, with kernel, rank and time before its message.
  [[noreturn]] void rethrow() const;
  /// Two elements in TCM: what a barrier sends and receives.
  MatrixLayout& barrier_elements();
  std::int64_t barriers = 0;  ///< that it has come to
  std::list<RankWait> waits;

 private:
  [[nodiscard]] std::string place() const;
  Process take_beside(Incoming message, Completion* received, Reason reason);
  std::unique_ptr<MatrixLayout> barrier_;
  Ledger unkept_{false};
  std::deque<Completion> begun_;
  std::deque<Process> receives_;  ///< that go on beside the program
  std::int64_t receives_begun_ = 0;
};

/// A rank waits for something for as long as this lives.
class RankWaits {
 public:
  RankWaits(KernelRank& rank, RankWait wait) : rank_(rank) {
    wait.since = rank.pe.calendar().elapsed();
    at_ = rank.waits.insert(rank.waits.end(), wait);
  }
  RankWaits(const RankWaits&) = delete;
  RankWaits& operator=(const RankWaits&) = delete;
  ~RankWaits() { rank_.waits.erase(at_); }

 private:
  KernelRank& rank_;
  std::list<RankWait>::iterator at_;
};

}  // namespace kernbench
