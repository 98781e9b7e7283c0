package peer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/peer"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// BenchmarkTable prints the speed table of docs/speed.md: every number is a share of
// the register-only multiply-add ceiling, or a ratio to another library, measured
// in the same run, on random data, after the result was compared with a plain loop.
//
//	go test -run '^$' -bench '^BenchmarkTable$' -benchtime 1x ./verify/peer
//
// Libraries that do not know a new processor run their oldest code on it; set
// OPENBLAS_CORETYPE and BLIS_ARCH_TYPE as the notes say to compare with their best.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		fmt.Printf("\nmachine: %s, %d CPUs, %s; ISAs %s\n", cpuModel(), runtime.NumCPU(), runtime.Version(), strings.Join(cpu.ISAs(), " "))
		peers := peer.Available()
		for _, p := range peers {
			p.SetThreads(1)
			fmt.Printf("peer: %s %s %s\n", p.Name, p.Version, p.Note)
		}
		table[float32](peers, func(p *peer.Gemm) gemmFunc[float32] { return p.F32 })
		table[float64](peers, func(p *peer.Gemm) gemmFunc[float64] { return p.F64 })
	}
}

type gemmFunc[T dtype.Float] = func(ta, tb bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)

type run func()

// problem is one product: operands as stored, row-major.
type problem[T dtype.Float] struct {
	m, n, k int
	ta, tb  bool
	a, b, c layout.Matrix[T] // as multiplied
	sa, sb  layout.Matrix[T] // as stored
}

func newProblem[T dtype.Float](m, n, k int, ta, tb bool) *problem[T] {
	r := rand.New(level.PCG(uint64(m), uint64(n)))
	make := func(rows, cols int, t bool) (stored, used layout.Matrix[T]) {
		if t {
			rows, cols = cols, rows
		}
		stored = layout.New[T](rows, cols)
		for i := range stored.Data {
			stored.Data[i] = T(r.NormFloat64())
		}
		if t {
			return stored, stored.T()
		}
		return stored, stored
	}
	p := &problem[T]{m: m, n: n, k: k, ta: ta, tb: tb, c: layout.New[T](m, n)}
	p.sa, p.a = make(m, k, ta)
	p.sb, p.b = make(k, n, tb)
	return p
}

func (p *problem[T]) flops() float64 { return 2 * float64(p.m) * float64(p.n) * float64(p.k) }

func (p *problem[T]) ours(o cpu.Options) run {
	return func() { cpu.MatMulOpt(o, p.c, p.a, p.b) }
}

func (p *problem[T]) peer(f gemmFunc[T]) run {
	return func() {
		f(p.ta, p.tb, p.m, p.n, p.k, 1, p.sa.Data, p.sa.Cols, p.sb.Data, p.sb.Cols, 0, p.c.Data, p.c.Cols)
	}
}

// check compares some elements with a plain loop and stops the program if one is
// wrong: a wrong kernel has no speed.
func (p *problem[T]) check(what string, f run) {
	for i := range p.c.Data {
		p.c.Data[i] = 0
	}
	f()
	r := rand.New(level.PCG(7, 7))
	eps := map[dtype.Type]float64{dtype.F32: 1 << 1 * 6e-8, dtype.F64: 1 << 1 * 1.2e-16}[dtype.Of[T]()]
	for range 64 {
		i, j := r.IntN(p.m), r.IntN(p.n)
		sum, abs := 0.0, 0.0
		for k := range p.k {
			x := float64(p.a.At(i, k)) * float64(p.b.At(k, j))
			sum, abs = sum+x, abs+max(x, -x)
		}
		if d := sum - float64(p.c.At(i, j)); max(d, -d) > abs*eps*float64(p.k) {
			fmt.Printf("%s: %d x %d x %d: element (%d, %d) is %v, want %v\n", what, p.m, p.n, p.k, i, j, p.c.At(i, j), sum)
			os.Exit(1)
		}
	}
}

// speeds returns the flop/s of the fastest of several runs of each function,
// taken in turns so that a change of clock or of the neighbours meets all of them.
// A nil run is the ceiling.
func speeds(flops float64, ceiling func() float64, fs ...run) (best []float64, top float64) {
	best = make([]float64, len(fs))
	reps := max(1, int(4e8/flops))
	for range 7 {
		top = max(top, ceiling())
		for i, f := range fs {
			for range 3 {
				t := time.Now()
				for range reps {
					f()
				}
				best[i] = max(best[i], flops*float64(reps)/time.Since(t).Seconds())
			}
		}
	}
	return best, max(top, ceiling())
}

