// Calls of GEMM operators, their rows and rates.
#include "benches/traces/tables/gemms.hpp"

#include <doctest/doctest.h>

#include <string>

#include "benches/traces/events/classify.hpp"
#include "benches/traces/tables/trace_table.hpp"
#include "tests/support/near.hpp"
#include "tests/trace_analysis/several_ranks.hpp"
#include "tests/trace_analysis/small_trace.hpp"

using kernbench::traces::gemm_groups;
using kernbench::traces::GemmBasis;
using kernbench::traces::GemmGroup;
using kernbench::traces::GemmShape;
using kernbench::traces::RankTrace;

namespace {

/// Of an operator alone, its shape.
GemmShape shape_of(const std::string& op, const std::string& dims, const std::string& strides = "[]") {
  const RankTrace trace =
      read_events({op_text(op, "0", "9", dims, strides), launched("kernel", "k", 1, "10", "1", "1")});
  return trace.gemm_shapes.at(0);
}

std::string text_of(const GemmShape& shape) {
  return std::to_string(shape.batch) + "x" + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
         std::to_string(shape.k) + (shape.added > 0 ? " bias " : " ") + shape.layout;
}

/// An operator with its recorded types, and the numbers among its arguments.
GemmShape typed_shape(const std::string& op, const std::string& dims, const std::string& types,
                      const std::string& values = "[]") {
  const std::string args = R"("Input Dims":)" + dims + R"(,"Input type":)" + types + R"(,"Concrete Inputs":)" + values;
  const RankTrace trace =
      read_events({event_text("cpu_op", op, "0", "9", args), launched("kernel", "k", 1, "10", "1", "1")});
  return trace.gemm_shapes.at(0);
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.15 a call is the union of what its operator launched; a wrapper's GEMM counts once") {
    const RankTrace trace = read_events({op_text("aten::addmm", "0", "20", "[[4],[2,3],[3,4]]", "[[1],[3,1],[4,1]]"),
                                         op_text("aten::mm", "1", "10", "[[2,3],[3,4]]", "[[3,1],[1,3]]"),
                                         launched("gpu_memset", "Memset (Device)", 1, "30", "0.8", "2"),
                                         launched("kernel", "nvjet_a", 2, "32", "4", "3"),
                                         launched("kernel", "split_k", 3, "35", "3", "4")});
    const auto groups = gemm_groups(trace, {});
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].shape.op == "aten::mm");
    REQUIRE(groups[0].calls.size() == 1);
    const auto& call = groups[0].calls[0];
    CHECK(call.time == 6'800'000);
    CHECK(call.start == 30'000'000 - 0);
    CHECK(call.end == 38'000'000);
    CHECK(trace.name(trace.gpu_events[call.kernel].name) == "nvjet_a");
    CHECK(groups[0].kernel == "nvjet_a");
  }

  TEST_CASE("40.16 shapes, layouts and biases of each operator") {
    CHECK(text_of(shape_of("aten::mm", "[[2,3],[3,4]]", "[[3,1],[1,3]]")) == "1x2x4x3 NT");
    CHECK(text_of(shape_of("aten::addmm", "[[4],[2,3],[3,4],[],[]]", "[[1],[1,2],[4,1],[],[]]")) == "1x2x4x3 bias TN");
    CHECK(text_of(shape_of("aten::bmm", "[[5,2,3],[5,3,4]]", "[[6,3,1],[12,4,1]]")) == "5x2x4x3 NN");
    CHECK(text_of(shape_of("aten::baddbmm", "[[5,2,4],[5,2,3],[5,3,4]]")) == "5x2x4x3 bias ");
    CHECK(text_of(shape_of("aten::_int_mm", "[[2,3],[3,4]]")) == "1x2x4x3 ");
    CHECK(text_of(shape_of("aten::_scaled_mm", "[[2,3],[3,4],[],[],[4]]")) == "1x2x4x3 bias ");
    CHECK(text_of(shape_of("aten::_scaled_mm", "[[2,3],[3,4],[2,1],[1,4],[]]")) == "1x2x4x3 ");
    CHECK_FALSE(shape_of("aten::mm", "[[2,3],[4,4]]").is_known());
    CHECK_FALSE(shape_of("aten::mm", "[]").is_known());
    CHECK_FALSE(shape_of("aten::mm", "[[],[3,4]]").is_known());
    CHECK_FALSE(shape_of("aten::mm", "[[-2,3],[3,4]]").is_known());
    CHECK_FALSE(shape_of("aten::mm", "[[4000000000,4000000000],[4000000000,4000000000]]").is_known());
  }

  TEST_CASE("40.16 without shapes a row is of operator and kernel, and of the kernel's name without an operator") {
    const auto groups = gemm_groups(
        read_events({event_text("cpu_op", "aten::mm", "0", "1"), event_text("cpu_op", "aten::mm", "2", "1"),
                     launched("kernel", "b", 1, "10", "1", "0.1"), launched("kernel", "a", 2, "12", "1", "2.1"),
                     launched("kernel", "Cijk_x", 3, "3.5", "1", "5"), launched("kernel", "relu", 4, "16", "1", "6"),
                     launched("kernel", "Cijk_x", 5, "18", "2", "7")}),
        {});
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].basis == GemmBasis::kKernel);
    CHECK(groups[0].kernel == "b");
    CHECK(groups[1].kernel == "a");
    CHECK(groups[2].basis == GemmBasis::kName);
    CHECK(groups[2].shape.op.empty());
    CHECK(groups[2].calls.size() == 2);
  }

  TEST_CASE("40.16 names of GEMM kernels") {
    using kernbench::traces::is_gemm_name;
    CHECK(is_gemm_name("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"));
    CHECK(is_gemm_name("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu>(Params)"));
    CHECK(is_gemm_name("ampere_fp16_s16816gemm_fp16_128x128"));
    CHECK(is_gemm_name("Cijk_Alik_Bljk_BBS"));
    CHECK_FALSE(is_gemm_name("void pytorch_flash::flash_fwd_kernel<Traits<cutlass::bfloat16_t> >(Params)"));
    CHECK_FALSE(is_gemm_name("fmha_cutlassF_bf16_aligned_64x64_rf_sm80"));
    CHECK_FALSE(is_gemm_name("igemm_fwd_gtcx3_nhwc_bf16"));
    CHECK_FALSE(is_gemm_name("void at::native::elementwise_kernel<gemm>"));
  }

  TEST_CASE("40.16 a kernel is named by itself or, of CUTLASS's entry points, by its type; not by its namespaces") {
    using kernbench::traces::is_gemm_name;
    CHECK(is_gemm_name("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<x> >(Params)"));
    CHECK(is_gemm_name("void cutlass::device_kernel<grouped_gemm>(Params)"));
    CHECK(
        is_gemm_name("void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<"
                     "cutlass::gemm::kernel::GemmUniversal<x> > >(Params)"));
    CHECK(is_gemm_name("void (anonymous namespace)::fp8_gemm_kernel<4>(int)"));
    CHECK(
        is_gemm_name("void cutlass::device_kernel<vllm::(anonymous namespace)::enable_sm90_or_later<"
                     "cutlass::gemm::kernel::GemmUniversal<x> > >(Params)"));
    CHECK(is_gemm_name("void deep_gemm::fp8_gemm_kernel<4096u>(float*)"));
    for (const char* other : {
             "void cutlass::device_kernel<flash::FlashAttnBwd<flash::Mainloop<2>, cutlass::bfloat16_t> >(Params)",
             "void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cutlass::bfloat16_t> >(Params)",
             "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<x> > >(Params)",
             "void cutlass::device_kernel<cutlass::fmha::kernel::Sm100Fmha<cutlass::gemm::Gemm> >(Params)",
             "void cutlass::device_kernel<cutlass::conv::kernel::ConvUniversal<cutlass::gemm::Gemm> >(Params)",
             "void grouped_gemm::utils::transpose<512, 128>(unsigned char const*, unsigned char*)",
             "void grouped_gemm::FillArguments<true>(cutlass::gemm::GemmCoord*)",
             "void gemm_fill_kernel(float*)",
             "gemm_transpose_b",
             "void fbgemm_gpu::permute_2D_data_kernel<int>(int)",
             "sm80_xmma_fprop_implicit_gemm_bf16bf16",
         }) {
      CAPTURE(other);
      CHECK_FALSE(is_gemm_name(other));
    }
  }

  TEST_CASE("40.16 what is added is a vector, a matrix, one for each product, or with beta 0 not read") {
    const std::string types = R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar"])";
    const auto bias = [&types](const std::string& op, const std::string& added, const std::string& values = "[]") {
      const std::string sizes = op == "aten::baddbmm" ? "[5,2,3],[5,3,4]" : "[2,3],[3,4]";
      return kernbench::traces::bias_dimensions(typed_shape(op, "[" + added + "," + sizes + ",[],[]]", types, values));
    };
    CHECK(bias("aten::addmm", "[4]") == 1);
    CHECK(bias("aten::addmm", "[2,1]") == 1);
    CHECK(bias("aten::addmm", "[]") == 1);
    CHECK(bias("aten::addmm", "[2,4]") == 2);
    CHECK(bias("aten::baddbmm", "[2,4]") == 2);
    CHECK(bias("aten::baddbmm", "[5,2,4]") == 3);
    CHECK(bias("aten::addmm", "[2,4]", R"(["","","","0","1"])") == 0);
    CHECK(bias("aten::addmm", "[2,4]", R"(["","","","0.","1"])") == 0);
    CHECK(bias("aten::addmm", "[2,4]", R"(["","","","0.5","1"])") == 2);
    CHECK_FALSE(typed_shape("aten::addmm", "[[3],[2,3],[3,4]]", types).is_known());
  }

  TEST_CASE("40.17 FLOPs, bytes and rates") {
    GemmShape shape{"aten::baddbmm", 2, 4, 3, 5, 20, "BFloat16", "BFloat16", "BFloat16", "BFloat16", "NN"};
    CHECK(flops_of(shape) == 5 * (2 * 2 * 4 * 3 + 2 * 4));
    CHECK(bytes_of(shape) == 5 * (6 + 12 + 8 + 4) * 2);
    shape.added = 0;
    shape.dtype_a = "Float8_e4m3fn";
    CHECK(flops_of(shape) == 5 * 2 * 2 * 4 * 3);
    CHECK(bytes_of(shape) == 5 * (6 + 2 * 12 + 2 * 8));
    for (std::string* type : {&shape.dtype_a, &shape.dtype_b, &shape.dtype_c}) {
      const std::string known = *type;
      *type = "unheard of";
      CHECK(bytes_of(shape) == 0);
      *type = known;
    }
    CHECK(flops_of(GemmShape{}) == 0);

    const std::string dims = "[[200,300],[300,400]]";
    const RankTrace trace =
        read_events({op_text("aten::mm", "0", "0.9", dims, "[]"), op_text("aten::mm", "1", "0.9", dims, "[]"),
                     op_text("aten::mm", "2", "0.9", dims, "[]"), launched("kernel", "k", 1, "10", "1", "0.1"),
                     launched("kernel", "k", 2, "20", "2", "1.1"), launched("kernel", "l", 3, "30", "6", "2.1")});
    const auto table = kernbench::traces::gemms_table({{{}, 3, trace}}, {});
    CHECK(kernbench::traces::table_csv(table) ==
          "rank,op,M,N,K,batch,bias,dtype_a,dtype_b,dtype_c,layout,count,min_us,mean_us,median_us,std_us,max_us,sum_us,"
          "spread_us,kernel_min_us,kernel_median_us,kernel_max_us,kernel_sum_us,flops,bytes,flop_per_byte,tflops_mean,"
          "tflops_median,tflops_min,tflops_max,kernel,kernels_distinct,basis\n"
          "3,aten::mm,200,400,300,1,0,BFloat16,BFloat16,BFloat16,,3,1,3,2,2.645751311,6,9,5,1,2,6,9,48000000,520000,92."
          "30769231,"
          "26.66666667,24,8,48,k,2,shape\n");
  }

  TEST_CASE("40.17 40.12 products of elements whose type is not known have no FLOPs, and that is said") {
    const auto gemms = [](const std::string& types) {
      const std::string args = R"("Input Dims":[[128,256],[256,512]])" + types;
      return read_events(
          {event_text("cpu_op", "aten::mm", "0", "9", args), launched("kernel", "k", 1, "10", "1", "1")});
    };
    for (const char* types : {"", R"(,"Input type":["",""])", R"(,"Input type":["c10::Quux","c10::Quux"])",
                              R"(,"Input type":["c10::complex<float>",""])", R"(,"Input type":["","float"])"}) {
      CAPTURE(types);
      const RankTrace trace = gemms(types);
      CHECK(trace.gemm_shapes.at(0).m == 128);
      CHECK(flops_of(trace.gemm_shapes.at(0)) == 0);
      const kernbench::traces::TraceTable table = kernbench::traces::gemms_table({{{}, 0, trace}}, {});
      for (const char* column : {"flops", "bytes", "flop_per_byte", "tflops_median"}) {
        CHECK(column_of(table, column) == std::vector<std::string>{""});
      }
      CHECK(column_of(table, "sum_us") == std::vector<std::string>{"1"});
      REQUIRE(trace.warnings.size() == 1);
      CHECK(trace.warnings[0].starts_with("no element type that is known of A or B of 1 of 1 GEMM call: "));
    }
    const RankTrace known = gemms(R"(,"Input type":["float","float"])");
    CHECK(flops_of(known.gemm_shapes.at(0)) == 2 * 128 * 256 * 512);
    CHECK(known.warnings.empty());
  }

  TEST_CASE("40.17 each operand counts in its own type: complex, mixed, packed and accumulated products") {
    const std::string dims = "[[128,256],[256,512]]";
    constexpr std::int64_t kA = 128 * 256;
    constexpr std::int64_t kB = 256 * 512;
    constexpr std::int64_t kC = 128 * 512;
    constexpr std::int64_t kMultiplyAdds = kA * 512;
    const GemmShape complex = typed_shape("aten::mm", dims, R"(["c10::complex<float>","c10::complex<float>"])");
    CHECK(flops_of(complex) == 8 * kMultiplyAdds);
    CHECK(bytes_of(complex) == 8 * (kA + kB + kC));
    const GemmShape half =
        typed_shape("aten::addmm", "[[512],[128,256],[256,512]]",
                    R"(["c10::complex<c10::Half>","c10::complex<c10::Half>","c10::complex<c10::Half>"])");
    CHECK(flops_of(half) == 8 * kMultiplyAdds + 2 * kC);
    CHECK(bytes_of(half) == 4 * (kA + kB + kC + 512));
    const GemmShape real_by_complex = typed_shape("aten::mm", dims, R"(["double","c10::complex<double>"])");
    CHECK(flops_of(real_by_complex) == 4 * kMultiplyAdds);
    CHECK(bytes_of(real_by_complex) == 0);  // nobody says what the result is

    const GemmShape integers = typed_shape("aten::_int_mm", dims, R"(["signed char","signed char"])");
    CHECK(integers.dtype_c == "int");
    CHECK(bytes_of(integers) == kA + kB + 4 * kC);
    const GemmShape wider = typed_shape("aten::mm", "[[128,256],[256,512],[]]",
                                        R"(["c10::BFloat16","c10::BFloat16","Scalar"])", R"(["","","6"])");
    CHECK(wider.dtype_c == "float");
    CHECK(bytes_of(wider) == 2 * (kA + kB) + 4 * kC);
    const GemmShape sums =
        typed_shape("aten::addmm", "[[128,512],[128,256],[256,512],[],[],[]]",
                    R"(["float","c10::Half","c10::Half","Scalar","Scalar","Scalar"])", R"(["","","","6","1","1"])");
    CHECK(bytes_of(sums) == 2 * (kA + kB) + 4 * kC + 4 * kC);

    const std::string scaled = "[[128,256],[256,512],[],[],[512],[],[],[]]";
    const std::string types =
        R"(["c10::Float8_e4m3fn","c10::Float8_e5m2","float","float","c10::BFloat16","","Scalar","Scalar"])";
    const GemmShape fp8 = typed_shape("aten::_scaled_mm", scaled, types, R"(["","","","","","","15","True"])");
    CHECK(fp8.dtype_c == "BFloat16");
    CHECK(bytes_of(fp8) == kA + kB + 2 * kC + 2 * 512);
    CHECK(bytes_of(typed_shape("aten::_scaled_mm", scaled, types)) == 0);
    const GemmShape old = typed_shape("aten::_scaled_mm", "[[128,256],[256,512],[512],[],[],[],[],[]]",
                                      R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","c10::Half","Scalar"])",
                                      R"(["","","","5","","","","False"])");
    CHECK(bytes_of(old) == kA + kB + 2 * kC + 2 * 512);
    const std::string packed = R"(["c10::Float4_e2m1fn_x2","c10::Float4_e2m1fn_x2"])";
    const GemmShape fp4 = typed_shape("aten::_scaled_mm", scaled, packed, R"(["","","","","","","15","True"])");
    CHECK(fp4.k == 512);
    CHECK(flops_of(fp4) == 4 * kMultiplyAdds + kC);
  }
}
