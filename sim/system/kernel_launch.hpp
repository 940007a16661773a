// A kernel on some of a machine's PEs: their ranks, and the message queues between them (adr/0014, adr/0028).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
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

  void start(System& system) override;
  [[nodiscard]] bool done() const override { return running_ == 0; }
  [[nodiscard]] Picoseconds end() const override;
  [[nodiscard]] std::string what() const override { return name_; }
  /// Of each rank.
  [[nodiscard]] const std::vector<Picoseconds>& ends() const { return ends_; }
  [[nodiscard]] const std::vector<std::int32_t>& pes() const { return pes_; }

 private:
  friend class KernelRank;
  Process run(KernelRank* rank);
  /// Made when the first of its two ends asks for it; its slots take room at the receiver.
  MessageQueue& queue(std::int32_t from, std::int32_t to, std::int32_t channel);

  std::string name_;
  KernelProgram program_;
  std::vector<std::int32_t> pes_;
  System* system_ = nullptr;
  std::vector<std::unique_ptr<KernelRank>> ranks_;
  std::deque<Process> programs_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::unique_ptr<MessageQueue>> queues_;
  std::vector<Picoseconds> ends_;
  std::int64_t running_ = 0;
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
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(launch.pes_.size()); }
  /// Throws SimulationError, which names the kernel and the call, where there is no such rank.
  [[nodiscard]] std::int32_t peer(std::int32_t other, const char* call) const;
  MessageQueue& queue_to(std::int32_t to, std::int32_t channel) { return launch.queue(rank, to, channel); }
  MessageQueue& queue_from(std::int32_t from, std::int32_t channel) { return launch.queue(from, rank, channel); }
  /// Where a whole matrix lies that is sent or received, gaps between its tiles included. Throws SimulationError where
  /// that is in another memory than the own TCM or partition.
  [[nodiscard]] MessagePlace place_of(const MatrixLayout& matrix, const char* call) const;
  [[nodiscard]] ValueStore& store_of(const MatrixLayout& matrix) const;
  /// Of the machine.
  [[nodiscard]] std::int32_t pe_of(std::int32_t other) const { return launch.pes_.at(static_cast<std::size_t>(other)); }
  /// A row-major matrix, nowhere yet. Throws SimulationError where it has no elements.
  [[nodiscard]] MatrixLayout shape(std::int64_t rows, std::int64_t columns) const;
  /// Throws SimulationError where a load has not been waited for.
  void expect_loaded(const Operand& operand, const char* name) const;
  /// Throws SimulationError where a composite with result `c` cannot use this auxiliary matrix.
  void expect_auxiliary(const Operand& auxiliary, const MatrixLayout& c) const;
  /// Complete when what is sent now has left.
  Completion& sent(const MatrixLayout& matrix);
  [[noreturn]] void misuse(const std::string& message) const;
  /// Two elements in TCM: what a barrier sends and receives.
  MatrixLayout& barrier_elements();

 private:
  std::unique_ptr<MatrixLayout> barrier_;
  std::deque<Completion> sends_;
};

}  // namespace kernbench
