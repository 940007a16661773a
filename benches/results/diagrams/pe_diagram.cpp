// A PE: from its HBM partition through the DMA engines into TCM, the array beside it, control above.
#include "benches/io/text/numbers.hpp"
#include "benches/results/diagrams/diagrams.hpp"
#include "benches/results/diagrams/labels.hpp"
#include "benches/results/diagrams/scene.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/optional_sections.hpp"

namespace kernbench {
namespace {

constexpr const char* kGrey = "#57606a";

std::string cycles(std::int64_t count) { return counted(count, "cycle"); }

constexpr Names<MemoryTier> kTiers{
    "memory", {{MemoryTier::kTcm, "TCM"}, {MemoryTier::kSram, "the die's SRAM"}, {MemoryTier::kHbm, "HBM"}}};

std::string peak(const PeSpec& pe) { return formatted("%.4g TFLOPS", pe.peak_tflops()); }

}  // namespace

Figure pe_diagram(const LoadedMachine& machine) {
  const auto& pe = machine.spec.pe;
  const auto& die = machine.spec.die;
  const auto& tile = pe.mac.tile;
  Scene scene;
  constexpr double kFrame = 306;
  scene.add_frame({{kFrame, 4, Scene::kWidth - kFrame - 2, 420}, "pe", palette::kOrange, "pe", {"PE"}});

  const Box hbm{
      {2, 150, 110, 108},
      "hbm",
      palette::kPurple,
      "hbm",
      {die.hbm.shared() ? "HBM controller" : "HBM partition", size_label(die.hbm.capacity), label(die.hbm.bandwidth),
       counted(die.hbm.pseudo_channels, "channel"), "read " + label(die.hbm.read_latency)}};
  const Box router{{184, 174, 58, 60}, "router", palette::kSkyBlue, "router", {"router", label(die.router.hop)}};
  const auto dma = [&](double y, const std::string& name, const std::string& line) {
    return Box{{336, y, 92, 62},
               "dma",
               palette::kBlue,
               name,
               {line, "set-up " + label(pe.dma.setup), counted(pe.dma.outstanding_bursts, "burst")}};
  };
  const Box reader = dma(122, "dma_in", "DMA in");
  const Box writer = dma(224, "dma_out", "DMA out");
  const Box tcm{{490, 122, 60, 164}, "tcm", palette::kGreen, "tcm", {"TCM", size_label(pe.tcm.capacity)}};
  const Box fetch{{612, 122, 68, 62}, "fetch", palette::kSkyBlue, "fetch", {"fetch", label(pe.fetch)}};
  const Box store{{612, 224, 68, 62}, "store", palette::kSkyBlue, "store", {"store", label(pe.store)}};
  const Box mac{{702, 108, 158, 192},
                "mac",
                palette::kVermillion,
                "mac",
                {"MAC array", std::to_string(pe.mac.peak_macs()) + " MACs/cycle",
                 "tile " + std::to_string(tile.m) + "×" + std::to_string(tile.k) + "×" + std::to_string(tile.n),
                 label(pe.tile_time()) + " a tile", "fill " + cycles(pe.mac.fill_cycles),
                 counted(pe.mac.operand_registers, "operand set"), counted(pe.mac.accumulators, "accumulator")}};
  const Box vector{{508, 344, 172, 62},
                   "vector",
                   palette::kOrange,
                   "vector",
                   {"vector unit", counted(pe.vector.lanes, "lane"), "latency " + cycles(pe.vector.latency_cycles)}};
  const auto& queue = pe.message_queue;
  const Box messages{{336, 344, 150, 62},
                     "message_queue",
                     palette::kYellow,
                     "message_queue",
                     {"message queues", std::to_string(queue.slots) + " × " + size_label(queue.slot) + " a sender",
                      "in " + std::string(kTiers[queue.tier])}};
  const Box control{
      {336, 32, 150, 46}, "control", kGrey, "control", {"control processor", label(pe.control) + " a call"}};
  const Box scheduler{
      {530, 32, 150, 46}, "scheduler", kGrey, "scheduler", {"scheduler", label(pe.scheduler) + " a tile"}};

  const auto across = [&](const Box& from, const Box& to, double y, const std::string& name,
                          const std::vector<std::string>& above_and_below) {
    scene.add_wire({{from.right(), y}, {to.x, y}}, name);
    const double x = (from.right() + to.x) / 2;
    if (!above_and_below.empty()) scene.add_text({x, y - 10}, above_and_below[0]);
    if (above_and_below.size() > 1) scene.add_text({x, y + 10}, above_and_below[1]);
  };
  across(hbm, router, 204, "hbm - router", {});
  const double trunk = 320;
  scene.add_wire({{router.right(), 204}, {trunk, 204}}, "router - PE");
  scene.add_wire({{reader.x, reader.centre().y}, {trunk, reader.centre().y}, {trunk, 204}}, "router - DMA in");
  scene.add_wire({{writer.x, writer.centre().y}, {trunk, writer.centre().y}, {trunk, 204}}, "router - DMA out");
  across(reader, tcm, reader.centre().y, "DMA in - TCM", {label(pe.tcm.write), "write"});
  across(writer, tcm, writer.centre().y, "TCM - DMA out", {label(pe.tcm.read), "read"});
  across(tcm, fetch, fetch.centre().y, "TCM - fetch", {std::to_string(pe.stream_depth) + " tiles", "ahead"});
  across(tcm, store, store.centre().y, "store - TCM", {std::to_string(pe.output_depth) + " tiles", "waiting"});
  across(fetch, mac, fetch.centre().y, "fetch - MAC", {});
  across(store, mac, store.centre().y, "MAC - store", {});
  scene.add_wire({{vector.x + 14, tcm.bottom()}, {vector.x + 14, vector.y}}, "TCM - vector unit");
  across(control, scheduler, control.centre().y, "control - scheduler", {});
  const auto on_wire = [&](double x, std::int64_t um) {
    scene.add_text({x, 194}, label(die.router.link));
    scene.add_text({x, 214}, label(die.wire.delay(um)));
  };
  on_wire((hbm.right() + router.x) / 2, die.wire.hbm_to_router_um);
  on_wire((router.right() + kFrame) / 2, die.wire.pe_to_router_um);
  scene.add_texts({router.centre().x, router.y - 31}, {"to other", "routers"});
  scene.add_wire({{router.centre().x, router.y}, {router.centre().x, router.y - 20}}, "router - router");
  for (const auto* box : {&hbm, &router, &reader, &writer, &tcm, &fetch, &store, &mac, &vector, &control, &scheduler}) {
    scene.add_box(*box);
  }
  const bool has_queues = has_section(machine.spec, "pe.message_queue");
  if (has_queues) scene.add_box(messages);
  scene.set_height(428);
  std::string note = "clock " + format_quantity(pe.clock.hertz, Dimension::kFrequency) + " · peak " + peak(pe);
  if (has_queues) {
    note += " · messages: " +
            (queue.wait == ReceiveWait::kSleep ? "woken after " + label(queue.wake)
                                               : "polled every " + label(queue.poll_interval)) +
            ", credits of " + size_label(queue.credit);
  }
  return scene.figure("topology_pe", machine.spec.name + ": a PE", {machine_note(machine), note});
}

}  // namespace kernbench
