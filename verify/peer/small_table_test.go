package peer_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkSmallTable compares small and skinny products with other libraries: one
// thread on both sides, in turns, medians, and no timing before the result was compared
// with a plain loop. A peer's calls are made from C, in a loop that is compiled here
// ([peer.Repeat]); ours from Go.
//
//	OPENBLAS_CORETYPE=SkylakeX BLIS_ARCH_TYPE=0 \
//		go test -run '^$' -bench SmallTable -benchtime 1x -timeout 30m ./verify/peer
//
// One part is -bench SmallTable/skinny/f32, one line -bench 'SmallTable/general/f32/NN/n=8$'.
//
// A line says our GFLOP/s, its share of what can be had, how many times as fast as the
// best of MKL, OpenBLAS and BLIS (with either set of kernels, see otherBLIS) we are, and as
// each peer. What can be had is the multiply-add ceiling, or flops / (bytes / bandwidth
// of the level of memory that holds as many bytes) where that is less. "others" is how
// many CPUs other processes kept busy: with much more than 0, ratios stand, shares
// hardly. A peer without a number has no such product. The lines of the benchmark
// itself are for benchstat.
func BenchmarkSmallTable(b *testing.B) {
	s := &smallTable{}
	fmt.Printf("\nmachine: %s, %d CPUs, %s; ISAs %s\n", cpuModel(), runtime.NumCPU(), runtime.Version(), strings.Join(cpu.ISAs(), " "))
	for _, g := range peer.Available() {
		if g.Name == "gonum" {
			continue // not called from C, and no match
		}
		s.peers = append(s.peers, g)
		if g.Name == "blis" {
			if other := otherBLIS(b, g); other != nil {
				s.peers = append(s.peers, other)
			}
		}
	}
	for _, g := range s.peers {
		g.SetThreads(1)
		fmt.Printf("peer: %s: %s %s\n", g.Name, g.Version, g.Note)
	}
	var err error
	if s.loop, err = peer.OpenLoop(); err != nil {
		fmt.Printf("a peer's time includes the call from Go into C, of some hundred nanoseconds: %v\n", err)
	}
	b.Run("large", func(b *testing.B) { bothTypes(b, s, largeRows[float32], largeRows[float64]) })
	b.Run("general", func(b *testing.B) { bothTypes(b, s, generalRows[float32], generalRows[float64]) })
	b.Run("skinny", func(b *testing.B) { bothTypes(b, s, skinnyRows[float32], skinnyRows[float64]) })
	b.Run("flat", func(b *testing.B) { bothTypes(b, s, flatRows[float32], flatRows[float64]) })
	b.Run("batched", func(b *testing.B) { bothTypes(b, s, batchedRows[float32], batchedRows[float64]) })
}

type smallTable struct {
	peers []*peer.Gemm
	loop  *peer.Loop // nil without a C compiler
	rows  []string   // not printed yet
}

func bothTypes(b *testing.B, s *smallTable, f32, f64 func(*testing.B, *smallTable)) {
	b.Run("f32", func(b *testing.B) { f32(b, s) })
	s.print()
	b.Run("f64", func(b *testing.B) { f64(b, s) })
	s.print()
}

// print prints the lines so far, which would stand among those of the benchmark if each
// were printed at once.
func (s *smallTable) print() {
	if len(s.rows) > 0 {
		fmt.Printf("\n%s\n\n", strings.Join(s.rows, "\n"))
	}
	s.rows = nil
}

var orientations = []string{"NN", "NT", "TN", "TT"}

func generalRows[T dtype.Float](b *testing.B, s *smallTable) {
	for _, tr := range orientations {
		sizes := []int{16, 32, 64, 100, 128}
		if tr == "NN" {
			sizes = []int{8, 12, 16, 24, 32, 48, 64, 80, 96, 100, 112, 128}
		}
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/n=%d", tr, n), func(b *testing.B) { row(b, s, newBatch[T](1, n, n, n, tr)) })
		}
	}
}

