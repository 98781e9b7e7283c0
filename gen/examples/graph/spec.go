//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// biasReLU ends a layer of a graph network.
func biasReLU(acc, bias float32) float32 { return act.ReLU(acc + bias) }

// skip adds a layer's input to its result, and keeps the value before the activation,
// which training needs.
func skip(acc, res, scale float32) (out, pre float32) {
	pre = acc*scale + res
	return act.ReLU(pre), pre
}

// damp is one step of PageRank: the rank that arrives, and the share of a jump.
func damp(acc, jump, damping float64) float64 { return acc*damping + jump }

// attend is the score of an edge in an attention layer, before the softmax.
func attend(acc, from, to float32) float32 { return act.LeakyReLU(acc+from+to, 0.2) }

// nearer takes from a score what a head thinks of the distance of two tokens (ALiBi).
func nearer(score, at, of, slope float32) float32 { return score - slope*(at-of) }

// capped keeps a score between -most and most, and adds what a pair of tokens has in its favour.
func capped(score, most, bias float64) float64 { return most*math.Tanh(score/most) + bias }

func main() {
	attention := sparse.BlockAttention[float64]{Name: "Capped", Heads: 2, Causal: true,
		Epilogue: gemm.Map3(capped, gemm.Scalar[float64]("most"), gemm.Full[float64]("bias"))}
	distant := sparse.BlockAttention[float32]{Name: "Attend", Heads: 4, Causal: true,
		Epilogue: gemm.Map4(nearer, gemm.PerRow[float32]("at"), gemm.PerColumn[float32]("of"), gemm.Scalar[float32]("slope"))}
	bias := gemm.PerColumn[float32]("bias")
	gen.Main(
		sparse.SpMM[float32]{Name: "Aggregate", Format: sparse.CSR, Features: 128, Epilogue: gemm.Map2(biasReLU, bias)},
		sparse.SpMM[float32]{Name: "Propagate"},
		sparse.SpMM[float32]{Name: "Skip", Reduce: sparse.Mean, Features: 48,
			Epilogue: gemm.Fuse[float32, float32](skip, []gemm.Output{gemm.Also[float32]("pre")},
				gemm.Full[float32]("res").In(), gemm.PerRow[float32]("scale").In()).RowArgMax("class").ColSum("mass")},
		sparse.SpMMTo[float32, dtype.BF16]{Name: "Narrow", Features: 32, Epilogue: gemm.Map2(biasReLU, bias).RowMax("peak")},
		sparse.SpMMOf[float32, dtype.BF16, float32]{Name: "Gather", Features: 64, Epilogue: gemm.Map2(biasReLU, bias)},
		sparse.SpMMOf[float32, dtype.F16, float32]{Name: "Stored", Features: 100},
		sparse.SpMM[float64]{Name: "Average", Reduce: sparse.Mean, Pattern: true},
		sparse.SpMM[float32]{Name: "Pool", Reduce: sparse.Max, Pattern: true, Features: 100},
		sparse.SpMM[float32]{Name: "Padded", Format: sparse.ELL(8), Features: 64, Epilogue: gemm.Map2(biasReLU, bias)},
		sparse.SpMM[float32]{Name: "Hybrid", Features: 64, Parts: []sparse.Format{sparse.ELL(4)}, Epilogue: gemm.Map2(biasReLU, bias).RowMax("peak")},
		sparse.SpMM[float64]{Name: "Mixture", Features: 40, Parts: []sparse.Format{sparse.ELL(2), sparse.DIA}, Reduce: sparse.Mean},
		sparse.SpMM[float64]{Name: "Furthest", Parts: []sparse.Format{sparse.ELL(2), sparse.COO}, Reduce: sparse.Max, Features: 12},
		sparse.SpMV[float64]{Name: "Arrive", Parts: []sparse.Format{sparse.SELL(4, 8)},
			Epilogue: gemm.Map3(damp, gemm.PerRow[float64]("jump"), gemm.Scalar[float64]("damping")).ColSum("mass")},
		sparse.SpMM[float64]{Name: "Backward", Format: sparse.CSC, Features: 32},
		sparse.SpMV[float64]{Name: "Rank",
			Epilogue: gemm.Map3(damp, gemm.PerRow[float64]("jump"), gemm.Scalar[float64]("damping")).ColSum("mass")},
		sparse.SDDMM[float32]{Name: "Scores", Features: 64, Pattern: true,
			Epilogue: gemm.Map3(attend, gemm.PerRow[float32]("from"), gemm.PerColumn[float32]("to"))},
		sparse.SDDMM[float64]{Name: "Sampled"},
		sparse.RGMS[float32]{Name: "Relate", Epilogue: gemm.Map2(biasReLU, bias)},
		sparse.RGMS[float64]{Name: "Convolve"},
		sparse.EdgeSoftmax[float32]{Name: "Weights", Epilogue: gemm.Map3(attend, gemm.PerRow[float32]("from"), gemm.PerColumn[float32]("to"))},
		distant, distant.Backward(),
		attention, attention.Backward(),
		sparse.SegmentReduce[float32]{Name: "Readout", Reduce: sparse.Max, Features: 32, Epilogue: gemm.Map2(biasReLU, bias)},
	)
}
