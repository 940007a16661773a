// Figures as files.
#include "benches/harness/figures/render.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "benches/harness/figures/page.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "tests/figures/sample_results.hpp"

TEST_CASE("draw") {
  const auto [sim, theory] = kernbench::sample::results();
  const auto figures = kernbench::milestone_1h_gemm_figures(sim, theory);
  kernbench::render_figures(figures, "/tmp/figs");
  kernbench::write_page("GEMM", figures, sim, theory, "/tmp/figs/index.html");

  auto broken_sim = sim;
  auto broken_theory = theory;
  broken_sim.rows[1].status = "failed";
  broken_sim.rows[1].reason = "time-out";
  broken_sim.rows[1].metrics = kernbench::Json::object();
  broken_sim.rows[1].stages.clear();
  broken_theory.rows.erase(broken_theory.rows.begin() + 5);
  broken_sim.rows[12].metrics["time_ns"] = 700;
  kernbench::render_figures(kernbench::milestone_1h_gemm_figures(broken_sim, broken_theory), "/tmp/figs/broken");
  broken_sim.rows.resize(1);
  broken_sim.rows[0] = sim.rows[18];
  kernbench::render_figures(kernbench::milestone_1h_gemm_figures(broken_sim, broken_theory), "/tmp/figs/one");
  CHECK(1);
}
