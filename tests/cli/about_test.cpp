// What the program says about itself: help, manual pages, completion, and what it answers to slips.
#include <doctest/doctest.h>

#include <cstdlib>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "tests/cli/program.hpp"

namespace {

using Words = std::vector<std::string>;

Words joined(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// As the --help of `above` lists them.
Words commands_of(const Workplace& place, const Words& above = {}) {
  Words commands;
  const std::string help = place.run(kProgram, joined(above, {"--help"})).out;
  const std::size_t list = help.find("\nCommands:\n");
  if (list == std::string::npos) return commands;
  std::string names = help.substr(list + 11);
  names = names.substr(0, names.find("\n\n"));
  const std::regex name("(^|\n)  ([a-z][-_a-z0-9]*)(?=[ \n]|$)");
  for (std::sregex_iterator at(names.begin(), names.end(), name), end; at != end; ++at) commands.push_back((*at)[2]);
  return commands;
}

/// Every command with its sub-commands; the program itself is no words.
std::vector<Words> all_commands(const Workplace& place, const Words& above = {}) {
  std::vector<Words> commands{above};
  for (const std::string& command : commands_of(place, above)) {
    for (Words& below : all_commands(place, joined(above, {command}))) commands.push_back(std::move(below));
  }
  return commands;
}

std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> options;
  const std::regex line("\n  (-[^ ]*)");
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at) {
    const std::string names = (*at)[1];
    const std::regex name("--?[a-z][-a-z0-9]*");
    for (std::sregex_iterator one(names.begin(), names.end(), name); one != end; ++one) options.insert((*one).str());
  }
  return options;
}

