#include "benches/gpu/distributed/executor.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "benches/gpu/data/fill.hpp"

namespace kernbench::gpu {
namespace {

constexpr std::array<QueueKind, 4> kQueues{QueueKind::kCompute, QueueKind::kFetch, QueueKind::kSend,
                                           QueueKind::kAccumulate};

bool holds_operand(BufferKind kind) {
  return kind == BufferKind::kA || kind == BufferKind::kB || kind == BufferKind::kFetchedA ||
         kind == BufferKind::kFetchedB;
}

std::size_t element_bytes(BufferKind kind) { return holds_operand(kind) ? sizeof(__nv_bfloat16) : sizeof(float); }

/// Rows begin at multiples of 8 elements: what cuBLASLt's fast kernels want.
std::int64_t padded(std::int64_t columns) { return (columns + 7) / 8 * 8; }

std::size_t bytes_of(BufferKind kind, std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * padded(columns)) * element_bytes(kind);
}

const DistributedMatrix& matrix_of(const DistributedGemmPlan& plan, BufferKind kind) {
  return kind == BufferKind::kA ? plan.a : kind == BufferKind::kB ? plan.b : plan.c;
}

constexpr std::array<BufferKind, 3> kTiles{BufferKind::kA, BufferKind::kB, BufferKind::kC};

/// Opens the gate however the scope is left: streams that wait at it would hold the device for seconds.
class OpensGate {
 public:
  OpensGate(Gate& gate, int ticket) : gate_(gate), ticket_(ticket) {}
  ~OpensGate() { gate_.open(ticket_); }
  OpensGate(const OpensGate&) = delete;
  OpensGate& operator=(const OpensGate&) = delete;
  OpensGate(OpensGate&&) = delete;
  OpensGate& operator=(OpensGate&&) = delete;

 private:
  Gate& gate_;
  int ticket_;
};

}  // namespace

std::vector<std::size_t> device_bytes(const DistributedGemmPlan& plan, const CommandList& list) {
  std::vector<std::size_t> bytes(plan.devices.size());
  for (std::size_t device = 0; device < bytes.size(); ++device) {
    for (const BufferKind kind : kTiles) {
      const DistributedMatrix& matrix = matrix_of(plan, kind);
      const Rect tile = matrix.tile(matrix.tile_of(static_cast<int>(device)));
      bytes[device] += bytes_of(kind, tile.rows.size(), tile.columns.size());
    }
  }
  for (const auto& [id, shape] : list.buffers()) {
    if (!is_tile(id.kind)) {
      bytes[static_cast<std::size_t>(id.device)] += bytes_of(id.kind, shape.rows, shape.columns);
    }
  }
  return bytes;
}

Executor::Executor(PeerDevices& devices, const DistributedGemmPlan& plan, const CommandList& list, OperandSeeds seeds)
    : devices_(devices), plan_(plan), commands_(list.commands()), done_(list.commands().size()) {
  for (int device = 0; device < devices_.count(); ++device) {
    const UseDevice use(device);
    for (const BufferKind kind : kTiles) {
      const DistributedMatrix& matrix = matrix_of(plan, kind);
      const Rect tile = matrix.tile(matrix.tile_of(device));
      if (!tile.empty()) allocate({device, kind, 0}, tile.rows.size(), tile.columns.size(), true);
    }
    begin_.emplace_back();
    end_.emplace_back();
    for (std::size_t i = 0; i < kQueues.size(); ++i) queue_end_.emplace_back(false);
  }
  for (const auto& [id, shape] : list.buffers()) {
    const UseDevice use(id.device);
    if (!is_tile(id.kind)) allocate(id, shape.rows, shape.columns, false);
  }
  for (const Command& command : commands_) {
    for (const int wait : command.waits) {
      const auto index = static_cast<std::size_t>(wait);
      const UseDevice use(commands_[index].device);  // an event belongs to a device
      if (!done_[index]) done_[index].emplace(false);
    }
  }
  for (int device = 0; device < devices_.count(); ++device) fill(device, seeds);
  forget();
}

