// Figures as files.
#include <doctest/doctest.h>

#include <filesystem>

#include "benches/harness/figures/page.hpp"
#include "benches/harness/figures/render.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "tests/figures/sample_results.hpp"

TEST_CASE("draw") {
  const auto [sim, theory] = kernbench::sample::results();
  const auto figures = kernbench::milestone_1h_gemm_figures(sim, theory);
  kernbench::render_figures(figures, "/tmp/figs");
  kernbench::write_page("GEMM", figures, sim, theory, "/tmp/figs/index.html");
  CHECK(std::filesystem::exists("/tmp/figs/index.html"));
}