// largeRows are the sizes at which a library shows what it blocks by: powers of two, whose
// rows fall into the same sets of a cache, beside sizes that are none.
func largeRows[T dtype.Float](b *testing.B, s *smallTable) {
	for _, tr := range orientations {
		sizes := []int{256, 512, 1000, 2048}
		if tr == "NN" {
			sizes = []int{256, 384, 512, 768, 1000, 1024, 1536, 2040, 2048}
		}
		for _, n := range sizes {
			b.Run(fmt.Sprintf("%s/n=%d", tr, n), func(b *testing.B) { row(b, s, newBatch[T](1, n, n, n, tr)) })
		}
	}
}

func skinnyRows[T dtype.Float](b *testing.B, s *smallTable) {
	const long = 2048
	for _, tr := range orientations {
		for _, m := range []int{1, 2, 4, 6, 8, 16} {
			b.Run(fmt.Sprintf("%s/m=%d", tr, m), func(b *testing.B) { row(b, s, newBatch[T](1, m, long, long, tr)) })
		}
		for _, n := range []int{1, 2, 4, 6, 8, 16} {
			b.Run(fmt.Sprintf("%s/n=%d", tr, n), func(b *testing.B) { row(b, s, newBatch[T](1, long, n, long, tr)) })
		}
	}
}

// flatRows have a small k, as updates of low rank have: the result is most of the bytes.
func flatRows[T dtype.Float](b *testing.B, s *smallTable) {
	const wide = 2048
	for _, tr := range []string{"NN", "NT"} {
		for _, k := range []int{1, 4, 8, 16, 32, 64, 128} {
			b.Run(fmt.Sprintf("%s/k=%d", tr, k), func(b *testing.B) { row(b, s, newBatch[T](1, wide, wide, k, tr)) })
		}
	}
}

func batchedRows[T dtype.Float](b *testing.B, s *smallTable) {
	for _, n := range []int{16, 32} {
		b.Run(fmt.Sprintf("1000x%d", n), func(b *testing.B) { row(b, s, newBatch[T](1000, n, n, n, "NN")) })
	}
}

// batch is products side by side.
type batch[T dtype.Float] struct {
	one     *problem[T] // the first of them
	all     []*problem[T]
	a, b, c peer.Operand[T]
}

// newBatch returns count products of random matrices, transposed as tr says.
func newBatch[T dtype.Float](count, m, n, k int, tr string) *batch[T] {
	x := &batch[T]{}
	for range count {
		x.all = append(x.all, newProblem[T](m, n, k, tr[0] == 'T', tr[1] == 'T'))
	}
	// The peers want equal distances, so the matrices move into three arrays.
	move := func(of func(p *problem[T]) []T, ld int, put func(p *problem[T], x []T)) peer.Operand[T] {
		size := len(of(x.all[0]))
		o := peer.Operand[T]{Data: make([]T, 0, count*size), LD: ld, Stride: size}
		for _, p := range x.all {
			at := len(o.Data)
			o.Data = append(o.Data, of(p)...)
			put(p, o.Data[at:])
		}
		return o
	}
	first := x.all[0]
	x.a = move(func(p *problem[T]) []T { return p.sa.Data }, first.sa.Cols, func(p *problem[T], x []T) { p.sa.Data, p.a.Data = x, x })
	x.b = move(func(p *problem[T]) []T { return p.sb.Data }, first.sb.Cols, func(p *problem[T], x []T) { p.sb.Data, p.b.Data = x, x })
	x.c = move(func(p *problem[T]) []T { return p.c.Data }, first.c.Cols, func(p *problem[T], x []T) { p.c.Data = x })
	x.one = first
	return x
}

func (x *batch[T]) flops() float64 { return float64(len(x.all)) * x.one.flops() }

func (x *batch[T]) bytes() int {
	return (len(x.a.Data) + len(x.b.Data) + len(x.c.Data)) * dtype.Of[T]().Size()
}

// check compares the first and the last product.
func (x *batch[T]) check(what string, f run) {
	x.one.check(what, f)
	x.all[len(x.all)-1].check(what, f)
}

