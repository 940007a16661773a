#include "benches/workloads/distributed/plan_json.hpp"

#include <string>

namespace kernbench {
namespace {

constexpr Names<BufferKind> kBuffers{"buffer",
                                     {{BufferKind::kA, "a"},
                                      {BufferKind::kB, "b"},
                                      {BufferKind::kC, "c"},
                                      {BufferKind::kFetchedA, "fetched_a"},
                                      {BufferKind::kFetchedB, "fetched_b"},
                                      {BufferKind::kGatheredA, "gathered_a"},
                                      {BufferKind::kGatheredB, "gathered_b"},
                                      {BufferKind::kPartial, "product"},
                                      {BufferKind::kStaged, "staged"}}};
constexpr Names<CommandKind> kCommands{"command",
                                       {{CommandKind::kZero, "zero"},
                                        {CommandKind::kMultiply, "multiply"},
                                        {CommandKind::kCopy, "copy"},
                                        {CommandKind::kAdd, "add"}}};
constexpr Names<QueueKind> kQueues{"queue",
                                   {{QueueKind::kCompute, "compute"},
                                    {QueueKind::kFetch, "fetch"},
                                    {QueueKind::kSend, "send"},
                                    {QueueKind::kAccumulate, "accumulate"}}};

Json as_json(const Interval& interval) { return {interval.begin, interval.end}; }

Json as_json(const Rect& rect) { return {{"rows", as_json(rect.rows)}, {"columns", as_json(rect.columns)}}; }

Json tiles_of(const DistributedMatrix& matrix) {
  Json tiles = Json::array();
  for (int tile = 0; tile < matrix.tiles(); ++tile) {
    Json one = as_json(matrix.tile(tile));
    Json owners = Json::array();
    for (int replica = 0; replica < matrix.replication(); ++replica) owners.push_back(matrix.owner(tile, replica));
    one["owners"] = std::move(owners);
    tiles.push_back(std::move(one));
  }
  return {{"partition", kPartitions[matrix.partition()]}, {"replication", matrix.replication()}, {"tiles", tiles}};
}

Json as_json(const DistributedOperation& operation) {
  return {{"m", as_json(operation.m)},    {"k", as_json(operation.k)},    {"n", as_json(operation.n)},
          {"a_owner", operation.a_owner}, {"b_owner", operation.b_owner}, {"c_owner", operation.c_owner}};
}

Json as_json(const BufferPart& part) {
  Json json = as_json(part.rect);
  json["device"] = part.buffer.device;
  json["buffer"] = kBuffers[part.buffer.kind];
  json["slot"] = part.buffer.slot;
  return json;
}

Json as_json(const Command& command) {
  Json json{{"command", kCommands[command.kind]}, {"device", command.device}, {"queue", kQueues[command.queue]}};
  if (command.kind != CommandKind::kZero) json["in"] = as_json(command.in);
  if (command.kind == CommandKind::kMultiply) {
    json["second"] = as_json(command.second);
    json["adds"] = command.accumulate;
  }
  json["out"] = as_json(command.out);
  json["waits"] = command.waits;
  return json;
}

}  // namespace

Json plan_json(const DistributedGemm& problem, const DistributedGemmPlan& plan, const CommandList& list) {
  Json devices = Json::array();
  const std::vector<DeviceTraffic> traffic = traffic_of(list, problem.devices);
  for (std::size_t device = 0; device < plan.devices.size(); ++device) {
    Json operations = Json::array();
    for (const DistributedOperation& operation : plan.devices[device]) operations.push_back(as_json(operation));
    devices.push_back({{"operations", std::move(operations)},
                       {"received_bytes", traffic[device].received},
                       {"sent_bytes", traffic[device].sent}});
  }
  Json commands = Json::array();
  for (const Command& command : list.commands()) commands.push_back(as_json(command));
  Json cuts = Json::array();
  for (const MeshCut& cut : plan.cuts) {
    cuts.push_back({{"devices", cut.devices}, {"dimension", kCutDimensions[cut.dimension]}});
  }
  Json document{{"schema", "kernbench.distributed_gemm_plan/1"},
                {"m", problem.m},
                {"k", problem.k},
                {"n", problem.n},
                {"method", kDistributedMethods[plan.method]},
                {"matrices", {{"a", tiles_of(plan.a)}, {"b", tiles_of(plan.b)}, {"c", tiles_of(plan.c)}}},
                {"devices", std::move(devices)},
                {"commands", std::move(commands)}};
  if (plan.method == DistributedMethod::kDtensor) document["cuts"] = std::move(cuts);
  return document;
}

}  // namespace kernbench
