package bits_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/kern/gemmbf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc128"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmc64"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmf16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi16"
	"github.com/tilesmith/tilesmith/cpu/kern/gemmi8"
	"github.com/tilesmith/tilesmith/cpu/kern/narrowf32"
	"github.com/tilesmith/tilesmith/cpu/kern/quant8"
	"github.com/tilesmith/tilesmith/gen/examples/blocks"
	"github.com/tilesmith/tilesmith/gen/examples/chain"
	"github.com/tilesmith/tilesmith/gen/examples/conv"
	"github.com/tilesmith/tilesmith/gen/examples/dual"
	"github.com/tilesmith/tilesmith/gen/examples/fused"
	"github.com/tilesmith/tilesmith/gen/examples/gpu"
	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/gen/examples/network/layers"
	"github.com/tilesmith/tilesmith/gen/examples/small"
	"github.com/tilesmith/tilesmith/gen/examples/structure"
	"github.com/tilesmith/tilesmith/gen/examples/tensors"
	"github.com/tilesmith/tilesmith/gen/examples/transformer/kern"
)

// A line computes the hashes of one function.
type line func(t *testing.T, large []shape) []string

// functions are those of the two tables by name.
func functions() map[string]function {
	all := make(map[string]function)
	for _, group := range kernels {
		for _, f := range group.functions {
			v := reflect.ValueOf(f)
			name := runtime.FuncForPC(v.Pointer()).Name()
			all[name[strings.LastIndexByte(name, '/')+1:]] = function{spec: group.spec, plain: v}
		}
	}
	for name, f := range doors() {
		all[name] = function{spec: f.spec, plain: reflect.ValueOf(f.f)}
	}
	return all
}

// all is what is called, by name. XOpt and XPack are part of X.
func all(t *testing.T) map[string]line {
	all, lines := functions(), blasLines(t)
	for name, f := range all {
		stem, types, _ := strings.Cut(name, "[") // cpu.XOpt[float32] is of cpu.X[float32]
		of := func(suffix string) (function, bool) {
			base, ok := strings.CutSuffix(stem, suffix)
			f, there := all[strings.TrimSuffix(base+"["+types, "[")]
			return f, ok && there
		}
		if _, ok := of("Opt"); ok {
			continue
		}
		if _, ok := of("Pack"); ok {
			continue
		}
		f.name = name
		with := func(suffix string) reflect.Value { return all[strings.TrimSuffix(stem+suffix+"["+types, "[")].plain }
		f.opt, f.pack = with("Opt"), with("Pack")
		if t := f.plain.Type(); !f.opt.IsValid() && t.NumIn() > 0 && (t.IsVariadic() || isOptions(t.In(0))) {
			f.opt = f.plain
		}
		lines[name] = f.hashes
	}
	return lines
}

