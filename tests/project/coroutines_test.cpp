// Coroutines start later than they are called: no parameter of one is a reference.
#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/project/sources.hpp"

using kernbench::project::joined;
using kernbench::project::line_at;
using kernbench::project::SourceFile;

namespace {

/// Every function and lambda that returns a Process or a Task, has a body or is declared, and takes a reference.
std::vector<std::string> reference_parameters(const SourceFile& file) {
  static const std::regex kFunction(R"(\b(?:Process|Task<[^;{}()]*>)\s+(?:\w+::)*\w+\(([^()]*)\))");
  static const std::regex kLambda(R"(\]\s*\(([^()]*)\)\s*(?:mutable\s*)?->\s*(?:Process|Task<))");
  std::vector<std::string> found;
  for (const std::regex* pattern : {&kFunction, &kLambda}) {
    for (std::sregex_iterator match(file.text.begin(), file.text.end(), *pattern), end; match != end; ++match) {
      if ((*match)[1].str().find('&') == std::string::npos) continue;
      found.push_back(file.path + ":" +
                      std::to_string(line_at(file.text, static_cast<std::size_t>(match->position()))) +
                      ": a coroutine takes a reference: " + match->str());
    }
  }
  return found;
}

bool flagged(const std::string& text) { return !reference_parameters({"a.cpp", text}).empty(); }

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.17 no coroutine takes a parameter by reference") {
    std::vector<std::string> found;
    int files = 0;
    for (const SourceFile& file : kernbench::project::sources({".hpp", ".cpp"})) {
      if (file.path.rfind("sim/", 0) != 0 && file.path.rfind("benches/", 0) != 0) continue;
      ++files;
      const auto here = reference_parameters(file);
      found.insert(found.end(), here.begin(), here.end());
    }
    CHECK(files > 100);
    CHECK_MESSAGE(found.empty(), joined(found));
  }

  TEST_CASE("1.17 a reference is found in functions, members, declarations and lambdas") {
    CHECK(flagged("Process run(KernelPe& pe, const GemmCall& gemm) {"));
    CHECK(flagged("Task<std::vector<float>> MessageQueue::receive(Bytes bytes,\n    const Landing& landing) {"));
    CHECK(flagged("  Task<Pending> composite(MathCall&& math);"));
    CHECK(flagged("const auto kernel = [=](KernelPe& pe) -> Process { co_return; };"));
    CHECK(flagged("auto f = [] (const int& i) mutable -> Task<int> { co_return i; };"));
    CHECK_FALSE(flagged("Process run(KernelPe pe, GemmCall* gemm) {"));
    CHECK_FALSE(flagged("const auto kernel = [&](KernelPe pe) -> Process { co_return; };"));
    CHECK_FALSE(flagged("void start(Process& process);"));
    CHECK_FALSE(flagged("Process process; void run(int& i) {"));
  }
}
