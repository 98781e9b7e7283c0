package peer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/check"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkNarrow compares products of narrow types with other libraries, as
// docs/results/narrow.md has them: one thread on both sides, in turns, medians, b packed
// beforehand on both sides, random operands, and no timing before the result was compared
// with a plain loop. Peers' calls are made from C in a loop, ours from Go.
//
//	go test -run '^$' -bench Narrow -benchtime 1x -timeout 30m ./verify/peer
//
// One part is -bench Narrow/large, Narrow/small or Narrow/decode, one line
// of it -bench 'Narrow/large/bf16/n=1024$'. A share is of the highest ceiling that any
// instruction set of this machine has for the types ([roof.Products]); of decode it is of
// that or of bytes over read bandwidth, whichever takes longer.
func BenchmarkNarrow(b *testing.B) {
	s := &narrowTable{}
	fmt.Printf("\nmachine: %s, %d CPUs, %s; ISAs %s\n", cpuModel(), runtime.NumCPU(), runtime.Version(), strings.Join(cpu.ISAs(), " "))
	var err error
	if s.loop, err = peer.OpenLoop(); err != nil {
		fmt.Printf("no peers: %v\n", err)
	}
	// With other layers MKL's narrow products take more threads than it was told, 2026.2 at least.
	b.Setenv("MKL_THREADING_LAYER", "SEQUENTIAL")
	for _, name := range narrowPeers {
		g, err := peer.Load(name)
		if err != nil {
			fmt.Printf("%v\n", err)
			continue
		}
		g.SetThreads(1)
		s.peers = append(s.peers, g)
		fmt.Printf("peer: %s: %s %s\n", g.Name, g.Version, g.Note)
	}
	f32 := func(x float64) float32 { return float32(x) }
	group := func(name string, f func(b *testing.B, s *narrowTable)) {
		b.Run(name, func(b *testing.B) { f(b, s) })
		s.print(name)
	}
	for _, part := range []struct {
		name   string
		shapes []check.Shape
	}{
		{"large", squares(256, 512, 1024, 2048)}, {"small", squares(16, 32, 64)},
		{"decode", []check.Shape{{M: 1, N: 4096, K: 4096}, {M: 4, N: 4096, K: 4096}, {M: 8, N: 4096, K: 4096}}},
	} {
		group(part.name, func(b *testing.B, s *narrowTable) {
			narrowRows(b, s, part.shapes, dtype.ToBF16[float32], dtype.ToBF16[float32], f32)
			narrowRows(b, s, part.shapes, dtype.ToF16[float32], dtype.ToF16[float32], f32)
			narrowRows(b, s, part.shapes, bytes, signed, sums)
			narrowRows(b, s, part.shapes, signed, signed, sums)
			narrowRows(b, s, part.shapes, words, words, sums)
		})
	}
}

var narrowPeers = []string{"onednn", "mkl", "libxsmm"}

// Random integers of all sizes, of numbers about 1.
func bytes(x float32) uint8 { return uint8(max(0, min(255, 128+x*50))) }
func signed(x float32) int8 { return int8(max(-128, min(127, x*50))) }
func words(x float32) int16 { return int16(max(-32768, min(32767, x*9000))) }
func sums(x float64) int32  { return int32(int64(x)) }
func squares(ns ...int) (s []check.Shape) {
	for _, n := range ns {
		s = append(s, check.Shape{M: n, N: n, K: n})
	}
	return s
}

// narrowTable is what lines go into.
type narrowTable struct {
	loop  *peer.Loop
	peers []*peer.Gemm
	rows  []string
}

func (s *narrowTable) print(part string) {
	if len(s.rows) == 0 {
		return
	}
	fmt.Printf("\n%s\n\n| types | m x n x k | Gop/s | ceiling, Gop/s | by | share |", part)
	for _, p := range narrowPeers {
		fmt.Printf(" times %s |", p)
	}
	fmt.Printf(" us |\n|---|---|---|---|---|---|%s---|\n%s\n\n", strings.Repeat("---|", len(narrowPeers)), strings.Join(s.rows, "\n"))
	s.rows = nil
}

// narrowProblem is one product with operands in memory: b several times over for decode, so
// that no cache keeps it.
type narrowProblem[A, B, C dtype.Elem] struct {
	check.Shape
	a    []A
	b    [][]B
	c    []C
	opts []cpu.Options // with each b packed
	sum  func(float64) C
}

