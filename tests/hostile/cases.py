"""Hostile cases: command lines, machine files, JSON documents and tables that are wrong, extreme or damaged.

A case follows from its seed and number alone. Options, ranges and examples are taken from the program and the repository, so
that a new option or key is tried without a change here.
"""

import json
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

NUMBERS = """0 -0 -1 1 2 3 010 0x10 1e3 +1 1.5 .5 nan inf -inf 1e-9 1e308 1e999 65536 2147483648 4294967296 1000000
    9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616""".split()
LISTS = [
    ",",
    ",,",
    "a,",
    ",a",
    "1KiB:",
    ":",
    "16B:1KiB:x1",
    "16B:64MiB:+2B",
    "1KiB,,2KiB",
    "0B",
    "3B",
    "0.1:0.2",
    "=",
    "a=",
    "=a",
]
QUANTITIES = "1 KiB;1KB;-4 ns;0 ns;1000000 us;4;1.7 GHz;99999999999 TiB;0.0000001 ns;4 ns ns;1e3 B;64MiB;8B".split(";")
# Outside the case's folder only what nobody can write, root neither: a command takes any of these for a file to replace.
PATHS = ["/", ".", "..", "/proc/none/x", "/proc/self/maps", "none/x", "t.csv/x"]
TEXTS = [
    "",
    " ",
    "-",
    "--",
    "*",
    "%s%n",
    "ring",
    "all",
    "a" * 5000,
    "\x1b[31m",
    "\t",
    "\n",
    "µ",
    "'; --",
    '"',
    "{a: 1}",
]
TEXTS += ["[", "&a", "*a", "!!int 1", "schema", "~", "null", "true", *PATHS]
VALUES = NUMBERS + LISTS + QUANTITIES + TEXTS

# What is started: small, so that thousands are done in minutes. WORK is the case's folder.
GEMM = "sim gemm --m 64 --k 64 --n 64 --variant load_ref --timeout 5 --json".split()
COMMANDS = [
    GEMM,
    "sim operator --op gelu --sequence 64 --dimension 64 --over 0.0.0 --timeout 5 --json".split(),
    "sim collective --sizes 1KiB --timeout 5 --jobs 1 --json".split(),
    "sim noc --mesh 4x4 --warm-up 100 --measure 200 --timeout 5 --jobs 1 --json".split(),
    "probe --only own-* --bytes 1KiB --timeout 5 --jobs 1 --json".split(),
    "topology check".split(),
    "topology show".split(),
    "reference list".split(),
    "reference show nvidia-h200 gpu-copy --csv".split(),
    "reference import WORK/t.csv --published x --bench gpu-gemm --into WORK/into --dry-run".split(),
    "run --bench milestone-1h-gemm --only shape=32x32x32,variant=ref_ref --out WORK/out --no-figures --jobs 1 --timeout 5".split(),
    "run --bench milestone-1h-gemm --only shape=32x32x32,variant=ref_ref --out WORK/out --no-figures --fast".split(),
    "list".split(),
]
ON_MACHINE = [*COMMANDS[:3], COMMANDS[4], COMMANDS[5], COMMANDS[6]]

TABLE = "m,k,n,dtype,time_ns,tflops,note\n1024,1024,1024,bf16,9000,238.6,a\n2048,2048,2048,bf16,60000,286.3,b\n"

# Keys whose extremes make a network of millions of links: planning them is another kind of case.
SIZES_OF_NETWORK = re.compile(r"(packages|dies|routers)\.(rows|columns)|connections|virtual_channels|sram\.router")


@dataclass
class Case:
    kind: str
    arguments: list[str]
    files: dict[str, bytes] = field(default_factory=dict)  # by name in the case's folder


@dataclass
class Key:
    path: str
    least: str
    most: str


def machine_keys() -> list[Key]:
    page = (ROOT / "docs/machine-file.md").read_text(encoding="utf-8")
    return [Key(*found) for found in re.findall(r"^\| `([\w.]+)` \| [^|]+ \| (\S[^|]*?) to (\S[^|]*?) \|", page, re.M)]


def options_of(program: str, command: list[str]) -> list[tuple[str, bool]]:
    """The options that --help names, and whether they take a value."""
    words = [word for word in command[:2] if not word.startswith("-")]
    if words[0] in ("run", "list", "probe"):
        words = words[:1]
    text = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s+(?:-\w,\s*)?(--[a-z][\w-]*)(?:,--?[\w-]+)*[ \t]*(\S*)", text, re.M)
    return [(name, bool(re.match(r"\[?[A-Z]{2,}|[A-Z](?:\b|:)", kind))) for name, kind in found if name != "--help"]


