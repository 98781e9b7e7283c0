package bits_test

import (
	"maps"

	"github.com/tilesmith/tilesmith/cpu"
	sums "github.com/tilesmith/tilesmith/cpu/run/dense/blocks"
	"github.com/tilesmith/tilesmith/gen/examples/blocks"
	"github.com/tilesmith/tilesmith/gen/examples/gnn/nn"
	"github.com/tilesmith/tilesmith/gen/examples/graph"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/layout/sparse24"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/mask"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// A door is a function that has type parameters, or wants an operand that is made from another.
type door struct {
	spec string
	f    any
}

type (
	options            = cpu.Options
	mat[T dtype.Elem]  = layout.Matrix[T]
	spm[T dtype.Float] = sparse.Matrix[T]
)

// doors are by name: the package and function, and a type in brackets. What stands behind a colon is one way to call it.
func doors() map[string]door {
	all := graphs()
	for _, more := range []map[string]door{
		floats[float32]("[float32]"), floats[float64]("[float64]"), numbersDoors[complex64]("[complex64]"), numbersDoors[complex128]("[complex128]"),
		mixed[float32, dtype.BF16, dtype.BF16, float32]("[bf16,bf16,float32]"), mixed[float32, dtype.BF16, dtype.BF16, dtype.BF16]("[bf16,bf16,bf16]"),
		mixed[float32, dtype.F16, dtype.F16, float32]("[f16,f16,float32]"), mixed[float32, dtype.F16, dtype.F16, dtype.F16]("[f16,f16,f16]"),
		mixed[float32, float32, float32, dtype.BF16]("[float32,float32,bf16]"), mixed[float32, float32, dtype.BF16, float32]("[float32,bf16,float32]"),
		mixed[float32, dtype.BF16, float32, float32]("[bf16,float32,float32]"), mixed[float32, int8, dtype.F16, float32]("[int8,f16,float32]"),
		mixed[float64, float32, float32, float64]("[float32,float32,float64]"),
		mixed[int32, int8, int8, int32]("[int8,int8,int32]"), mixed[int32, uint8, int8, int32]("[uint8,int8,int32]"),
		mixed[int32, int8, uint8, int32]("[int8,uint8,int32]"), mixed[int32, uint8, uint8, int32]("[uint8,uint8,int32]"),
		mixed[int32, int16, int16, int32]("[int16,int16,int32]"), mixed[int32, int8, int16, int32]("[int8,int16,int32]"),
		mixed[int32, int16, int8, int32]("[int16,int8,int32]"),
		pruned24[float32, float32, float32, float32]("[float32,float32]"), pruned24[float32, dtype.BF16, dtype.BF16, float32]("[bf16,bf16]"),
		pruned24[int32, int8, int8, int32]("[int8,int8]"),
		quantised[int8, int8]("[int8,int8]"), quantised[int8, uint8]("[int8,uint8]"), quantised[uint8, int8]("[uint8,int8]"),
		quantised[uint8, uint8]("[uint8,uint8]"), quantised[float32, int8]("[float32,int8]"), quantised[float32, uint8]("[float32,uint8]"),
		half[dtype.BF16]("[bf16]"), half[dtype.F16]("[f16]"), quants[int8]("[int8]"), quants[uint8]("[uint8]"),
	} {
		maps.Copy(all, more)
	}
	return all
}

// numbersDoors are products of float32, float64 and complex numbers.
func numbersDoors[T dtype.Number](t string) map[string]door {
	return map[string]door{
		"cpu.MatMul" + t:    {"mn mk kn", cpu.MatMul[T]},
		"cpu.MatMulOpt" + t: {"mn mk kn", cpu.MatMulOpt[T]},
	}
}

// floats are products of float32 and float64, dense and sparse.
func floats[T dtype.Float](t string) map[string]door {
	all := map[string]door{
		"cpu.MatMulPack" + t:      {"kn", cpu.Pack[T]},
		"cpu.MatMulBatch" + t:     {"mn mk kn", cpu.MatMulBatch[T]},
		"cpu.SDDMM" + t:           {"mn mk nk", cpu.SDDMM[T]},
		"cpu.SDDMMInto" + t:       {"z mn mk nk", cpu.SDDMMInto[T]},
		"cpu.SDDMMPattern" + t:    {"mn mk nk", func(opt options, s spm[T], a, b mat[T]) spm[T] { return cpu.SDDMMPattern(opt, s.Pattern(), a, b) }},
		"cpu.MulPruned" + t:       {"mn mk kn", func(opt options, out mat[T], a spm[T], b mat[T]) { cpu.MulPruned(opt, out, cpu.Prune(a), b) }},
		"cpu.Dropout" + t:         {"mn mn", cpu.Dropout[T]},
		"cpu.EdgeSoftmax" + t:     {"z mn", cpu.EdgeSoftmax[T]},
		"cpu.EdgeSoftmaxBack" + t: {"z mn z z", cpu.EdgeSoftmaxBack[T]},
		"cpu.GraphAttention" + t:  {"mh mn mk nk nh", cpu.GraphAttention[T]},
		"cpu.BlockAttention" + t:  {"mh mm mh mh mh", cpu.BlockAttention[T]},
		"cpu.BlockAttentionBack" + t: {"mh mh mh mm mh mh mh mh mh", func(opt cpu.BlockAttentionOptions, dq, dk, dv mat[T], mask mask.Mask, q, k, v, out, dout mat[T]) {
			opt.LogSums = make([]float64, q.Rows)
			cpu.BlockAttention(opt, out, mask, q, k, v)
			cpu.BlockAttentionBack(opt, dq, dk, dv, mask, q, k, v, out, dout)
		}},
		"cpu.BlockAttention" + t + ":full": {"mk mk nk", func(opt cpu.BlockAttentionOptions, out, q, k mat[T]) {
			cpu.BlockAttention(opt, out, must(mask.Full(q.Rows, k.Rows, 16)), q, k, k)
		}},
		"cpu.MulRelations" + t: {"mn mk kh Hn", cpu.MulRelations[T]},
		"cpu.MulRelationsBack" + t: {"kh Hn mk kh Hn mn", func(opt options, dx, dw mat[T], a sparse.Relations[T], x, w, dout mat[T]) {
			cpu.MulRelationsBack(opt, dx, dw, a, a.Transpose(), x, w, dout)
		}},
		"cpu.MulRelationsValues" + t: {"mk kh Hn mn", func(opt options, a sparse.Relations[T], x, w, dout mat[T]) []T {
			values := make([]T, a.NNZ())
			cpu.MulRelationsValues(opt, values, a, x, w, dout)
			return values
		}},
		"cpu.SegmentMax" + t: {"mn mn m kn", cpu.SegmentMax[T]},
		"cpu.SegmentMaxBack" + t: {"mn mn m kn kn", func(opt options, out mat[T], arg []int32, offsets []int, x, dx mat[T]) {
			cpu.SegmentMax(opt, out, arg, offsets, x)
			cpu.SegmentMaxBack(opt, dx, arg, out)
		}},
		"cpu.MatMulTriangle" + t:    {"mm mk km", func(tri cpu.Triangle, out, a, b mat[T]) { cpu.MatMulTriangle(tri, out, a, b) }},
		"cpu.MatMulTriangleOpt" + t: {"mm mk km", func(opt options, tri cpu.Triangle, out, a, b mat[T]) { cpu.MatMulTriangle(tri, out, a, b, opt) }},
		"cpu.Symm" + t:              {"mn mm mn", func(tri cpu.Triangle, out, a, b mat[T]) { cpu.Symm(tri, out, a, b) }},
		"cpu.SymmOpt" + t:           {"mn mm mn", func(opt options, tri cpu.Triangle, out, a, b mat[T]) { cpu.Symm(tri, out, a, b, opt) }},
		"cpu.Syrk" + t:              {"mm mk", func(tri cpu.Triangle, out, a mat[T]) { cpu.Syrk(tri, out, a) }},
		"cpu.SyrkOpt" + t:           {"mm mk", func(opt options, tri cpu.Triangle, out, a mat[T]) { cpu.Syrk(tri, out, a, opt) }},
		"cpu.Syr2k" + t:             {"mm mk mk", func(tri cpu.Triangle, out, a, b mat[T]) { cpu.Syr2k(tri, out, a, b) }},
		"cpu.Syr2kOpt" + t:          {"mm mk mk", func(opt options, tri cpu.Triangle, out, a, b mat[T]) { cpu.Syr2k(tri, out, a, b, opt) }},
		"cpu.Trmm" + t:              {"mm mn", func(tri cpu.Triangle, a, b mat[T]) { cpu.Trmm(tri, a, b) }},
		"cpu.TrmmOpt" + t:           {"mm mn", func(opt options, tri cpu.Triangle, a, b mat[T]) { cpu.Trmm(tri, a, b, opt) }},
		"cpu.Trsm" + t:              {"mm! mn", func(tri cpu.Triangle, a, b mat[T]) { cpu.Trsm(tri, a, b) }},
		"cpu.TrsmOpt" + t:           {"mm! mn", func(opt options, tri cpu.Triangle, a, b mat[T]) { cpu.Trsm(tri, a, b, opt) }},

		"cpu.SpMV" + t:              {"m mk k", cpu.SpMV[T, spm[T]]},
		"cpu.SpMVOpt" + t:           {"m mk k", cpu.SpMVOpt[T, spm[T]]},
		"cpu.SpMV" + t + ":pattern": {"m mk k", func(opt options, y []T, a spm[T], x []T) { cpu.SpMVOpt(opt, y, a.Pattern(), x) }},
		"cpu.SpMM" + t:              {"mn mk kn", cpu.SpMM[T, spm[T]]},
		"cpu.SpMMOpt" + t:           {"mn mk kn", cpu.SpMMOpt[T, spm[T]]},
		"cpu.SpMM" + t + ":pattern": {"mn mk kn", func(opt options, out mat[T], a spm[T], b mat[T]) { cpu.SpMMOpt(opt, out, a.Pattern(), b) }},
		"cpu.SpMM" + t + ":band":    {"mn mk kn", func(opt options, out mat[T], a spm[T], b mat[T]) { cpu.SpMMOpt(opt, out, a.Band(-3, 9), b) }},
		"cpu.SpMM" + t + ":sum": {"mn mk kn", func(opt options, out mat[T], a spm[T], b mat[T]) {
			cpu.SpMMOpt(opt, out, must(rule.Decompose(a, rule.LongRows(8), rule.Hyb(2, 2))), b)
		}},
		"cpu.SpGEMM" + t:    {"mk kn", func(a, b spm[T]) (spm[T], error) { return cpu.SpGEMM(a, b) }},
		"cpu.SpGEMMOpt" + t: {"mk kn", func(opt options, a, b spm[T]) (spm[T], error) { return cpu.SpGEMMOpt(opt, cpu.SpGEMMSpec[T]{}, a, b) }},
		"cpu.SpGEMM" + t + ":mask": {"mk kn mn", func(opt options, a, b, mask spm[T]) (spm[T], error) {
			return cpu.SpGEMMOpt(opt, cpu.SpGEMMSpec[T]{Semiring: semiring.MinPlus[T](), Mask: &mask}, a, b.Pattern())
		}},
		"cpu.PlanSpGEMM" + t: {"mk kn", func(opt options, a, b spm[T]) (spm[T], error) {
			return must(cpu.PlanSpGEMM(opt, cpu.SpGEMMSpec[T]{}, a, b)).Multiply(a, b)
		}},
		"cpu.SpMSpV" + t: {"kn mk", func(a, x spm[T]) spm[T] { return must(cpu.SpMSpV(must(sparse.VectorOf(x.RowSlice(0, 1))), a)).Row() }},
		"cpu.SpMSpVOpt" + t: {"kn mk", func(opt options, a, x spm[T]) spm[T] {
			return must(cpu.SpMSpVOpt(opt, cpu.SpGEMMSpec[T]{}, must(sparse.VectorOf(x.RowSlice(0, 1))), a)).Row()
		}},
		"nn.ReLUGrad" + t:      {"n n", func(x, dy []T) { each(x, dy, func(x, dy T) T { return nn.ReLUGrad(x, dy) }) }},
		"nn.ELUGrad" + t:       {"n n", func(x, dy []T) { each(x, dy, func(x, dy T) T { return nn.ELUGrad(x-0.7, 0.5, dy) }) }},
		"nn.LeakyReLUGrad" + t: {"n n", func(x, dy []T) { each(x, dy, func(x, dy T) T { return nn.LeakyReLUGrad(x-0.7, 0.1, dy) }) }},
	}
	maps.Copy(all, numbersDoors[T](t))
	for _, f := range []format.Format{format.CSC, format.COO, format.DCSR, format.DIA, format.Dense, format.BSR(4), format.DBSR(3), format.SELL(8, 32), format.DELL(4), format.SRBCRS(4, 2)} {
		all["cpu.SpMM"+t+":"+f.Name] = door{"mn mk kn", func(opt options, out mat[T], a spm[T], b mat[T]) { cpu.SpMMOpt(opt, out, must(format.Pack(a, f)), b) }}
	}
	for _, b := range []int{4, 16} {
		all["cpu.SpMMBlocks"+t+":"+format.BSR(b).Name] = door{"mn mk kn", func(opt options, out mat[T], a spm[T], x mat[T]) {
			cpu.SpMMBlocks(opt, out, must(format.Pack(a, format.BSR(b))), x)
		}}
	}
	for _, s := range []semiring.Semiring[T]{semiring.MaxMin[T](), semiring.MaxPlus[T](), semiring.MaxTimes[T](), semiring.MinPlus[T](), semiring.MinTimes[T](), semiring.OrAnd[T](), semiring.PlusMin[T](), semiring.PlusPair[T]()} {
		all["cpu.SpMMOver"+t+":"+s.Name] = door{"mn mk kn", func(opt options, out mat[T], a spm[T], b mat[T]) { cpu.SpMMOver(opt, s, out, a, b) }}
	}
	return all
}

// each replaces y by a function of x and y.
func each[T dtype.Float](x, y []T, f func(x, y T) T) {
	for i := range x {
		y[i] = f(x[i], y[i])
	}
}

func mixed[Acc dtype.Sum, A, B, Out dtype.Elem](t string) map[string]door {
	return map[string]door{
		"cpu.MatMulOf" + t:      {"mn mk kn", cpu.MatMulOf[Acc, A, B, Out]},
		"cpu.MatMulOfOpt" + t:   {"mn mk kn", cpu.MatMulOfOpt[Acc, A, B, Out]},
		"cpu.MatMulOfPack" + t:  {"kn", cpu.PackOf[Acc, A, B]},
		"cpu.MatMulBatchOf" + t: {"mn mk kn", cpu.MatMulBatchOf[Acc, A, B, Out]},
	}
}

func pruned24[Acc dtype.Sum, A sparse24.Elem, B, Out dtype.Elem](t string) map[string]door {
	return map[string]door{"cpu.MatMul24" + t: {"mn mk kn", func(opt options, out mat[Out], a mat[A], b mat[B]) {
		cols := (a.Cols + 3) / 4 * 4
		wide, deep := layout.New[A](a.Rows, cols), layout.New[B](cols, b.Cols)
		for j := range a.Cols {
			for i := range a.Rows {
				wide.Set(i, j, a.At(i, j))
			}
			for i := range b.Cols {
				deep.Set(j, i, b.At(j, i))
			}
		}
		cpu.MatMul24[Acc](opt, out, must(sparse24.Pack(sparse24.Prune(wide))), deep)
	}}}
}

func quantised[Out cpu.QuantOut, A cpu.QuantIn](t string) map[string]door {
	scales := func(a, b []float32, bias []int32, out mat[Out]) cpu.QuantProduct {
		q := cpu.QuantProduct{A: cpu.Quant{Scale: a, Axis: cpu.QuantPerRow}, B: cpu.Quant{Scale: b, Axis: cpu.QuantPerColumn}, Bias: bias}
		if _, is := any(out).(mat[float32]); !is {
			q.Out = cpu.Quant{Scale: []float32{300}}
		}
		return q
	}
	return map[string]door{
		"cpu.QuantMatMul" + t: {"mn mk kn m n n", func(out mat[Out], a mat[A], b mat[int8], sa, sb []float32, bias []int32) {
			cpu.QuantMatMul(out, a, b, scales(sa, sb, bias, out))
		}},
		"cpu.QuantMatMulOpt" + t: {"mn mk kn m n n", func(opt options, out mat[Out], a mat[A], b mat[int8], sa, sb []float32, bias []int32) {
			cpu.QuantMatMulOpt(opt, out, a, b, scales(sa, sb, bias, out))
		}},
		"cpu.QuantMatMulPack" + t: {"kn", cpu.QuantPack[Out, A]},
	}
}

func quants[T cpu.QuantIn](t string) map[string]door {
	return map[string]door{
		"cpu.Quantise" + t: {"mn mn n", func(dst mat[T], src mat[float32], scale []float32) {
			cpu.Quantise(dst, src, cpu.Quant{Scale: scale, Axis: cpu.QuantPerColumn})
		}},
		"cpu.Dequantise" + t: {"mn mn m", func(dst mat[float32], src mat[T], scale []float32) {
			cpu.Dequantise(dst, src, cpu.Quant{Scale: scale, Axis: cpu.QuantPerRow})
		}},
		"cpu.Calibrate" + t: {"mn", func(src mat[float32]) cpu.Quant { return cpu.Calibrate[T](src, cpu.QuantPerTensor) }},
	}
}

// half are products of sparse matrices with numbers of half the width.
func half[V dtype.BF16 | dtype.F16](t string) map[string]door {
	return map[string]door{
		"cpu.SpMMOf" + t:              {"mn mk kn", cpu.SpMMOf[float32, spm[float32], V, float32]},
		"cpu.SpMMOfOpt" + t:           {"mn mk kn", cpu.SpMMOfOpt[float32, spm[float32], V, float32]},
		"cpu.SpMMOf" + t + ":rounded": {"mn mk kn", cpu.SpMMOf[float32, spm[float32], V, V]},
	}
}

// graphs are functions of the examples for matrices in other formats than compressed rows, and what has gaps of its own.
func graphs() map[string]door {
	return map[string]door{
		"cpu.SpMMOf[bf16]:stored": {"mn mk kn", func(opt options, out mat[float32], a spm[float32], b mat[dtype.BF16]) {
			cpu.SpMMOfOpt[float32](opt, out, sparse.NarrowOf[dtype.BF16](a), b)
		}},
		"cpu.SpMMOf[f16]:stored": {"mn mk kn", func(opt options, out mat[float32], a spm[float32], b mat[dtype.F16]) {
			cpu.SpMMOfOpt[float32](opt, out, sparse.NarrowOf[dtype.F16](a), b)
		}},
		"graph.AggregateELL": {"mx64 mk kx64 64", func(opt options, out mat[float32], a spm[float32], b mat[float32], bias []float32) {
			graph.AggregateELLOpt(opt, out, must(format.Pack(few(a, 8), format.ELL(8))), b, bias)
		}},
		"graph.AggregateHybrid": {"mx64 m mk kx64 64", func(opt options, out mat[float32], rowMax []float32, a spm[float32], b mat[float32], bias []float32) {
			graph.AggregateHybridOpt(opt, out, rowMax, parts(a, format.ELL(4)), b, bias)
		}},
		"graph.MeanHybridDIA": {"mx40 mk kx40", func(opt options, out mat[float64], a spm[float64], b mat[float64]) {
			graph.MeanHybridDIAOpt(opt, out, parts(a, format.ELL(2), format.DIA), b)
		}},
		"graph.MaxHybridCOO": {"mx12 mk kx12", func(opt options, out mat[float64], a spm[float64], b mat[float64]) {
			graph.MaxHybridCOOOpt(opt, out, parts(a, format.ELL(2), format.COO), b)
		}},
		"graph.PageRankSELL": {"m 1 mk k m", func(opt options, y, sum []float64, a spm[float64], x, jump []float64) {
			graph.PageRankSELLOpt(opt, y, sum, parts(a, format.SELL(4, 8)), x, jump, 0.85)
		}},
		"graph.ALiBiAttentionBack": {"mF mF mF m m 1 mm mF mF mF mF mF m m 1", func(opt cpu.BlockAttentionOptions, dq, dk, dv mat[float32], drow, dcol, dslope []float32, mask mask.Mask, q, k, v, out, dout mat[float32], row, col, slope []float32) {
			opt.LogSums = make([]float64, 4*q.Rows)
			graph.ALiBiAttentionOpt(opt, out, mask, q, k, v, row, col, slope)
			graph.ALiBiAttentionBack(opt, dq, dk, dv, drow, dcol, dslope, mask, q, k, v, out, dout, row, col, slope)
		}},
		"graph.SoftcapAttentionBack": {"mF mF mF 1 mm mm mF mF mF mF mF 1 mm", func(opt cpu.BlockAttentionOptions, dq, dk, dv mat[float64], dlimit []float64, dbias mat[float64], mask mask.Mask, q, k, v, out, dout mat[float64], limit []float64, bias mat[float64]) {
			opt.LogSums = make([]float64, 2*q.Rows)
			graph.SoftcapAttentionOpt(opt, out, mask, q, k, v, limit, bias)
			graph.SoftcapAttentionBack(opt, dq, dk, dv, dlimit, dbias, mask, q, k, v, out, dout, limit, bias)
		}},
		"graph.PropagateCSC": {"mx32 mk kx32", func(opt options, out mat[float64], a spm[float64], b mat[float64]) {
			graph.PropagateCSCOpt(opt, out, must(format.Pack(a, format.CSC)), b)
		}},
		"blocks.BRGEMMCount9": {"5x21 54x5x9 6x7x9", func(opt options, out mat[float64], a, b sums.Operand[float64]) {
			blocks.BRGEMMCount9Opt(opt, out.Slice(0, 5, 0, 7), a, b)
		}},
	}
}

// few leaves each row its first entries.
func few[T dtype.Float](m spm[T], most int) spm[T] {
	count := make(map[int]int)
	return m.Select(func(i, _ int, _ T) bool { count[i]++; return count[i] <= most })
}

// parts deals the entries of a matrix to parts in formats, at most two of a row to each.
func parts[T dtype.Float](m spm[T], formats ...format.Format) rule.Sum[T] {
	var rules []rule.Rule
	for _, f := range formats {
		rules = append(rules, rule.Rule{Name: f.Name, Split: func(s rule.Structure) ([]rule.Group, rule.Structure, error) {
			count := make(map[int]int)
			mine, rest := s.Partition(func(e sparse.Entry) bool { count[e.I]++; return count[e.I] <= 2 })
			return []rule.Group{{Into: f, Structure: mine}}, rest, nil
		}})
	}
	return must(rule.Decompose(m, rules...))
}