void check_slip(const Words& words, const std::string& message) {
  const Workplace place;
  const Ended ended = place.run(kProgram, words);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_MESSAGE(has(ended.err, message), ended.err);
}

}  // namespace

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.1 a slip in a command, at any depth, names the nearest one") {
    check_slip({"rnu"}, "unknown command 'rnu': did you mean 'run'?");
    check_slip({"sim", "gem"}, "unknown command of sim 'gem': did you mean 'gemm'?");
    check_slip({"sim", "gem", "--m", "64"}, "unknown command of sim 'gem': did you mean 'gemm'?");
    check_slip({"topology", "chekc"}, "unknown command of topology 'chekc': did you mean 'check'?");
    check_slip({"dev", "adr", "chek"}, "did you mean 'check'?");
    check_slip({"reference", "shwo"}, "did you mean 'show'?");
    check_slip({"help", "topologie"}, "did you mean 'topology'?");
    check_slip({"sim"}, "expected a command after kernbench sim\nkernbench sim --help lists the commands");
  }

  TEST_CASE("27.1 a slip in an option names the nearest one, whatever else is missing") {
    check_slip({"sim", "gemm", "--varient", "load_ref"},
               "kernbench sim gemm has no option --varient; did you mean \"--variant\"?");
    check_slip({"sim", "gemm", "--m", "8", "--k", "8", "--n", "8", "--varient=load_ref"}, "\"--variant\"?");
    check_slip({"run", "--bench", "milestone-1h-gemm", "-verbose"}, "did you mean \"--verbose\"?");
    check_slip({"--verison"}, "did you mean \"--version\"?");
    check_slip({"probe", "--frobnicate"}, "kernbench probe has no option --frobnicate\nkernbench probe --help lists");
    check_slip({"sim", "collective", "--scale", "dei"}, "--scale: unknown scale 'dei': did you mean 'die'?");
    check_slip({"topology", "diagram", "--level", "packge"}, "did you mean 'package'?");
  }

  TEST_CASE("27.2 help COMMAND says what COMMAND --help does, and no line is wider than 80 columns") {
    const Workplace place;
    const std::vector<Words> commands = all_commands(place);
    CHECK(commands.size() > 20);
    for (const Words& command : commands) {
      const Ended help = place.run(kProgram, joined({"help"}, command));
      CHECK(help.exit_code == 0);
      CHECK(help.out == place.run(kProgram, joined(command, {"--help"})).out);
      CHECK_MESSAGE(widest_line(help.out) <= 80, help.out);
    }
  }

  TEST_CASE("27.2 the manual page of a command has every option of its help, and roff takes it without a warning") {
    const Workplace place;
    const bool groff = std::system("command -v groff > /dev/null") == 0;
    for (const Words& command : all_commands(place)) {
      const Ended man = place.run(kProgram, joined({"man"}, command));
      CHECK(man.exit_code == 0);
      std::string plain = std::regex_replace(man.out, std::regex("\\\\-"), "-");
      plain = std::regex_replace(plain, std::regex("\\\\f[BIR]"), "");
      const std::set<std::string> options = options_in(place.run(kProgram, joined({"help"}, command)).out);
      CHECK(options.contains("--help"));
      for (const std::string& option : options) {
        CHECK_MESSAGE(std::regex_search(plain, std::regex("\n(.*, )?" + option + "[, \n]")), option);
      }
      if (!groff) continue;
      kernbench::write_file(place.path() / "page.1", man.out);
      const std::string page = (place.path() / "page.1").string();
      CHECK(std::system(("test -z \"$(groff -man -Tutf8 -ww " + page + " 2>&1 > /dev/null)\"").c_str()) == 0);
    }
  }

  TEST_CASE("27.2 bash completes commands, options and choices, and knows where a file stands") {
    const Workplace place;
    kernbench::write_file(place.path() / "mine.yaml", "");
    kernbench::write_file(place.path() / "completion.sh", place.run(kProgram, {"completion", "bash"}).out);
    const auto completed = [&place](const std::string& line) {
      kernbench::write_file(place.path() / "ask.sh", ". ./completion.sh; COMP_WORDS=(" + line +
                                                         "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kernbench; "
                                                         "echo \" ${COMPREPLY[*]} \"");
      return place.run("/bin/bash", {"ask.sh"}).out;
    };
    CHECK(completed("kernbench to") == " topology \n");
    CHECK(completed("kernbench sim ge") == " gemm \n");
    CHECK(has(completed("kernbench sim gemm --va"), " --variant "));
    CHECK(completed("kernbench sim collective --scale ''") == " auto die package system \n");
    CHECK(has(completed("kernbench probe --topology mi"), " mine.yaml "));
    CHECK(has(completed("kernbench topology show mi"), " mine.yaml "));
    CHECK(completed("kernbench completion ''").find(" bash zsh ") == 0);
    CHECK(has(completed("kernbench dev ''"), " adr cache task trace-grow "));
    CHECK(completed("kernbench reference predict e") == " error \n");
    CHECK(completed("kernbench pre") == "  \n");
    CHECK(has(place.run(kProgram, {"completion", "zsh"}).out, "bashcompinit"));
  }

  TEST_CASE("27.9 the commands are few, and what builders alone need is below dev") {
    const Workplace place;
    CHECK(commands_of(place) == Words{"run", "sim", "list", "map", "whatif", "search", "compare", "report", "topology",
                                      "probe", "reference", "trace", "help", "completion", "man", "dev"});
    CHECK(commands_of(place, {"dev"}) == Words{"adr", "cache", "task", "trace-grow"});
  }

  TEST_CASE("27.9 a name that a command had is refused in one line, with the one that it has") {
    const auto check_moved = [](const Words& words, const std::string& before, const std::string& now) {
      const Workplace place;
      const Ended ended = place.run(kProgram, words);
      CHECK(ended.exit_code == 2);
      CHECK(ended.out.empty());
      CHECK(ended.err == "error: kernbench " + before + " is called kernbench " + now + " now\n");
    };
    check_moved({"adr"}, "adr", "dev adr");
    check_moved({"adr", "check", "--root", "."}, "adr", "dev adr");
    check_moved({"cache", "stat"}, "cache", "dev cache");
    check_moved({"calibrate", "--help"}, "calibrate", "topology calibrate");
    check_moved({"help", "plan", "universal-gemm"}, "plan", "sim universal-gemm --plan");
    check_moved({"man", "predict"}, "predict", "reference predict");
    check_moved({"plan", "universal-gemm", "--m", "8"}, "plan", "sim universal-gemm --plan");
    check_moved({"predict", "tflops", "--nothing"}, "predict", "reference predict");
    check_moved({"sim", "kernel", "mlp"}, "sim kernel", "sim KERNEL");
    check_moved({"task", "folder", "0"}, "task", "dev task");
    check_moved({"trace", "grow", "in.json", "out.json"}, "trace grow", "dev trace-grow");
  }
}