// kernels are functions whose operands have the same sizes. A spec has a token for each matrix, slice and list of
// blocks in the order of the parameters: its rows and columns as letters of [shape.dim] or numbers.
var kernels = []struct {
	spec      string
	functions []any
}{
	{"mn mk kn", []any{
		gemmbf16.BF16, gemmbf16.BF16Opt, gemmbf16.BF16Pack, gemmc128.ZGEMM, gemmc128.ZGEMMBatched, gemmc128.ZGEMMOpt, gemmc128.ZGEMMPack, gemmc64.CGEMM, gemmc64.CGEMMBatched, gemmc64.CGEMMOpt,
		gemmc64.CGEMMPack, gemmf16.F16, gemmf16.F16Opt, gemmf16.F16Pack, gemmf.SGEMM, gemmf.SGEMMBatched, gemmf.SGEMMOpt, gemmf.SGEMMPack, gemmf.DGEMM, gemmf.DGEMMBatched,
		gemmf.DGEMMOpt, gemmf.DGEMMPack, gemmi16.I16, gemmi16.I16Opt, gemmi16.I16Pack, gemmi8.I16I8, gemmi8.I16I8Opt, gemmi8.I16I8Pack, gemmi8.I8, gemmi8.I8I16, gemmi8.I8I16Opt,
		gemmi8.I8I16Pack, gemmi8.I8Opt, gemmi8.I8Pack, gemmi8.I8U8, gemmi8.I8U8Opt, gemmi8.I8U8Pack, gemmi8.U8, gemmi8.U8I8, gemmi8.U8I8Opt, gemmi8.U8I8Pack, gemmi8.U8Opt, gemmi8.U8Pack,
		narrowf32.BF16, narrowf32.BF16Opt, narrowf32.BF16Pack, narrowf32.F16, narrowf32.F16Opt, narrowf32.F16Pack, dual.MatMul, dual.MatMulBatched, dual.MatMulOpt, dual.MatMulPack,
		fused.MatMulBF16, fused.MatMulBF16Grouped, fused.MatMulBF16Opt, fused.MatMulBF16Pack, fused.MatMulF16, fused.MatMulF16Opt, fused.MatMulF16Pack, graph.MeanAggregate, graph.MeanAggregateOpt,
		graph.Propagate, graph.PropagateOpt,
	}},
	{"mn mk kn n n", []any{
		narrowf32.I8Columns, narrowf32.I8ColumnsOpt, narrowf32.I8ColumnsPack, narrowf32.U8Columns, narrowf32.U8ColumnsOpt, narrowf32.U8ColumnsPack, layers.DenseInt8, layers.DenseInt8Opt,
		layers.DenseInt8Pack, layers.LogitsInt8, layers.LogitsInt8Opt, layers.LogitsInt8Pack,
	}},
	{"mn mk kn m m", []any{narrowf32.I8Rows, narrowf32.I8RowsOpt, narrowf32.I8RowsPack, narrowf32.U8Rows, narrowf32.U8RowsOpt, narrowf32.U8RowsPack}},
	{"mn mk kn n m n", []any{
		quant8.I8ToF32, quant8.I8ToF32Opt, quant8.I8ToF32Pack, quant8.I8ToI8, quant8.I8ToI8Opt, quant8.I8ToI8Pack, quant8.I8ToU8, quant8.I8ToU8Opt, quant8.I8ToU8Pack, quant8.U8ToF32,
		quant8.U8ToF32Opt, quant8.U8ToF32Pack, quant8.U8ToI8, quant8.U8ToI8Opt, quant8.U8ToI8Pack, quant8.U8ToU8, quant8.U8ToU8Opt, quant8.U8ToU8Pack,
	}},
	{"16x16 16x16x3 16x16x3", []any{blocks.BRGEMM16, blocks.BRGEMM16BF16, blocks.BRGEMM16BF16Opt, blocks.BRGEMM16Opt}},
	{"32x32 32x32x3 32x32x3", []any{blocks.BRGEMM32, blocks.BRGEMM32BF16, blocks.BRGEMM32BF16Opt, blocks.BRGEMM32Opt}},
	{"64x64 64x64x3 64x64x3", []any{blocks.BRGEMM64, blocks.BRGEMM64BF16, blocks.BRGEMM64BF16Opt, blocks.BRGEMM64Opt}},
	{"6x32 6x8x3 8x32x3 32", []any{blocks.BRGEMMBiasReLU, blocks.BRGEMMBiasReLUOpt}},
	{"4x20 4x6x3 6x20x3", []any{blocks.BRGEMMInt16, blocks.BRGEMMInt16Opt}},
	{"mn mn mn", []any{
		chain.Add, chain.AddOpt, tensors.GELUBackward, tensors.GELUBackwardOpt, tensors.SoftmaxBackward, tensors.SoftmaxBackwardOpt, kern.Add, kern.AddOpt, kern.CrossEntropy, kern.CrossEntropyBF16,
		kern.CrossEntropyBF16Opt, kern.CrossEntropyF64, kern.CrossEntropyF64Opt, kern.CrossEntropyOpt,
	}},
	{"mn mh kh kn", []any{chain.Attention, chain.AttentionOpt}},
	{"mn mk mh hk k k kn", []any{chain.BatchNormMLP, chain.BatchNormMLPOpt}},
	{"mn mn n", []any{chain.BiasGELU, chain.BiasGELUOpt, tensors.RMSNorm, tensors.RMSNormOpt, kern.AddBias, kern.AddBiasOpt}},
	{"mn n n k mk kn", []any{chain.ColumnStats, chain.ColumnStatsOpt}},
	{"mn mn n n nk k kn", []any{chain.MLP, chain.MLPOpt}},
	{"mn mn nk k kn", []any{chain.MLPBF16, chain.MLPBF16Opt, chain.MLPF64, chain.MLPF64Opt}},
	{"mn k mn nk k kn mn", []any{chain.MLPF64Backward, chain.MLPF64BackwardOpt}},
	{"mn mn mn mk kn mk kn mk nk", []any{chain.MatMulTypes, chain.MatMulTypesOpt}},
	{"mn m mk kn n m", []any{chain.QuantisedMatMul, chain.QuantisedMatMulOpt}},
	{"mn mn nk nk kn", []any{chain.SwiGLU, chain.SwiGLUOpt}},
	{"m32 me3 ex32x3", []any{conv.ConvBF16, conv.ConvBF16Opt}},
	{"m32 me3 ex32x3 32", []any{conv.ConvBiasReLUBF16, conv.ConvBiasReLUBF16Opt}},
	{"m32 mk3 kx32x3 32", []any{conv.ConvBiasReLUF32, conv.ConvBiasReLUF32Opt}},
	{"m16 mk3 kx16x3 16", []any{conv.ConvBiasReLUF64, conv.ConvBiasReLUF64Opt}},
	{"m32 mk3 kx32x3", []any{conv.ConvF32, conv.ConvF32Opt}},
	{"m16 mk3 kx16x3", []any{conv.ConvF64, conv.ConvF64Opt}},
	{"mn mn mn n", []any{conv.DepthwiseOneTapBF16, conv.DepthwiseOneTapBF16Opt, conv.DepthwiseOneTapF32, conv.DepthwiseOneTapF32Opt, conv.DepthwiseOneTapF64, conv.DepthwiseOneTapF64Opt}},
	{"mn mn mn mn mn n n n", []any{
		conv.DepthwiseThreeTapsBF16, conv.DepthwiseThreeTapsBF16Opt, conv.DepthwiseThreeTapsF32, conv.DepthwiseThreeTapsF32Opt, conv.DepthwiseThreeTapsF64, conv.DepthwiseThreeTapsF64Opt,
	}},
	{"m n mk kn n", []any{fused.ContrastiveLogSumExp, fused.ContrastiveLogSumExpOpt, fused.ContrastiveLogSumExpPack}},
	{"mn mk kn n", []any{
		fused.DenseGELU, fused.DenseGELUErf, fused.DenseGELUErfOpt, fused.DenseGELUErfPack, fused.DenseGELUF64, fused.DenseGELUF64Opt, fused.DenseGELUF64Pack, fused.DenseGELUOpt,
		fused.DenseGELUPack, gpu.DenseGELU, gpu.DenseGELUOpt, gpu.DenseGELUPack, layers.Dense, layers.DenseBF16, layers.DenseBF16Opt, layers.DenseBF16Pack, layers.DenseOpt, layers.DensePack,
		layers.Logits, layers.LogitsBF16, layers.LogitsBF16Opt, layers.LogitsBF16Pack, layers.LogitsOpt, layers.LogitsPack, kern.Linear, kern.LinearBF16, kern.LinearBF16Opt, kern.LinearBF16Pack,
		kern.LinearF64, kern.LinearF64Opt, kern.LinearF64Pack, kern.LinearGELU, kern.LinearGELUBF16, kern.LinearGELUBF16Opt, kern.LinearGELUBF16Pack, kern.LinearGELUF64, kern.LinearGELUF64Opt,
		kern.LinearGELUF64Pack, kern.LinearGELUOpt, kern.LinearGELUPack, kern.LinearOpt, kern.LinearPack,
	}},
	{"mn m m m n mk kn n", []any{fused.DenseGELUBF16, fused.DenseGELUBF16Opt, fused.DenseGELUBF16Pack}},
	{"mn mk kn m m n n m", []any{fused.DenseGELUBF16Grouped}},
	{"mn m m m m n mk kn n", []any{fused.DenseReLUAbs, fused.DenseReLUAbsOpt, fused.DenseReLUAbsPack}},
	{"m m mk kn m n", []any{fused.KMeansAssign, fused.KMeansAssignOpt, fused.KMeansAssignPack}},
	{"mn m m n mk kn n", []any{fused.Logits, fused.LogitsOpt, fused.LogitsPack, fused.Stats, fused.StatsOpt, fused.StatsPack}},
	{"mn m m m n n mk kn n", []any{fused.Moments, fused.MomentsOpt, fused.MomentsPack}},
	{"mn m mk kn m n", []any{fused.Nearest, fused.NearestOpt, fused.NearestPack}},
	{"mn mk kn m mn", []any{fused.Requant, fused.RequantOpt, fused.RequantPack}},
	{"mn mn mk kn mn", []any{fused.Residual, fused.ResidualOpt, fused.ResidualPack}},
	{"mn mn n mk kn mn", []any{fused.ResidualF16, fused.ResidualF16Opt, fused.ResidualF16Pack}},
	{"mF mm mF mF mF m m 1", []any{graph.ALiBiAttention, graph.ALiBiAttentionOpt}},
	{"mx128 mk kx128 128", []any{graph.Aggregate, graph.AggregateOpt}},
	{"mx64 mk kx64 64", []any{graph.AggregateFromBF16, graph.AggregateFromBF16Opt}},
	{"mx32 m mk kx32 32", []any{graph.AggregateToBF16, graph.AggregateToBF16Opt}},
	{"z mn mx64 nx64 m n", []any{graph.GATScores, graph.GATScoresOpt}},
	{"z mn m n", []any{graph.GATWeights, graph.GATWeightsOpt}},
	{"mx100 mk kx100", []any{graph.MaxAggregate, graph.MaxAggregateOpt, graph.PropagateFromF16, graph.PropagateFromF16Opt}},
	{"m 1 mk k m", []any{graph.PageRank, graph.PageRankOpt}},
	{"mn mk kh Hn n", []any{graph.RGCN, graph.RGCNOpt}},
	{"mx32 m kx32 32", []any{graph.Readout, graph.ReadoutOpt}},
	{"mx48 mx48 m 48 mk kx48 mx48 m", []any{graph.ResidualMean, graph.ResidualMeanOpt}},
	{"z mn mk nk", []any{graph.SDDMM, graph.SDDMMOpt}},
	{"mF mm mF mF mF 1 mm", []any{graph.SoftcapAttention, graph.SoftcapAttentionOpt}},
	{"mn mk kh Hn", []any{graph.SparseConv, graph.SparseConvOpt}},
	{"23x23 23x23 23x23", []any{
		small.DGEMM23, small.DGEMM23Arrays, small.DGEMM23Batch, small.DGEMM23BatchOpt, small.DGEMM23Opt, small.DGEMM23Pack, small.SGEMM23, small.SGEMM23Arrays, small.SGEMM23Batch,
		small.SGEMM23BatchOpt, small.SGEMM23Opt, small.SGEMM23Pack,
	}},
	{"32x32 32x32 32x32", []any{
		small.DGEMM32, small.DGEMM32Arrays, small.DGEMM32Batch, small.DGEMM32BatchOpt, small.DGEMM32Opt, small.DGEMM32Pack, small.SGEMM32, small.SGEMM32Arrays, small.SGEMM32Batch,
		small.SGEMM32BatchOpt, small.SGEMM32Opt, small.SGEMM32Pack,
	}},
	{"4x4 4x4 4x4", []any{small.DGEMM4, small.DGEMM4Arrays, small.DGEMM4Batch, small.DGEMM4BatchOpt, small.DGEMM4Opt, small.DGEMM4Pack}},
	{"8x8 8x8 8x8", []any{
		small.DGEMM8, small.DGEMM8Arrays, small.DGEMM8Batch, small.DGEMM8BatchOpt, small.DGEMM8Opt, small.DGEMM8Pack, small.SGEMM8, small.SGEMM8Arrays, small.SGEMM8Batch, small.SGEMM8BatchOpt,
		small.SGEMM8Opt, small.SGEMM8Pack,
	}},
	{"6x32 6x10 10x32", []any{small.FilterBank, small.FilterBankArrays, small.FilterBankBatch, small.FilterBankBatchOpt, small.FilterBankOpt, small.FilterBankPack}},
	{"mx24 mx100 100x24", []any{small.Linear, small.LinearBatched, small.LinearOpt, small.LinearPack}},
	{"m40 mx32 32x40 40", []any{small.LinearReLU, small.LinearReLUOpt, small.LinearReLUPack}},
	{"4x10 4x40 40x10 10", []any{small.LinearReLUBatch4, small.LinearReLUBatch4Opt, small.LinearReLUBatch4Pack}},
	{"5x3 5x3 3x3", []any{small.Rotate3D, small.Rotate3DArrays, small.Rotate3DBatch, small.Rotate3DBatchOpt, small.Rotate3DOpt, small.Rotate3DPack}},
	{"13x13 13x13 13x13", []any{small.SGEMM13, small.SGEMM13Arrays, small.SGEMM13Batch, small.SGEMM13BatchOpt, small.SGEMM13Opt, small.SGEMM13Pack}},
	{"16x16 16x16 16x16", []any{small.SGEMM16, small.SGEMM16Arrays, small.SGEMM16Batch, small.SGEMM16BatchOpt, small.SGEMM16Opt, small.SGEMM16Pack}},
	{"48x48 48x48 48x48", []any{small.SGEMM48, small.SGEMM48Arrays, small.SGEMM48Batch, small.SGEMM48BatchOpt, small.SGEMM48Opt, small.SGEMM48Pack}},
	{"64x64 64x64 64x64", []any{small.SGEMM64, small.SGEMM64Arrays, small.SGEMM64Batch, small.SGEMM64BatchOpt, small.SGEMM64Opt, small.SGEMM64Pack}},
	{"mm mk km", []any{structure.PolynomialGram, structure.PolynomialGramOpt, structure.PolynomialGramPack}},
	{"mn mm mn n", []any{structure.SymmetricBiasReLU, structure.SymmetricBiasReLUOpt, structure.SymmetricBiasReLUPack}},
	{"mn mm mn", []any{structure.UnitLowerMatMul, structure.UnitLowerMatMulOpt, structure.UnitLowerMatMulPack}},
	{"m m m n mn", []any{tensors.ArgMaxArgMin, tensors.ArgMaxArgMinOpt}},
	{"mn mn n n", []any{
		tensors.BatchNorm, tensors.BatchNormOpt, tensors.LayerNorm, tensors.LayerNormBF16, tensors.LayerNormBF16Opt, tensors.LayerNormF64, tensors.LayerNormF64Opt, tensors.LayerNormOpt,
	}},
	{"mn mn", []any{
		tensors.Copy, tensors.CopyOpt, tensors.Dropout, tensors.DropoutOpt, tensors.GELU, tensors.GELUOpt, tensors.LogSoftmax, tensors.LogSoftmaxOpt, tensors.Softmax, tensors.SoftmaxOpt,
		kern.RoundBF16, kern.RoundBF16Opt,
	}},
	{"mn mn m", []any{tensors.DequantiseMX4, tensors.DequantiseMX4Opt, tensors.DequantiseMX8, tensors.DequantiseMX8Opt}},
	{"mn mc mn", []any{tensors.DropoutMask, tensors.DropoutMaskOpt, tensors.MaskBackward, tensors.MaskBackwardOpt, tensors.ReLUMask, tensors.ReLUMaskOpt}},
	{"mn mn mn n n m", []any{tensors.ElementwiseChain, tensors.ElementwiseChainOpt}},
	{"mn n n mn n n mn", []any{tensors.LayerNormBackward, tensors.LayerNormBackwardOpt, tensors.LayerNormF64Backward, tensors.LayerNormF64BackwardOpt}},
	{"mn mc mc mn mn", []any{tensors.MaskBackwardF64, tensors.MaskBackwardF64Opt}},
	{"m n mn", []any{tensors.Products, tensors.ProductsOpt}},
	{"mn m mn", []any{tensors.QuantiseMX4, tensors.QuantiseMX4Opt, tensors.QuantiseMX8, tensors.QuantiseMX8Opt}},
	{"mn mn mn mn mn", []any{tensors.SplitSGD, tensors.SplitSGDOpt}},
	{"m m n mn", []any{tensors.Statistics, tensors.StatisticsOpt}},
	{"mn mn mn mn mn mn mn", []any{
		kern.AdamW, kern.AdamWF64, kern.AdamWF64Opt, kern.AdamWOpt, kern.LSTMCell, kern.LSTMCellBF16, kern.LSTMCellBF16Opt, kern.LSTMCellF64, kern.LSTMCellF64Opt, kern.LSTMCellOpt,
	}},
	{"mn mn mn mn mn mn mn mn", []any{kern.AdamWBF16, kern.AdamWBF16Opt}},
	{"mn mn mn mn n n", []any{
		kern.AddLayerNorm, kern.AddLayerNormBF16, kern.AddLayerNormBF16Opt, kern.AddLayerNormF64, kern.AddLayerNormF64Opt, kern.AddLayerNormOpt, kern.DropoutAddLayerNorm,
		kern.DropoutAddLayerNormBF16, kern.DropoutAddLayerNormBF16Opt, kern.DropoutAddLayerNormF64, kern.DropoutAddLayerNormF64Opt, kern.DropoutAddLayerNormOpt,
	}},
	{"mn mn n n n mn n mn", []any{
		kern.AddLayerNormBackward, kern.AddLayerNormBackwardBF16, kern.AddLayerNormBackwardBF16Opt, kern.AddLayerNormBackwardF64, kern.AddLayerNormBackwardF64Opt, kern.AddLayerNormBackwardOpt,
		kern.DropoutAddLayerNormBackward, kern.DropoutAddLayerNormBackwardBF16, kern.DropoutAddLayerNormBackwardBF16Opt, kern.DropoutAddLayerNormBackwardF64, kern.DropoutAddLayerNormBackwardF64Opt,
		kern.DropoutAddLayerNormBackwardOpt,
	}},
	{"n mn", []any{kern.ColSum, kern.ColSumBF16, kern.ColSumBF16Opt, kern.ColSumF64, kern.ColSumF64Opt, kern.ColSumOpt}},
	{"mn mn mn mn mn mn mn mn mn", []any{
		kern.LSTMCellBackward, kern.LSTMCellBackwardBF16, kern.LSTMCellBackwardBF16Opt, kern.LSTMCellBackwardF64, kern.LSTMCellBackwardF64Opt, kern.LSTMCellBackwardOpt,
	}},
	{"mn mn mn mn mn mn", []any{
		kern.LSTMHiddenBackward, kern.LSTMHiddenBackwardBF16, kern.LSTMHiddenBackwardBF16Opt, kern.LSTMHiddenBackwardF64, kern.LSTMHiddenBackwardF64Opt, kern.LSTMHiddenBackwardOpt,
	}},
	{"mn n mk kn mn", []any{
		kern.LinearGELUBackward, kern.LinearGELUBackwardBF16, kern.LinearGELUBackwardBF16Opt, kern.LinearGELUBackwardBF16Pack, kern.LinearGELUBackwardF64, kern.LinearGELUBackwardF64Opt,
		kern.LinearGELUBackwardF64Pack, kern.LinearGELUBackwardOpt, kern.LinearGELUBackwardPack,
	}},
	{"mn mn mk kn n", []any{
		kern.LinearGELUPre, kern.LinearGELUPreBF16, kern.LinearGELUPreBF16Opt, kern.LinearGELUPreBF16Pack, kern.LinearGELUPreF64, kern.LinearGELUPreF64Opt, kern.LinearGELUPreF64Pack,
		kern.LinearGELUPreOpt, kern.LinearGELUPrePack,
	}},
}