func narrowRows[A, B dtype.Elem, C dtype.Sum](b *testing.B, s *narrowTable, shapes []check.Shape, ofA func(float32) A, ofB func(float32) B, sum func(float64) C) {
	name := dtype.Of[A]().String()
	if dtype.Of[A]() != dtype.Of[B]() {
		name += "." + dtype.Of[B]().String()
	}
	for _, shape := range shapes {
		b.Run(fmt.Sprintf("%s/m=%d,n=%d", name, shape.M, shape.N), func(b *testing.B) { narrowRow(b, s, name, shape, ofA, ofB, sum) })
	}
}

func narrowRow[A, B dtype.Elem, C dtype.Sum](b *testing.B, s *narrowTable, name string, shape check.Shape, ofA func(float32) A, ofB func(float32) B, sum func(float64) C) {
	copies := 1
	bytes := shape.N * shape.K * dtype.Of[B]().Size()
	if shape.M < 16 { // decode: every call has other weights, of four times the last cache in all
		copies = 1 + 4*2*machine.This().Caches[machine.L3].Size/bytes // of which This gives a core half
	}
	p := newNarrow(shape, copies, ofA, ofB, sum)
	once := map[string]float64{} // seconds of what is too slow to take turns: code that emulates
	names, runs := []string{"ours"}, []func(int){weighted(p)}
	for _, g := range s.peers {
		if s.loop == nil {
			break
		}
		if shape.MACs() > 1<<20 && emulates(s.loop, g, ofA, ofB, sum) {
			once[g.Name] = math.Inf(1)
		} else if f := p.theirs(s.loop, g); f != nil {
			names, runs = append(names, g.Name), append(runs, f)
		}
	}
	for i := 0; i < len(runs); i++ {
		p.check(names[i], runs[i])
		start := time.Now()
		runs[i](1)
		if d := time.Since(start); i > 0 && d > 200*time.Millisecond {
			once[names[i]] = d.Seconds()
			names, runs = slices.Delete(names, i, i+1), slices.Delete(runs, i, i+1)
			i--
		}
	}
	top := ceilingOf[A, B]()
	ops := 2 * float64(shape.MACs())
	traffic := float64(bytes + len(p.a)*dtype.Of[A]().Size() + 4*len(p.c))
	read := 0.0 // of as many bytes as all copies have, before and after
	if copies > 1 {
		read = roof.Read(cpu.ISAs()[0], copies*bytes, 200*time.Millisecond)
	}
	var seconds []float64
	for b.Loop() {
		seconds = peer.InTurns(runs...)
	}
	top.Rate = max(top.Rate, ceilingOf[A, B]().Rate)
	bound := top.Rate
	if copies > 1 {
		read = max(read, roof.Read(cpu.ISAs()[0], copies*bytes, 200*time.Millisecond))
		if atMost := ops / (traffic / read); atMost < bound {
			bound, top.By = atMost, fmt.Sprintf("reading at %.1f GB/s", read/1e9)
		}
	}
	ours := seconds[0]
	line := fmt.Sprintf("| %s | %d x %d x %d | %.1f | %.1f | %s | %.1f %% |", name, shape.M, shape.N, shape.K, ops/ours/1e9, bound/1e9, top.By, 100*ops/ours/bound)
	for _, want := range narrowPeers {
		cell := " |"
		for i, have := range names {
			if have == want {
				cell = fmt.Sprintf(" %.2fx |", seconds[i]/ours)
			}
		}
		if d := once[want]; math.IsInf(d, 1) {
			cell = " emulates |"
		} else if d > 0 {
			cell = fmt.Sprintf(" %.0fx |", d/ours)
		}
		line += cell
	}
	s.rows = append(s.rows, fmt.Sprintf("%s %.4g |", line, ours*1e6))
	fmt.Fprintln(os.Stderr, s.rows[len(s.rows)-1])
	b.ReportMetric(ours*1e9, "ns/op")
	b.ReportMetric(ops/ours/1e9, "Gop/s")
	b.ReportMetric(100*ops/ours/bound, "%bound")
}

