//go:build ignore

package main

import (
	"math"

	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// biasReLU ends a layer of a graph network.
func biasReLU(acc, bias float32) float32 { return act.ReLU(acc + bias) }

// residual adds a layer's input to its result, and keeps the value before the activation,
// which training needs.
func residual(acc, res, scale float32) (out, pre float32) {
	pre = acc*scale + res
	return act.ReLU(pre), pre
}

// pageRank is one step of PageRank: the rank that arrives, and the share of a jump.
func pageRank(acc, jump, damping float64) float64 { return acc*damping + jump }

// gatScore is the score of an edge in an attention layer, before the softmax.
func gatScore(acc, from, to float32) float32 { return act.LeakyReLU(acc+from+to, 0.2) }

// alibi lowers a score by the distance of two tokens, times the slope of the head (ALiBi).
func alibi(score, queryPos, keyPos, slope float32) float32 { return score - slope*(queryPos-keyPos) }

// softcap keeps a score between -limit and limit, and adds a bias for each pair of tokens.
func softcap(score, limit, bias float64) float64 { return limit*math.Tanh(score/limit) + bias }

func main() {
	capped := spec.BlockAttention[float64]{Name: "SoftcapAttention", Heads: 2, Causal: true,
		Epilogue: gemm.Map3(softcap, gemm.Scalar[float64]("limit"), gemm.Full[float64]("bias"))}
	biased := spec.BlockAttention[float32]{Name: "ALiBiAttention", Heads: 4, Causal: true,
		Epilogue: gemm.Map4(alibi, gemm.PerRow[float32]("queryPos"), gemm.PerColumn[float32]("keyPos"), gemm.Scalar[float32]("slope"))}
	bias := gemm.PerColumn[float32]("bias")
	gen.Main(
		spec.SpMM[float32]{Name: "Aggregate", Format: format.CSR, Features: 128, Epilogue: gemm.Map2(biasReLU, bias)},
		spec.SpMM[float32]{Name: "Propagate"},
		spec.SpMM[float32]{Name: "ResidualMean", Reduce: spec.Mean, Features: 48,
			Epilogue: gemm.Fuse[float32, float32](residual, []gemm.Output{gemm.Also[float32]("pre")},
				gemm.Full[float32]("res").In(), gemm.PerRow[float32]("scale").In()).RowArgMax("class").ColSum("colSum")},
		spec.SpMMTo[float32, dtype.BF16]{Name: "AggregateToBF16", Features: 32, Epilogue: gemm.Map2(biasReLU, bias).RowMax("rowMax")},
		spec.SpMMOf[float32, dtype.BF16, float32]{Name: "AggregateFromBF16", Features: 64, Epilogue: gemm.Map2(biasReLU, bias)},
		spec.SpMMOf[float32, dtype.F16, float32]{Name: "PropagateFromF16", Features: 100},
		spec.SpMM[float64]{Name: "MeanAggregate", Reduce: spec.Mean, Pattern: true},
		spec.SpMM[float32]{Name: "MaxAggregate", Reduce: spec.Max, Pattern: true, Features: 100},
		spec.SpMM[float32]{Name: "AggregateELL", Format: format.ELL(8), Features: 64, Epilogue: gemm.Map2(biasReLU, bias)},
		spec.SpMM[float32]{Name: "AggregateHybrid", Features: 64, Parts: []format.Format{format.ELL(4)}, Epilogue: gemm.Map2(biasReLU, bias).RowMax("rowMax")},
		spec.SpMM[float64]{Name: "MeanHybridDIA", Features: 40, Parts: []format.Format{format.ELL(2), format.DIA}, Reduce: spec.Mean},
		spec.SpMM[float64]{Name: "MaxHybridCOO", Parts: []format.Format{format.ELL(2), format.COO}, Reduce: spec.Max, Features: 12},
		spec.SpMV[float64]{Name: "PageRankSELL", Parts: []format.Format{format.SELL(4, 8)},
			Epilogue: gemm.Map3(pageRank, gemm.PerRow[float64]("jump"), gemm.Scalar[float64]("damping")).ColSum("sum")},
		spec.SpMM[float64]{Name: "PropagateCSC", Format: format.CSC, Features: 32},
		spec.SpMV[float64]{Name: "PageRank",
			Epilogue: gemm.Map3(pageRank, gemm.PerRow[float64]("jump"), gemm.Scalar[float64]("damping")).ColSum("sum")},
		spec.SDDMM[float32]{Name: "GATScores", Features: 64, Pattern: true,
			Epilogue: gemm.Map3(gatScore, gemm.PerRow[float32]("from"), gemm.PerColumn[float32]("to"))},
		spec.SDDMM[float64]{Name: "SDDMM"},
		spec.RGMS[float32]{Name: "RGCN", Epilogue: gemm.Map2(biasReLU, bias)},
		spec.RGMS[float64]{Name: "SparseConv"},
		spec.EdgeSoftmax[float32]{Name: "GATWeights", Epilogue: gemm.Map3(gatScore, gemm.PerRow[float32]("from"), gemm.PerColumn[float32]("to"))},
		biased, biased.Backward(),
		capped, capped.Backward(),
		spec.SegmentReduce[float32]{Name: "Readout", Reduce: spec.Max, Features: 32, Epilogue: gemm.Map2(biasReLU, bias)},
	)
}