class Generator:
    def __init__(self, program: str, seed: int):
        self.program = program
        self.seed = seed
        self.keys = machine_keys()
        assert len(self.keys) > 50
        self.options = {" ".join(command): options_of(program, command) for command in COMMANDS}
        self.machines = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "topology").glob("*.yaml"))]
        self.card = (ROOT / "benches/reference/nvidia-h200/device.json").read_bytes()
        self.documents = {name: self.head_of(name) for name in ("copy", "gemm", "operators", "collectives")}
        self.kinds = [
            (self.options_case, 30),
            (self.extreme_machine, 25),
            (self.damaged_machine, 20),
            (self.document, 15),
            (self.table, 10),
            (self.half_run, 3),
            (self.words, 5),
        ]

    @staticmethod
    def head_of(name: str) -> dict:
        document = json.loads((ROOT / f"benches/reference/nvidia-h200/{name}.json").read_text(encoding="utf-8"))
        document["rows"] = document["rows"][:3]
        return document

    def case(self, number: int) -> Case:
        chance = random.Random(f"{self.seed}:{number}")
        make = chance.choices([kind for kind, _ in self.kinds], [weight for _, weight in self.kinds])[0]
        return make(chance)

    # Kinds

    def options_case(self, chance: random.Random) -> Case:
        command = chance.choice(COMMANDS)
        arguments = list(command)
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            name, takes_value = chance.choice(self.options[" ".join(command)])
            if name in ("--into", "--out", "--root", "--from"):
                continue  # where it writes stays in the case's folder
            value = [self.value(chance)] if takes_value else chance.choice([[], [], ["=" + self.value(chance)]])
            if name in arguments and takes_value and chance.random() < 0.8:
                arguments[arguments.index(name) + 1 : arguments.index(name) + 2] = value
            elif takes_value and chance.random() < 0.3:
                arguments.append(name + "=" + value[0])
            else:
                arguments += [name, *value]
        return Case("options", arguments, {"t.csv": TABLE.encode()})

    def extreme_machine(self, chance: random.Random) -> Case:
        arguments = list(chance.choice(ON_MACHINE))
        keys = [key for key in self.keys if not SIZES_OF_NETWORK.search(key.path)]
        for key in chance.sample(keys, chance.randint(1, 5)):
            arguments += ["--set", f"{key.path}={chance.choice([key.least, key.most])}"]
        if chance.random() < 0.3:
            rows, columns = chance.choice([(1, 1), (1, 2), (2, 1), (4, 4)])
            arguments += ["--set", f"package.dies.rows={rows}", "--set", f"package.dies.columns={columns}"]
        return Case("extreme machine", arguments)

    def damaged_machine(self, chance: random.Random) -> Case:
        text = chance.choice(self.machines)
        for _ in range(chance.randint(1, 3)):
            text = chance.choice([self.cut, self.flip, self.lines, self.other_value])(chance, text)
        name = "--topology"
        command = list(chance.choice(ON_MACHINE))
        arguments = [*command, "WORK/m.yaml"] if command[0] == "topology" else [*command, name, "WORK/m.yaml"]
        return Case("damaged machine", arguments, {"m.yaml": text.encode("utf-8", "surrogateescape")})

    def document(self, chance: random.Random) -> Case:
        name = chance.choice(list(self.documents))
        document = json.loads(json.dumps(self.documents[name]))
        card = json.loads(self.card)
        for _ in range(chance.randint(1, 3)):
            self.damage(chance, document if chance.random() < 0.8 else card)
        text, card_text = json.dumps(document, indent=1), json.dumps(card, indent=1)
        if chance.random() < 0.4:
            text = chance.choice([self.cut, self.flip, self.lines, self.nest])(chance, text)
        files = {f"{name}.json": text.encode("utf-8", "surrogateescape"), "device.json": card_text.encode()}
        if chance.random() < 0.5:
            arguments = [
                "reference",
                "import",
                f"WORK/{name}.json",
                "--device",
                "WORK/device.json",
                "--into",
                "WORK/into",
            ]
            return Case("document", [*arguments, "--replace"], files)
        files = {f"ref/nvidia-h200/{file}": bytes_ for file, bytes_ in files.items()}
        shown = chance.choice(
            [["list"], ["list", "--json"], ["show", "nvidia-h200"], ["show", "nvidia-h200", "--json"]]
        )
        shown = chance.choice([shown, ["show", "nvidia-h200", f"gpu-{name}", "--csv"]])
        return Case("document", ["reference", *shown, "--from", "WORK/ref"], files)

    def table(self, chance: random.Random) -> Case:
        text = TABLE
        for _ in range(chance.randint(1, 3)):
            text = chance.choice([self.cut, self.flip, self.lines, self.other_cell])(chance, text)
        arguments = [
            "reference",
            "import",
            "WORK/t.csv",
            "--published",
            "x",
            "--bench",
            "gpu-gemm",
            "--into",
            "WORK/into",
        ]
        if chance.random() < 0.5:
            columns = chance.choice(
                [
                    "time_ns=time_ns*1000",
                    "m/n/k=note[x]",
                    "tflops=tflops[%]*0",
                    "m=m*nan",
                    "m=m*1e308",
                    "q=m",
                    "m=",
                    "m",
                ]
            )
            arguments += ["--columns", columns]
        if chance.random() < 0.5:
            arguments += ["--with", chance.choice(["device=d", "m=1", "m=-1", "m=x", "device=", "l2=warm,dtype=q"])]
        return Case("table", arguments, {"t.csv": text.encode("utf-8", "surrogateescape")})

    def half_run(self, chance: random.Random) -> Case:
        """A folder that an earlier run, or something else, left behind."""
        row = '{"point":{"m":32},"status":"ok","metrics":{"time_ns":1},"stages":[],"windows":{},"flags":[]}\n'
        text = '{"schema":"kernbench.partial/1"}\n' + row
        text = chance.choice(
            [self.cut, self.flip, self.lines, self.nest, lambda _, whole: chance.choice(VALUES) + whole]
        )(chance, text)
        folder = "out/milestone-1h-gemm"
        name = chance.choice(["partial.jsonl", "results.json", "theory.json"])
        return Case("half run", list(COMMANDS[10]), {f"{folder}/{name}": text.encode("utf-8", "surrogateescape")})

    def words(self, chance: random.Random) -> Case:
        # Without the command that writes where the program comes from.
        known = [word for command in COMMANDS for word in command if word != "import"]
        known += [name for options in self.options.values() for name, _ in options]
        arguments = [
            self.value(chance) if chance.random() < 0.2 else chance.choice(known) for _ in range(chance.randint(0, 6))
        ]
        return Case("words", arguments, {"t.csv": TABLE.encode()})

    # Damages

    def value(self, chance: random.Random) -> str:
        if chance.random() < 0.15:
            key = chance.choice(self.keys)
            return key.path + "=" + chance.choice([*VALUES, key.least, key.most])
        return chance.choice(VALUES)

    def cut(self, chance: random.Random, text: str) -> str:
        return text[: chance.randint(0, len(text))]

    def flip(self, chance: random.Random, text: str) -> str:
        at = chance.randint(0, max(len(text) - 1, 0))
        what = chance.choice(list("{}[]:,#&*!|>'\"%@-?\n\t 0aZ.~") + ["\udcff", "\x00", "\x1b", "µ"])
        return text[:at] + what + text[at + chance.randint(0, 1) :]

    def lines(self, chance: random.Random, text: str) -> str:
        """A line twice, gone, or elsewhere."""
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        line = lines[at]
        if chance.random() < 0.7:
            del lines[at]
        if chance.random() < 0.7:
            lines.insert(chance.randint(0, len(lines)), line)
        return "\n".join(lines)

    def nest(self, chance: random.Random, text: str) -> str:
        at = chance.randint(0, len(text))
        depth = chance.choice([10, 70, 100_000])
        return text[:at] + chance.choice(["[", '{"a":']) * depth + text[at:]

    def other_value(self, chance: random.Random, text: str) -> str:
        places = list(re.finditer(r"(?<=: )[^\s{},]+( [^\s{},]+)?", text))
        if not places:
            return text
        place = chance.choice(places)
        key = chance.choice([key for key in self.keys if not SIZES_OF_NETWORK.search(key.path)])
        value = chance.choice(
            [*VALUES[:-1], key.least, key.most, "*a", "&a 4 ns", "!!int 4", "!!str 1 GHz", "[" * 5000]
        )
        if re.search(r"(rows|columns|connections|virtual_channels): $", text[: place.start()]):
            value = chance.choice(["0", "1", "2", "3", "x", "-1"])
        return text[: place.start()] + value + text[place.end() :]

    def other_cell(self, chance: random.Random, text: str) -> str:
        places = list(re.finditer(r"[^,\n]+", text))
        if not places:
            return text
        place = chance.choice(places)
        return text[: place.start()] + chance.choice([*VALUES, '"a""b"', '"', "1,2"]) + text[place.end() :]

    def damage(self, chance: random.Random, document: dict) -> None:
        """One place of a document becomes something else, goes, or gets a neighbour."""
        places = []

        def walk(value: object) -> None:
            for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
                places.append((value, key))
                walk(value[key])

        walk(document)
        if not places:
            return
        parent, key = chance.choice(places)
        what = chance.random()
        values = [
            None,
            -1,
            0,
            1,
            -1e300,
            1e300,
            5e-324,
            2**63,
            2**64,
            "",
            "x",
            "\u0000",
            [],
            {},
            [[1]],
            {"a": {"b": 1}},
            True,
            ".",
            "../..",
        ]
        if what < 0.15 and isinstance(parent, dict):
            del parent[key]
        elif what < 0.25 and isinstance(parent, dict):
            parent[chance.choice(["x", "time_ns", "trace", "m", "", "time_p90_ns", "status"])] = chance.choice(values)
        elif what < 0.3 and isinstance(parent, list):
            parent.append(json.loads(json.dumps(parent[key])))
        else:
            parent[key] = chance.choice(values)
