// Every key reaches the right place of the specification, from the file and from --set; the hash follows the machine.
#include <doctest/doctest.h>

#include <set>

#include "sim/base/sha256.hpp"
#include "sim/machine/schema.hpp"
#include "tests/machine/example_machine.hpp"

using namespace kernbench;

namespace {

/// A legal value of `key` that differs from the example's and that contradicts no other key.
std::string other_value(const MachineKey& key, const MachineSpec& spec) {
  if (key.path == "schema") return std::string(kMachineSchema);
  if (std::holds_alternative<NameField>(key.field)) return "other";
  if (key.path == "die.hbm.controllers") return "0,0";
  if (const auto* choice = std::get_if<ChoiceField>(&key.field)) {
    return std::string(choice->words[(choice->get(spec) + choice->words.size() - 1) % choice->words.size()]);
  }
  const auto& field = std::get<QuantityField>(key.field);
  const std::int64_t now = field.get(spec);
  if (now == kNotGiven) return std::string(field.most);
  if (now == 0) return field.dimension == Dimension::kBandwidth ? "1 GB/s" : "1";
  return format_quantity(2 * now, field.dimension);
}

/// The example with an array of cells: what says its shape says something only beside the rest of it.
std::string with_cells() {
  return changed(
      "    macs_per_cycle: 15\n",
      "    dataflow: weight_stationary\n    rows: 40\n    columns: 41\n    depth: 42\n    weight_buffers: 1\n");
}

bool is_of_cells(std::string_view path) {
  return path == "pe.mac.dataflow" || path == "pe.mac.rows" || path == "pe.mac.columns" || path == "pe.mac.depth" ||
         path == "pe.mac.weight_buffers";
}

/// What the key is tried in: slots in HBM need a partition for each PE, and no packets with copies, an array's shape
/// says something beside the rest.
std::string text_for(std::string_view path) {
  if (path == "die.hbm.hash" || path == "die.hbm.routing") {  // says something of a memory that PEs share
    return changed("    capacity: 1 GiB\n", "    capacity: 1 GiB\n    controllers: north 1,1\n",
                   changed("tier: hbm", "tier: tcm"));
  }
  if (path == "die.hbm.controllers" || path == "die.router.multicast") return changed("tier: hbm", "tier: tcm");
  return is_of_cells(path) ? with_cells() : std::string(kExample);
}

std::string value_in_canonical_form(const MachineSpec& spec, std::string_view path) {
  const auto form = "\n" + canonical_form(spec);
  const auto line = "\n" + std::string(path) + "=";
  const auto found = form.find(line);
  if (found == std::string::npos) return "";  // its default, which has no line
  const auto begin = found + line.size();
  return form.substr(begin, form.find('\n', begin) - begin);
}

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.1 every key of a file reaches its own place in the specification") {
    const auto spec = parse_machine(kExample, "m.yaml").spec;
    CHECK(spec.name == "example.m-1");
    CHECK(spec.system.packages.rows == 3);
    CHECK(spec.system.packages.columns == 5);
    CHECK(spec.system.arrangement == PackageArrangement::kTorus);
    CHECK(spec.system.package_link == Bandwidth{1'000'000'000});
    CHECK(spec.system.package_link_latency == from_ns(25));
    CHECK(spec.system.package_link_buffer == 26 * 1024);
    CHECK(spec.system.package_switch == from_ns(1));
    CHECK(spec.system.host_link == Bandwidth{2'000'000'000});
    CHECK(spec.system.host_link_latency == from_ns(2));
    CHECK(spec.system.io_processor == from_ns(3));
    CHECK(spec.package.dies.rows == 6);
    CHECK(spec.package.dies.columns == 7);
    CHECK(spec.package.die_to_die.connections == 220);
    CHECK(spec.package.die_to_die.bandwidth == Bandwidth{3'000'000'000});
    CHECK(spec.package.die_to_die.port == from_ns(4));
    CHECK(spec.package.die_to_die.buffer == 27 * 1024);
    CHECK(spec.die.routers.rows == 10);
    CHECK(spec.die.routers.columns == 11);
    CHECK(spec.die.router.hop == from_ns(5));
    CHECK(spec.die.router.link == Bandwidth{4'000'000'000});
    CHECK(spec.die.router.virtual_channels == 3);
    CHECK(spec.die.router.buffer == 28 * 1024);
    CHECK(spec.die.wire.per_mm == Picoseconds{6});
    CHECK(spec.die.wire.pe_to_router_um == 7);
    CHECK(spec.die.wire.hbm_to_router_um == 8);
    CHECK(spec.die.wire.router_to_router_um == 9);
    CHECK(spec.die.wire.sram_to_router_um == 24);
    CHECK(spec.die.hbm.bandwidth == Bandwidth{5'000'000'000});
    CHECK(spec.die.hbm.pseudo_channels == 4);
    CHECK(spec.die.hbm.burst == 64);
    CHECK(spec.die.hbm.read_latency == from_ns(10));
    CHECK(spec.die.hbm.turnaround == from_ns(11));
    CHECK(spec.die.hbm.write_batch == 35);
    CHECK(spec.die.hbm.write_queue == 72);
    CHECK(spec.die.hbm.port_buffer == 37 * 1024);
    CHECK(spec.die.hbm.model == "own_dram");
    CHECK(spec.die.hbm.capacity == Bytes{1} << 30);
    CHECK(spec.die.sram.capacity == Bytes{2} << 30);
    CHECK(spec.die.sram.bandwidth == Bandwidth{6'000'000'000});
    CHECK(spec.die.sram.latency == from_ns(12));
    CHECK(spec.die.sram.router == 29);
    CHECK(spec.die.sram.port_buffer == 38 * 1024);
    CHECK(spec.pe.clock == Clock{1'700'000'000});
    CHECK(spec.pe.control == from_ns(13));
    CHECK(spec.pe.scheduler == from_ns(14));
    CHECK(spec.pe.tcm.capacity == Bytes{3} << 30);
    CHECK(spec.pe.tcm.read == Bandwidth{7'000'000'000});
    CHECK(spec.pe.tcm.write == Bandwidth{8'000'000'000});
    CHECK(spec.pe.dma.setup == from_ns(15));
    CHECK(spec.pe.dma.outstanding_bursts == 12);
    CHECK(spec.pe.stream_depth == 13);
    CHECK(spec.pe.output_depth == 14);
    CHECK(spec.pe.fetch == Bandwidth{9'000'000'000});
    CHECK(spec.pe.store == Bandwidth{10'000'000'000});
    CHECK(spec.pe.mac.macs_per_cycle == 15);
    CHECK(spec.pe.mac.dataflow == Dataflow::kDotProduct);
    const auto cells = parse_machine(with_cells(), "m.yaml", {"pe.mac.weight_buffers=2"}).spec.pe.mac;
    CHECK(cells.macs_per_cycle == 0);
    CHECK(cells.dataflow == Dataflow::kWeightStationary);
    CHECK(cells.rows == 40);
    CHECK(cells.columns == 41);
    CHECK(cells.depth == 42);
    CHECK(cells.weight_buffers == 2);
    const auto rated =
        parse_machine(kExample, "m.yaml",
                      {"pe.mac.rates.fp16=1", "pe.mac.rates.fp8_e4m3=2", "pe.mac.rates.fp8_e5m2=1.75",
                       "pe.mac.rates.int8=4", "pe.mac.rates.tf32=0.5", "pe.mac.rates.fp32=0.0625",
                       "pe.mac.rates.bfp8=3", "pe.mac.rates.bfp4=5", "pe.mac.rates.mxfp8=6", "pe.mac.rates.mxfp4=7"});
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kBf16) == 1'000'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kFp16) == 1'000'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kFp8E4m3) == 2'000'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kFp8E5m2) == 1'750'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kInt8) == 4'000'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kTf32) == 500'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kFp32) == 62'500);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kBfp8) == 3'000'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kBfp4) == 5'000'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kMxfp8) == 6'000'000);
    CHECK(rated.spec.pe.mac.rates.of(Dtype::kMxfp4) == 7'000'000);
    CHECK(spec.pe.mac.rates.of(Dtype::kFp16) == 0);
    CHECK(spec.pe.mac.fill_cycles == 16);
    CHECK(spec.pe.mac.operand_registers == 17);
    CHECK(spec.pe.mac.accumulators == 18);
    CHECK(spec.pe.mac.tile == TileShape{19, 20, 21});
    CHECK(spec.pe.vector.lanes == 22);
    CHECK(spec.pe.vector.latency_cycles == 23);
    CHECK(spec.pe.vector.rates.special == 250'000);
    CHECK(spec.pe.vector.rates.reduce == 1'000'000);
    CHECK(spec.pe.vector.rates.convert == 1'000'000);
    const auto vector =
        parse_machine(kExample, "m.yaml",
                      {"pe.vector.rates.special=0.125", "pe.vector.rates.reduce=0.5", "pe.vector.rates.convert=4"})
            .spec.pe.vector.rates;
    CHECK(vector.special == 125'000);
    CHECK(vector.reduce == 500'000);
    CHECK(vector.convert == 4'000'000);
    CHECK(spec.pe.message_queue.slots == 30);
    CHECK(spec.pe.message_queue.slot == 31 * 1024);
    CHECK(spec.pe.message_queue.credit == 32);
    CHECK(spec.pe.message_queue.tier == MemoryTier::kHbm);
    CHECK(spec.pe.message_queue.wait == ReceiveWait::kPoll);
    CHECK(spec.pe.message_queue.wake == from_ns(33));
    CHECK(spec.pe.message_queue.poll_interval == from_ns(34));
    CHECK(spec.pe.message_queue.consumer == SlotConsumer::kInline);
    CHECK(spec.simulation.packet == 128);
  }

  TEST_CASE("3.5 a key with a default may be absent, and so may a section of such keys") {
    auto text = changed(
        "    turnaround: 11 ns\n    write_batch: 35\n    write_queue: 72\n    port_buffer: 37 KiB\n    model: "
        "own_dram\n",
        "");
    text = changed("simulation:\n  packet_bytes: 128 B\n", "", text);
    const auto spec = parse_machine(text, "m.yaml").spec;
    CHECK(spec.die.hbm.turnaround == from_ns(16));
    CHECK(spec.die.hbm.write_batch == 16);
    CHECK(spec.die.hbm.write_queue == 32);
    CHECK(spec.die.hbm.port_buffer == 16'384);
    CHECK(spec.die.hbm.model == "pseudo_channels");
    CHECK(spec.simulation.packet == 256);
    CHECK(
        errors_of(changed("burst: 64 B", "burst: 512 B", text)) ==
        one_error("m.yaml:19:12: simulation.packet_bytes: contradicts die.hbm.burst: expected a multiple of the burst, "
                  "512 B, got 256 B (the default)"));
  }

  TEST_CASE("3.5 what links packages or dies may be absent only where there is one of them") {
    REQUIRE(kExample.find("  package_link: ") != std::string::npos);
    const std::size_t link = kExample.find("  package_link: ");
    const std::size_t dies = kExample.find("  die_to_die: ");
    const auto without = [](std::size_t at) {
      std::string text(kExample);
      return text.erase(at, text.find('\n', at) + 1 - at);
    };
    const std::vector<std::string> one_package{"system.packages.rows=1", "system.packages.columns=1"};
    const std::vector<std::string> one_die{"package.dies.rows=1", "package.dies.columns=1"};
    CHECK(errors_of(without(link))
              .find("system.package_link: missing section; expected the keys bandwidth, latency, "
                    "buffer, switch_latency, as there are several packages") != std::string::npos);
    CHECK(errors_of(without(link), one_package).empty());
    CHECK(errors_of(without(dies))
              .find("package.die_to_die: missing section; expected the keys connections, bandwidth, "
                    "port_latency, buffer, as there are several dies") != std::string::npos);
    CHECK(errors_of(without(dies), one_die)
              .find("as there are several packages, and a die reaches the switch of its package by die-to-die ports") !=
          std::string::npos);
    std::vector<std::string> alone = one_package;
    alone.insert(alone.end(), one_die.begin(), one_die.end());
    CHECK(errors_of(without(dies), alone).empty());
    const auto machine = parse_machine(without(dies), "m.yaml", alone);
    CHECK(machine.left_out.empty());
    CHECK(machine.spec.absent == std::vector<std::string>{"package.die_to_die"});
  }

  TEST_CASE("3.5 what --set says of a section that the file leaves out is not called missing") {
    const std::string small = "schema: kernbench.machine/1\nname: small\n";
    const std::string errors = errors_of(small, {"package.dies.rows=2", "package.die_to_die.connections=4"});
    for (const char* key : {"bandwidth", "port_latency", "buffer"}) {
      CHECK(errors.find(std::string("m.yaml:1:1: package.die_to_die.") + key + ": missing; ") != std::string::npos);
    }
    CHECK(errors.find("missing section; expected the keys die_to_die") == std::string::npos);
  }

  TEST_CASE("3.7 a key that is missing contradicts nothing, whatever its default") {
    const std::size_t line = kExample.find("  die_to_die: ");
    std::string text(kExample);
    text.erase(line, text.find('\n', line) + 1 - line);
    const std::string errors = errors_of(text, {"die.routers.columns=5", "die.routers.rows=7"});
    CHECK(errors.find("as there are several dies") != std::string::npos);
    CHECK(errors.find("contradicts die.routers") == std::string::npos);
  }

  TEST_CASE("3.9 --set changes exactly the key it names, for every key") {
    std::set<std::string> hashes;
    for (const auto& key : machine_keys()) {
      CAPTURE(key.path);
      const auto text = text_for(key.path);
      const auto before = parse_machine(text, "m.yaml");
      hashes.insert(before.sha256);
      const auto value = other_value(key, before.spec);
      const auto after = parse_machine(text, "m.yaml", {std::string(key.path) + "=" + value});
      CHECK(written_value(key, after.spec) == value);
      for (const auto& other : machine_keys()) {
        const bool same =
            value_in_canonical_form(after.spec, other.path) == value_in_canonical_form(before.spec, other.path);
        CHECK(same == (other.path != key.path || key.path == "schema"));
      }
      CHECK(hashes.insert(after.sha256).second == (key.path != "schema"));
    }
  }

  TEST_CASE("3.9 --set may give a key that the file lacks, and its value may be written with spaces or quotes") {
    const auto text = changed("  clock: 1.7 GHz\n", "");
    CHECK(parse_machine(text, "m.yaml", {"pe.clock= 2GHz"}).spec.pe.clock == Clock{2'000'000'000});
    CHECK(parse_machine(text, "m.yaml", {"pe.clock='2 GHz'"}).spec.pe.clock == Clock{2'000'000'000});
  }

  TEST_CASE("3.10 the hash is the machine's: comments, order, spelling of values and the file's name do not matter") {
    const auto hash = parse_machine(kExample, "m.yaml").sha256;
    CHECK(hash.size() == 64);
    auto text = changed("schema: kernbench.machine/1\n", "# a comment\n");
    text = changed("  clock: 1.7 GHz\n  control_latency: 13 ns\n",
                   "  control_latency: '13000 ps'\n  clock: 1700.0MHz\n", text);
    text = changed("dies: {rows: 6, columns: 7}", "dies:\n    columns: 7\n    rows: 6", text) +
           "schema: kernbench.machine/1\n";
    CHECK(parse_machine(text, "other.yaml").sha256 == hash);
    CHECK(parse_machine(kExample, "m.yaml", {"pe.clock=1.7 GHz"}).sha256 == hash);
  }

  TEST_CASE("3.10 the hash is SHA-256 of the canonical form: a line a key, in base units") {
    const auto spec = parse_machine(kExample, "m.yaml").spec;
    const auto form = canonical_form(spec);
    CHECK(form.starts_with("schema=kernbench.machine/1\nname=example.m-1\nsystem.packages.rows=3\n"));
    CHECK(parse_machine(kExample, "m.yaml").sha256 == sha256_hex(form));
    CHECK(value_in_canonical_form(spec, "pe.clock") == "1700000000");
    CHECK(value_in_canonical_form(spec, "system.arrangement") == "torus");
    CHECK(value_in_canonical_form(spec, "die.wire.router_to_router") == "9");
  }

  TEST_CASE("3.10 a key added to the table leaves hashes alone until its value differs from its default") {
    const auto spec = parse_machine(kExample, "m.yaml").spec;  // its stream_depth is 13
    std::vector<MachineKey> before;
    std::vector<MachineKey> added;
    for (const auto& key : machine_keys()) {
      added.push_back(key);
      if (key.path != "pe.stream_depth") {
        before.push_back(key);
        continue;
      }
      added.back().default_value = "13";
      added.back().in_hash = InHash::kUnlessDefault;
    }
    CHECK(canonical_form(spec, added) == canonical_form(spec, before));
    auto other = spec;
    other.pe.stream_depth = 14;
    CHECK(canonical_form(other, added) == canonical_form(other));
    CHECK(canonical_form(other, before) == canonical_form(spec, before));
  }

  TEST_CASE("3.10 keys of model version 1 are in the hash at their defaults too, later ones are not") {
    const std::set<std::string_view> later{"die.hbm.write_batch",
                                           "die.hbm.write_queue",
                                           "die.hbm.port_buffer",
                                           "die.sram.port_buffer",
                                           "die.hbm.model",
                                           "die.hbm.controllers",
                                           "die.hbm.interleave",
                                           "die.hbm.hash",
                                           "die.hbm.routing",
                                           "die.router.multicast",
                                           "pe.mac.dataflow",
                                           "pe.mac.rows",
                                           "pe.mac.columns",
                                           "pe.mac.depth",
                                           "pe.mac.weight_buffers",
                                           "pe.mac.rates.fp16",
                                           "pe.mac.rates.fp8_e4m3",
                                           "pe.mac.rates.fp8_e5m2",
                                           "pe.mac.rates.int8",
                                           "pe.mac.rates.tf32",
                                           "pe.mac.rates.fp32",
                                           "pe.mac.rates.bfp8",
                                           "pe.mac.rates.bfp4",
                                           "pe.mac.rates.mxfp8",
                                           "pe.mac.rates.mxfp4",
                                           "pe.vector.rates.special",
                                           "pe.vector.rates.reduce",
                                           "pe.vector.rates.convert",
                                           "pe.accumulate_bandwidth",
                                           "pe.mac.register_block.rows",
                                           "pe.mac.register_block.columns"};
    for (const auto& key : machine_keys()) {
      CAPTURE(key.path);
      const bool energy_or_cost = key.path.starts_with("energy.") || key.path.starts_with("cost.");
      CHECK((key.in_hash == InHash::kUnlessDefault) == (energy_or_cost || later.contains(key.path)));
    }
  }

  TEST_CASE("3.6 the limits of every key are accepted as written and the next value beyond is refused") {
    for (const auto& key : machine_keys()) {
      const auto* field = std::get_if<QuantityField>(&key.field);
      if (field == nullptr) continue;
      CAPTURE(key.path);
      MachineSpec spec;
      const auto least = parse_quantity(field->least, field->dimension);
      const auto most = parse_quantity(field->most, field->dimension);
      read_value(key, field->least, spec);
      CHECK(field->get(spec) == least);
      read_value(key, field->most, spec);
      CHECK(field->get(spec) == most);
      const auto refused = [&](std::int64_t value) {
        CHECK_THROWS_AS(read_value(key, format_quantity(value, field->dimension), spec), ConfigError);
        CHECK(field->get(spec) == most);
      };
      refused(most + 1);
      if (least > 0) refused(least - 1);
      if (!key.default_value.empty()) CHECK_NOTHROW(read_value(key, key.default_value, spec));
    }
  }
}

TEST_SUITE("ADR-0031") {
  TEST_CASE("31.1 the peak is that of all cells, or what the file says where there are none") {
    const auto peak = [](const std::string& text) { return parse_machine(text, "m.yaml").spec.pe.mac.peak_macs(); };
    CHECK(peak(std::string(kExample)) == 15);
    CHECK(peak(with_cells()) == 40 * 41 * 42);
    const auto cells = parse_machine(with_cells(), "m.yaml");
    CHECK(cells.spec.pe.peak_tflops() == doctest::Approx(2 * 40 * 41 * 42 * 1.7e9 / 1e12));
    CHECK(cells.left_out.empty());
    CHECK(parse_machine(kExample, "m.yaml").left_out.empty());
  }
}