// ours is n times the products from Go.
func (x *batch[T]) ours(n int) {
	c, a, b := x.one.c, x.one.a, x.one.b
	if len(x.all) == 1 {
		for range n {
			cpu.MatMulOpt(one, c, a, b)
		}
		return
	}
	c.Data, a.Data, b.Data = x.c.Data, x.a.Data, x.b.Data
	for range n {
		cpu.MatMulBatch(one, cpu.Batch{Count: len(x.all), Out: x.c.Stride, A: x.a.Stride, B: x.b.Stride}, c, a, b)
	}
}

// theirs is n products by a peer, or nil if it has none such.
func (x *batch[T]) theirs(s *smallTable, g *peer.Gemm) (func(n int), error) {
	p := x.one
	if err := g.Can(dtype.Of[T](), p.ta, p.tb, p.m, p.n, p.k, 1, 0); err != nil {
		return nil, err
	}
	if s.loop != nil {
		return peer.Repeat(s.loop, g, p.ta, p.tb, len(x.all), p.m, p.n, p.k, x.a, x.b, x.c)
	}
	f := gemmOf[T](g)
	return func(n int) {
		for range n {
			for _, p := range x.all {
				p.peer(f)()
			}
		}
	}, nil
}

func gemmOf[T dtype.Float](g *peer.Gemm) gemmFunc[T] {
	if f, ok := any(g.F32).(gemmFunc[T]); ok {
		return f
	}
	return any(g.F64).(gemmFunc[T])
}

// row times one line of the table.
func row[T dtype.Float](b *testing.B, s *smallTable, x *batch[T]) {
	t, isa := dtype.Of[T](), cpu.ISAs()[0]
	names, runs := []string{"ours"}, []func(times int){x.ours}
	for _, g := range s.peers {
		if f, err := x.theirs(s, g); err == nil {
			names, runs = append(names, g.Name), append(runs, f)
		}
	}
	for i, f := range runs {
		x.check(names[i], func() { f(1) })
	}
	top, read := roof.FMA(isa, t, 2*time.Millisecond), roof.Read(isa, x.bytes(), 20*time.Millisecond)
	busy, own, start := busySeconds(), cpuSeconds(), time.Now()
	var seconds []float64
	for b.Loop() {
		seconds = peer.InTurns(runs...)
	}
	others := max(0, (busySeconds()-busy)-(cpuSeconds()-own)) / time.Since(start).Seconds()
	top = max(top, roof.FMA(isa, t, 2*time.Millisecond))
	read = max(read, roof.Read(isa, x.bytes(), 20*time.Millisecond))

	ours := seconds[0]
	speed, bound := x.flops()/ours, x.flops()/(float64(x.bytes())/read)
	limit := fmt.Sprintf("%.1f MB at %.1f GB/s", float64(x.bytes())/1e6, read/1e9)
	if top <= bound {
		bound, limit = top, "multiply-add"
	}
	ratio := func(to ...string) float64 {
		best := math.Inf(1)
		for i, name := range names {
			if slices.Contains(to, name) {
				best = min(best, seconds[i])
			}
		}
		return best / ours
	}
	times := func(x float64) string {
		if math.IsInf(x, 1) {
			return "    -"
		}
		return fmt.Sprintf("%.2fx", x)
	}
	best := ratio("mkl", "openblas", "blis", "blis(zen3)")
	var line strings.Builder
	fmt.Fprintf(&line, "%-28s %7.1f GFLOP/s %5.1f %%  best %6s ", strings.TrimPrefix(b.Name(), "BenchmarkSmallTable/"), speed/1e9, 100*speed/bound, times(best))
	for _, g := range s.peers {
		fmt.Fprintf(&line, " %s %6s", g.Name, times(ratio(g.Name)))
	}
	fmt.Fprintf(&line, "  [%s, %.4g ns, others %.2f]", limit, ours*1e9, others)
	s.rows = append(s.rows, line.String())
	b.ReportMetric(ours*1e9, "ns/op")
	b.ReportMetric(speed/1e9, "GFLOP/s")
	if !math.IsInf(best, 1) {
		b.ReportMetric(best, "x/best")
	}
}
