// How kernels are written: short coroutines over a KernelPe (adr/0014-kernels.md, docs/kernels.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/source_place.hpp"
#include "sim/engine/process.hpp"
#include "sim/hw/pe/pe.hpp"
#include "sim/plan/gemm_plan.hpp"
#include "sim/plan/math_plan.hpp"
#include "sim/plan/vector_task.hpp"

namespace kernbench {

/// A matrix as an operand: in TCM once `done`, where there is one, is complete; or in a memory, to be streamed.
class [[nodiscard]] Operand {
 public:
  MatrixLayout matrix;         ///< where it is, or will be
  MatrixLayout home{};         ///< where it was loaded from, or is streamed from
  Completion* done = nullptr;  ///< of its load, or irecv
  TileMap tiles{};             ///< where its tiles do not lie as the layout says

  Operand() = default;
  /// A matrix that lies in TCM, where recv, a composite or fill has put it.
  Operand(const MatrixLayout& in_tcm) : matrix(in_tcm) {}  // NOLINT(google-explicit-constructor)
  Operand(const MatrixLayout& is, const MatrixLayout& was, Completion* loaded, TileMap elsewhere = {})
      : matrix(is), home(was), done(loaded), tiles(std::move(elsewhere)) {}
  [[nodiscard]] bool resident() const { return matrix.in_tcm(); }
};

/// Something that was started and can be waited for.
struct [[nodiscard]] Pending {
  Completion* done = nullptr;
  bool started = true;  ///< else there is nothing to wait for

  /// For a step that starts nothing: whoever waits for it goes on.
  static Pending nothing() { return {nullptr, false}; }
};

/// A GEMM that a kernel is asked to run. Its operands say the shape; m, k, n of the problem are 0 or agree with them.
struct GemmCall {
  GemmProblem problem;
  GemmMatrices matrices{};
  Operand bias{};       ///< loaded by the kernel, where has_bias()
  KeptSums sums{};      ///< of composites that each add a part of K (32.6)
  Operand auxiliary{};  ///< loaded, or a result in TCM, where an epilogue multiplies by it or adds it (28.22)
  [[nodiscard]] bool has_bias() const { return problem.has_epilogue(VectorOp::kBias); }
};

/// An element-wise operation that a kernel is asked to run. A says the shape; rows, columns are 0 or agree with it.
struct MathCall {
  MathProblem problem;
  MathMatrices matrices;
};

/// Work of the vector unit on matrices in TCM, outside composites (adr/0043, 43.3).
struct VectorCall {
  VectorTask task{};
  std::vector<MatrixLayout> reads{};
  std::vector<MatrixLayout> writes{};
  /// In runs that carry values: does the work, on what the PE's TCM holds when it is done.
  std::function<void(ValueStore& tcm)> values{};
};

/// One rank that sends, and others that all receive it, none of them twice; of one channel.
struct MulticastGroup {
  std::int32_t from = 0;
  std::vector<std::int32_t> to{};
  std::int32_t channel = 0;
  bool operator==(const MulticastGroup&) const = default;
};

class KernelRank;
class StepRepeats;

/// What a kernel sees of its PE, one of those that run it together: a handle, to be copied. Every call that is awaited
/// first costs the control processor pe.control_latency; the others cost nothing.
class KernelPe {
 public:
  explicit KernelPe(KernelRank& rank) : rank_(&rank) {}

  /// Its number among the PEs that run the kernel, from 0, and how many they are.
  [[nodiscard]] std::int32_t rank() const;
  [[nodiscard]] std::int32_t size() const;
  [[nodiscard]] const MachineSpec& machine() const;
  /// To be asked before each step where equal ones are counted on (adr/0047, 47.8); null elsewhere.
  [[nodiscard]] StepRepeats* step_repeats() const;

  /// Starts to bring a matrix from a memory into TCM. Throws CapacityError where there is no room for it.
  Task<Operand> load(MatrixLayout matrix);
  /// The same into a buffer in TCM that is there.
  Task<Operand> load(MatrixLayout matrix, MatrixLayout into);
  /// A matrix whose tiles are where `tiles` says, in one memory or several: a transfer for each of these.
  Task<Operand> load(MatrixLayout matrix, TileMap tiles);
  Task<Operand> load(MatrixLayout matrix, TileMap tiles, MatrixLayout into);
  /// Leaves a matrix where it is, to be streamed tile by tile; `tiles` says where they are, if not as the layout says.
  Task<Operand> ref(MatrixLayout matrix, TileMap tiles = {});
  /// Starts C = A x B on the PE's scheduler; C goes where it lies, TCM included. Throws SimulationError where a load of
  /// an operand has not been waited for, or shapes do not fit each other.
  Task<Pending> composite(Operand a, Operand b, MatrixLayout c);
  /// The same into gemm.matrices.c, with what the problem says besides: epilogues.
  Task<Pending> composite(GemmCall gemm, Operand a, Operand b);
  /// Starts an element-wise operation; operands that do not lie in TCM are streamed.
  Task<Pending> composite(MathCall math);
  /// Starts a plan of one's own, e.g. tiles in another order. What it reads from TCM has been loaded.
  Task<Pending> composite(TilePlan plan);
  /// The vector unit works on matrices in TCM; goes on when the result can be used.
  Task<Picoseconds> compute(VectorCall call);
  /// Starts to write a loaded matrix back to where it came from.
  Task<Pending> store(Operand operand);
  /// Starts to write a matrix in TCM to another place of the same shape.
  Task<Pending> store(MatrixLayout from, MatrixLayout to);
  /// Goes on when the thing is done; returns the time.
  Task<Picoseconds> wait(Pending pending);
  Task<Picoseconds> wait(Operand operand);