Executor::~Executor() {
  // Copies may still be writing to the memories that are freed next. What cannot be waited for is lost anyway.
  try {
    devices_.synchronize();
  } catch (const GpuError&) {  // NOLINT(bugprone-empty-catch): whoever threw first has the reason
  }
}

void Executor::allocate(const BufferId& id, std::int64_t rows, std::int64_t columns, bool tile) {
  Buffer buffer{DeviceBuffer(bytes_of(id.kind, rows, columns)), tile ? padded(columns) : 0};
  buffers_.emplace(id, std::move(buffer));
}

void Executor::fill(int device, OperandSeeds seeds) {
  const UseDevice use(device);
  for (const BufferKind kind : {BufferKind::kA, BufferKind::kB}) {
    const BufferId id{device, kind, 0};
    if (!buffers_.contains(id)) continue;
    const DistributedMatrix& matrix = matrix_of(plan_, kind);
    const Rect tile = matrix.tile(matrix.tile_of(device));
    const Rect whole{{0, tile.rows.size()}, {0, tile.columns.size()}};
    fill_normal(view<__nv_bfloat16>({id, whole}),
                {kind == BufferKind::kA ? seeds.a : seeds.b, tile.rows.begin, tile.columns.begin},
                devices_.stream(device, QueueKind::kCompute).get());
  }
}

void Executor::forget() {
  for (const auto& [id, buffer] : buffers_) {
    if (id.kind == BufferKind::kA || id.kind == BufferKind::kB) continue;
    const UseDevice use(id.device);
    poison(buffer.memory.data(), buffer.memory.bytes(), devices_.stream(id.device, QueueKind::kCompute).get());
  }
  devices_.synchronize();
}

template <typename T>
MatrixView<T> Executor::view(const BufferPart& place) const {
  const Buffer& buffer = buffers_.at(place.buffer);
  const Rect& rect = place.rect;
  const std::int64_t pitch = buffer.pitch > 0 ? buffer.pitch : padded(rect.columns.size());
  auto* data = buffer.memory.as<std::remove_const_t<T>>();
  return {data + rect.rows.begin * pitch + rect.columns.begin, pitch, rect.rows.size(), rect.columns.size()};
}

double Executor::run(bool gated) {
  Gate& gate = devices_.gate();
  const int ticket = gate.shut();
  if (!gated) gate.open(ticket);
  {
    const OpensGate opens(gate, ticket);
    start(ticket);
    for (std::size_t i = 0; i < commands_.size(); ++i) carry_out(i);
    finish();
  }
  double slowest = 0;
  for (std::size_t device = 0; device < begin_.size(); ++device) {
    end_[device].synchronize();
    slowest = std::max(slowest, begin_[device].nanoseconds_to(end_[device]));
  }
  if (gate.was_late()) throw GateWasLate();
  return slowest;
}

/// Every stream of every device goes on from the gate.
void Executor::start(int ticket) {
  for (int device = 0; device < devices_.count(); ++device) {
    const UseDevice use(device);
    const Stream& compute = devices_.stream(device, QueueKind::kCompute);
    const Event& begin = begin_[static_cast<std::size_t>(device)];
    devices_.gate().wait(ticket, compute.get());
    begin.record(compute);
    for (const QueueKind queue : kQueues) {
      if (queue == QueueKind::kCompute) continue;
      check(cudaStreamWaitEvent(devices_.stream(device, queue).get(), begin.get(), 0), "cudaStreamWaitEvent");
    }
  }
}