// ceilingOf is the highest that the machine has for the types.
func ceilingOf[A, B dtype.Elem]() (best roof.Ceiling) {
	for _, isa := range cpu.ISAs() {
		if c := roof.Products(isa, dtype.Of[A](), dtype.Of[B](), 2*time.Millisecond); c.Rate > best.Rate && isa != "go" {
			best = c
		}
	}
	return best
}

func newNarrow[A, B dtype.Elem, C dtype.Sum](shape check.Shape, copies int, ofA func(float32) A, ofB func(float32) B, sum func(float64) C) *narrowProblem[A, B, C] {
	r := rand.New(level.PCG(uint64(shape.M), uint64(shape.N)))
	p := &narrowProblem[A, B, C]{Shape: shape, a: make([]A, shape.M*shape.K), c: make([]C, shape.M*shape.N), sum: sum}
	for i := range p.a {
		p.a[i] = ofA(float32(r.NormFloat64()))
	}
	few := make([]B, 8191) // a prime: normal numbers take time to draw
	for i := range few {
		few[i] = ofB(float32(r.NormFloat64()))
	}
	for range copies {
		x := make([]B, shape.K*shape.N)
		for i := range x {
			x[i] = few[(i+r.IntN(2))%len(few)]
		}
		p.b = append(p.b, x)
		p.opts = append(p.opts, cpu.Options{Threads: 1, B: cpu.PackOf[C, A](layout.RowMajor(x, shape.K, shape.N))})
	}
	return p
}

// weighted multiplies by one b after the other.
func weighted[A, B dtype.Elem, C dtype.Sum](p *narrowProblem[A, B, C]) func(int) {
	out, a, at := layout.RowMajor(p.c, p.M, p.N), layout.RowMajor(p.a, p.M, p.K), 0
	return func(times int) {
		for range times {
			if at++; at >= len(p.b) {
				at = 0
			}
			cpu.MatMulOfOpt[C](p.opts[at], out, a, layout.RowMajor(p.b[at], p.K, p.N))
		}
	}
}

// theirs is the same by a library, nil if it has no such product.
func (p *narrowProblem[A, B, C]) theirs(l *peer.Loop, g *peer.Gemm) func(int) {
	var each []func(int)
	for _, b := range p.b {
		f, err := peer.Narrow(l, g, p.M, p.N, p.K, p.a, b, p.c)
		if err != nil {
			return nil
		}
		each = append(each, f)
	}
	if len(each) == 1 {
		return each[0]
	}
	at := 0
	return func(times int) {
		for range times {
			at = (at + 1) % len(each)
			each[at](1)
		}
	}
}

// emulates reports whether a library takes more than a millisecond for a product that takes
// some microseconds: as plain code does, which would take minutes for a large one.
func emulates[A, B dtype.Elem, C dtype.Sum](l *peer.Loop, g *peer.Gemm, ofA func(float32) A, ofB func(float32) B, sum func(float64) C) bool {
	f := newNarrow(check.Shape{M: 64, N: 64, K: 64}, 1, ofA, ofB, sum).theirs(l, g)
	if f == nil {
		return false
	}
	f(1)
	start := time.Now()
	f(1)
	return time.Since(start) > time.Millisecond
}

// check compares some elements with a plain loop, and stops the program if one is wrong.
func (p *narrowProblem[A, B, C]) check(what string, f func(int)) {
	clear(p.c)
	for range p.b { // all of them, the first one last
		f(1)
	}
	r := rand.New(level.PCG(7, 7))
	for range 64 {
		i, j := r.IntN(p.M), r.IntN(p.N)
		for _, b := range p.b {
			sum, abs := 0.0, 0.0
			for k := range p.K {
				x := check.Float64(p.a[i*p.K+k]) * check.Float64(b[k*p.N+j])
				sum, abs = sum+x, abs+math.Abs(x)
			}
			have, want := check.Float64(p.c[i*p.N+j]), check.Float64(p.sum(sum))
			slack := 0.0
			if dtype.Of[C]() != dtype.I32 {
				slack = abs * float64(p.K) * 0x1p-23
			}
			if math.Abs(have-want) <= slack {
				goto next
			}
		}
		fmt.Printf("%s: %v.%v %v: element (%d, %d) is %v, which is that of no b\n", what, dtype.Of[A](), dtype.Of[B](), p.Shape, i, j, p.c[i*p.N+j])
		os.Exit(1)
	next:
	}
}