  /// Starts to send a matrix, in TCM or in the own partition, to another rank. It has left, and may be overwritten,
  /// when that has been waited for. Messages of one sender, receiver and channel arrive in the order of sending.
  Task<Pending> send(MatrixLayout matrix, std::int32_t to, std::int32_t channel = 0);
  /// Takes the next message of a rank: it replaces `into`, or is added to it. Goes on when the result can be used.
  Task<Picoseconds> recv(MatrixLayout into, std::int32_t from, std::int32_t channel = 0);
  Task<Picoseconds> recv_add(MatrixLayout into, std::int32_t from, std::int32_t channel = 0);
  /// Starts to send a matrix to all receivers of a group, from the rank that it names as its sender: one message, which
  /// the routers copy where the machine's do (die.router.multicast), else one to each. The rest is as for send; each
  /// receiver takes it by the recv of the same group.
  Task<Pending> multicast(MatrixLayout matrix, MulticastGroup group);
  Task<Picoseconds> recv(MatrixLayout into, MulticastGroup group);
  /// Starts to take the next message of a rank, or of a group's sender, behind those that are being taken; the operand
  /// can be used when it has been waited for.
  Task<Operand> irecv(MatrixLayout into, std::int32_t from, std::int32_t channel = 0);
  Task<Operand> irecv(MatrixLayout into, MulticastGroup group);
  /// Goes on when every rank has come here: ceil(log2(size)) rounds of messages of one element.
  Task<Picoseconds> barrier();

  /// Room for a matrix in TCM, in the own partition, and given back: row-major, or as another one is. Throws
  /// CapacityError where there is none.
  [[nodiscard]] MatrixLayout tcm(std::int64_t rows, std::int64_t columns);
  [[nodiscard]] MatrixLayout tcm(const MatrixLayout& like);
  [[nodiscard]] Bytes tcm_left() const;
  [[nodiscard]] MatrixLayout hbm(std::int64_t rows, std::int64_t columns);
  [[nodiscard]] MatrixLayout hbm(const MatrixLayout& like);
  void release(const MatrixLayout& matrix);
  void release(const Operand& operand) { release(operand.matrix); }
  /// The place in the memory of another rank that `matrix` is in the own.
  [[nodiscard]] MatrixLayout of(std::int32_t rank, MatrixLayout matrix) const;

  /// In runs that carry values (--verify): gives a matrix its values, now; and expects values, now. Else nothing.
  using Element = std::function<float(std::int64_t row, std::int64_t column)>;
  void fill(const MatrixLayout& matrix, const Element& value);
  /// Throws SimulationError that names the first element that differs, and how many do.
  void expect(const MatrixLayout& matrix, const Element& value) const;

 private:
  struct Receive {
    const char* call = "recv";
    std::int32_t from = 0;
    std::int32_t channel = 0;
    std::int32_t round = -1;                ///< of a barrier
    const MulticastGroup* group = nullptr;  ///< whose channel it is, if any
    bool add = false;
  };
  Task<Picoseconds> receive(MatrixLayout into, Receive what);
  Task<Operand> start_receive(MatrixLayout into, Receive what);
  friend KernelRank;
  KernelRank* rank_;
};

/// A GEMM kernel of one PE, e.g. one staging variant.
struct GemmKernel {
  std::string name;
  std::string summary;
  Residency residency;  ///< for the closed-form bound
  Process (*run)(KernelPe pe, GemmCall gemm) = nullptr;
};

/// All registered kernels, by name.
[[nodiscard]] const std::vector<GemmKernel>& gemm_kernels();
/// Throws ConfigError that names the nearest kernel, and all of them.
[[nodiscard]] const GemmKernel& find_gemm_kernel(const std::string& name);

/// `const RegisterGemmKernel kRegistered({"name", "summary", {...}, run});` in the kernel's own file. Throws
/// std::logic_error that names both places where the name is there already.
class RegisterGemmKernel {
 public:
  explicit RegisterGemmKernel(GemmKernel kernel, SourcePlace place = SourcePlace::here());
};

}  // namespace kernbench