void Executor::carry_out(std::size_t index) {
  const Command& command = commands_[index];
  const UseDevice use(command.device);
  const Stream& stream = devices_.stream(command.device, command.queue);
  for (const int wait : command.waits) {
    check(cudaStreamWaitEvent(stream.get(), done_[static_cast<std::size_t>(wait)]->get(), 0), "cudaStreamWaitEvent");
  }
  switch (command.kind) {
    case CommandKind::kZero: {
      const MatrixView<float> out = view<float>(command.out);
      check(cudaMemset2DAsync(out.data, static_cast<std::size_t>(out.pitch) * sizeof(float), 0,
                              static_cast<std::size_t>(out.columns) * sizeof(float), static_cast<std::size_t>(out.rows),
                              stream.get()),
            "cudaMemset2DAsync");
      break;
    }
    case CommandKind::kMultiply:
      devices_.gemm(command.device)
          .multiply(view<float>(command.out), view<const __nv_bfloat16>(command.in),
                    view<const __nv_bfloat16>(command.second), command.accumulate, stream.get());
      break;
    case CommandKind::kCopy:
      copy(command, stream.get());
      break;
    case CommandKind::kAdd:
      add_matrix(view<float>(command.out), view<const float>(command.in), stream.get());
      break;
  }
  if (done_[index]) done_[index]->record(stream);
}

void Executor::copy(const Command& command, cudaStream_t stream) const {
  const bool operand = holds_operand(command.out.buffer.kind);
  // A part's address, pitch and row in bytes.
  struct Bytes {
    void* data;
    std::size_t pitch;
    std::size_t row;
    std::size_t rows;
  };
  const auto in_bytes = [&](const BufferPart& place) {
    const auto of = [](auto matrix) {
      constexpr std::size_t kElement = sizeof(*matrix.data);
      return Bytes{matrix.data, static_cast<std::size_t>(matrix.pitch) * kElement,
                   static_cast<std::size_t>(matrix.columns) * kElement, static_cast<std::size_t>(matrix.rows)};
    };
    return operand ? of(view<__nv_bfloat16>(place)) : of(view<float>(place));
  };
  const Bytes from = in_bytes(command.in);
  const Bytes to = in_bytes(command.out);
  const int from_device = command.in.buffer.device;
  const int to_device = command.out.buffer.device;
  if (from.rows == 1 || (from.row == from.pitch && to.row == to.pitch)) {
    check(cudaMemcpyPeerAsync(to.data, to_device, from.data, from_device, from.row * from.rows, stream),
          "cudaMemcpyPeerAsync");
    return;
  }
  cudaMemcpy3DPeerParms parameters{};
  parameters.srcPtr = cudaPitchedPtr{from.data, from.pitch, from.row, from.rows};
  parameters.srcDevice = from_device;
  parameters.dstPtr = cudaPitchedPtr{to.data, to.pitch, to.row, to.rows};
  parameters.dstDevice = to_device;
  parameters.extent = cudaExtent{from.row, from.rows, 1};
  check(cudaMemcpy3DPeerAsync(&parameters, stream), "cudaMemcpy3DPeerAsync");
}

/// A device ends when all of its queues have.
void Executor::finish() {
  for (int device = 0; device < devices_.count(); ++device) {
    const UseDevice use(device);
    const Stream& compute = devices_.stream(device, QueueKind::kCompute);
    for (std::size_t i = 0; i < kQueues.size(); ++i) {
      if (kQueues.at(i) == QueueKind::kCompute) continue;
      const Event& end = queue_end_[static_cast<std::size_t>(device) * kQueues.size() + i];
      end.record(devices_.stream(device, kQueues.at(i)));
      check(cudaStreamWaitEvent(compute.get(), end.get(), 0), "cudaStreamWaitEvent");
    }
    end_[static_cast<std::size_t>(device)].record(compute);
  }
}

MatrixView<const float> Executor::result(int device) const {
  const BufferId id{device, BufferKind::kC, 0};
  if (!buffers_.contains(id)) return {};
  const Rect tile = plan_.c.tile(plan_.c.tile_of(device));
  return view<const float>({id, {{0, tile.rows.size()}, {0, tile.columns.size()}}});
}

}  // namespace kernbench::gpu