func table[T dtype.Float](peers []*peer.Gemm, pick func(*peer.Gemm) gemmFunc[T]) {
	t := dtype.Of[T]()
	best := cpu.ISAs()[0]
	ceiling := func(isa string) func() float64 {
		return func() float64 { return roof.FMA(isa, t, 2*time.Millisecond) }
	}
	one := cpu.Options{Threads: 1}
	line := func(name string, p *problem[T], isa string, o cpu.Options) float64 {
		f := p.ours(o)
		p.check(name, f)
		s, top := speeds(p.flops(), ceiling(isa), f)
		fmt.Printf("%v %-28s %7.1f GFLOP/s of %6.1f = %5.1f %%\n", t, name, s[0]/1e9, top/1e9, 100*s[0]/top)
		return s[0]
	}
	fmt.Println("\none thread, share of the ceiling")
	line("k-loop, 99x48x512", newProblem[T](99, 48*4/t.Size(), 512, false, false), best, one)
	for _, n := range []int{64, 100, 128, 256, 512, 1000, 1024, 2048} {
		for _, tr := range []string{"NN", "NT", "TN", "TT"} {
			line(fmt.Sprintf("n=%d %s", n, tr), newProblem[T](n, n, n, tr[0] == 'T', tr[1] == 'T'), best, one)
		}
	}
	for _, isa := range cpu.ISAs()[1:] {
		line("n=1024 "+isa, newProblem[T](1024, 1024, 1024, false, false), isa, cpu.Options{Threads: 1, ISA: isa})
	}

	fmt.Println("\nskinny: share of min(ceiling, bytes over read bandwidth of as many bytes)")
	for _, s := range [][3]int{{8, 2048, 2048}, {2048, 8, 2048}} {
		p := newProblem[T](s[0], s[1], s[2], false, false)
		f := p.ours(one)
		p.check("skinny", f)
		bytes := (s[0]*s[2] + s[2]*s[1] + s[0]*s[1]) * t.Size()
		read := roof.Read(best, bytes, 100*time.Millisecond)
		v, top := speeds(p.flops(), ceiling(best), f)
		bound := min(top, p.flops()/(float64(bytes)/read))
		fmt.Printf("%v m=%d n=%d k=%d %16.1f GFLOP/s of %6.1f = %5.1f %% (%.1f MB at %.1f GB/s)\n", t, s[0], s[1], s[2], v[0]/1e9, bound/1e9, 100*v[0]/bound, float64(bytes)/1e6, read/1e9)
	}

	fmt.Println("\nagainst others, one thread: our GFLOP/s, then ours over theirs")
	for _, n := range []int{256, 512, 1024, 2048} {
		for _, tr := range []string{"NN", "TT"} {
			if tr == "TT" && n != 512 {
				continue
			}
			p := newProblem[T](n, n, n, tr == "TT", tr == "TT")
			fs := []run{p.ours(one)}
			p.check("ours", fs[0])
			var names []string
			for _, q := range peers {
				if q.Name == "gonum" && n > 512 {
					continue // seconds a call
				}
				if q.Can(t, p.ta, p.tb, n, n, n, 1, 0) != nil {
					continue
				}
				q.SetThreads(1)
				f := p.peer(pick(q))
				p.check(q.Name, f)
				fs, names = append(fs, f), append(names, q.Name)
			}
			s, _ := speeds(p.flops(), ceiling(best), fs...)
			fmt.Printf("%v n=%d %s %8.1f", t, n, tr, s[0]/1e9)
			for i, name := range names {
				fmt.Printf("  %s %.2fx", name, s[0]/s[i+1])
			}
			fmt.Println()
		}
	}

	fmt.Println("\ntwo threads over one")
	for _, n := range []int{512, 1024, 2048} {
		p := newProblem[T](n, n, n, false, false)
		s, _ := speeds(p.flops(), ceiling(best), p.ours(one), p.ours(cpu.Options{Threads: 2}))
		fmt.Printf("%v n=%d %.2fx (%.1f GFLOP/s)\n", t, n, s[1]/s[0], s[1]/1e9)
	}
}

func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	var model, family string
	for line := range strings.Lines(string(b)) {
		k, v, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(k) {
		case "model name":
			model = strings.TrimSpace(v)
		case "cpu family":
			family = strings.TrimSpace(v)
		}
	}
	return model + " (family " + family + ")"
}
