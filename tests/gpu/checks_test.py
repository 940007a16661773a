"""What counts as right: products and operators are compared with float64, and a wrong one is never timed."""

import argparse
import unittest

import torch
from kernbench_gpu import cases as loop
from kernbench_gpu import gemm, operators
from kernbench_gpu.suites import Case


def options(**more: object) -> argparse.Namespace:
    given = {"backend": "torch_eager", "implementation": "pytorch", "device": "cpu", "card": None}
    return argparse.Namespace(**{**given, "quick": False, "samples": 0, "warm_ups": 2, "seed": 1, **more})


POINT = {"m": 33, "k": 70, "n": 21, "dtype": "fp32", "backend": "torch_eager", "l2": "warm"}


class Adr0024(unittest.TestCase):
    def test_24_3_a_right_product_has_times_and_its_error(self) -> None:
        row = loop.run_case(Case("", POINT, 0.0), gemm.GemmBench(options()).measure)
        self.assertEqual((row.status, row.reason), ("ok", ""))
        self.assertLess(row.metrics["error"], 1e-6)
        self.assertAlmostEqual(row.metrics["tflops"], 2 * 33 * 70 * 21 / row.metrics["time_ns"] * 1e-3)

    def test_24_3_a_wrong_product_is_a_failed_row_without_times(self) -> None:
        bench = gemm.GemmBench(options())
        bench._call = lambda sets, dtype, row: lambda i: 1.01 * (sets[i].a @ sets[i].b)  # type: ignore[assignment]
        row = loop.run_case(Case("", POINT, 0.0), bench.measure)
        self.assertEqual(row.status, "failed")
        self.assertTrue(row.reason.startswith("wrong: relative error 0.01"), row.reason)
        self.assertEqual(list(row.metrics), ["error"])

    def test_24_3_one_element_that_is_not_finite_is_wrong(self) -> None:
        operands = gemm.make_operands(40, 20, 30, "bf16", "cpu", 1)
        out = operands.a @ operands.b
        self.assertLess(gemm.sampled_error(operands, out, 3), 1e-2)
        out[17, 5] = float("nan")
        self.assertEqual(gemm.sampled_error(operands, out, 3), float("inf"))

    def test_24_3_the_last_row_and_column_are_compared(self) -> None:
        operands = gemm.make_operands(200, 8, 900, "fp32", "cpu", 1)
        for place in ((-1, slice(None)), (slice(None), -1)):
            out = operands.a @ operands.b
            out[place] = 0
            self.assertGreater(gemm.sampled_error(operands, out, 3), 1e-2)

    def test_24_3_inputs_are_the_same_for_the_same_seed(self) -> None:
        one, other = (gemm.make_operands(5, 6, 7, "bf16", "cpu", 4) for _ in range(2))
        self.assertTrue(torch.equal(one.a, other.a) and torch.equal(one.b, other.b))
        self.assertFalse(torch.equal(one.a, gemm.make_operands(5, 6, 7, "bf16", "cpu", 5).a))

    def test_24_3_every_operator_agrees_with_its_definition(self) -> None:
        for operation in ("layernorm", "gelu", "swish", "mse", "cross_entropy"):
            inputs = operators.make_inputs(operation, 12, 50, "fp32", "cpu", 1)
            expected = operators.reference(operation, inputs)
            out = operators.by_pytorch(operation, inputs.x, inputs.extra)
            self.assertLess(float((out.double() - expected).norm() / expected.norm()), 2e-6, operation)

    def test_24_3_a_wrong_operator_is_a_failed_row(self) -> None:
        bench = operators.OperatorBench(options())
        bench._run = lambda operation, x, extra: x * torch.sigmoid(1.702 * x)  # a common approximation of GELU
        point = {"operation": "gelu", "implementation": "pytorch", "batch_size": 2, "sequence_length": 3,
                 "tensor_dimension": 50, "dtype": "fp32", "l2": "warm"}  # fmt: skip
        row = loop.run_case(Case("", point, 0.0), bench.measure)
        self.assertEqual((row.status, list(row.metrics)), ("failed", ["error"]))


class OperatorMetrics(unittest.TestCase):
    def test_bytes_and_the_roofline(self) -> None:
        self.assertEqual(operators.least_bytes("layernorm", 10, 64, "bf16"), 2 * 640 * 2 + 2 * 64 * 2)
        self.assertEqual(operators.least_bytes("mse", 10, 64, "fp32"), 2 * 640 * 4 + 4)
        self.assertEqual(operators.least_bytes("cross_entropy", 10, 64, "fp32"), 640 * 4 + 80 + 4)
        card = {"peaks": {"memory_gbs": 1000, "tflops": {"fp32": 50}}}
        time_ns = operators.least_bytes("gelu", 1000, 1000, "fp32") / 1000 * 2
        self.assertAlmostEqual(operators.efficiency(card, "gelu", 1000, 1000, "fp32", time_ns)["efficiency"], 0.5)
        self.assertEqual(operators.efficiency({}, "gelu", 10, 10, "fp32", 1.0), {})

    def test_the_derived_metrics_agree(self) -> None:
        point = {"operation": "mse", "implementation": "pytorch", "batch_size": 2, "sequence_length": 3,
                 "tensor_dimension": 50, "dtype": "fp32", "l2": "flushed"}  # fmt: skip
        row = loop.run_case(Case("", point, 0.0), operators.OperatorBench(options()).measure)
        self.assertEqual(row.status, "ok", row.reason)
        metrics = row.metrics
        self.assertAlmostEqual(metrics["time_ms"], metrics["time_ns"] * 1e-6)
        self.assertAlmostEqual(metrics["inference_speed"], 1000 / metrics["time_ms"])
        self.assertAlmostEqual(metrics["throughput_gbps"], (2 * 300 * 4 + 4) / metrics["time_ns"])
        self.assertAlmostEqual(metrics["memory_mb"], (2 * 300 * 4 + 4) * 1e-6)


if __name__ == "__main__":
    unittest.main()
