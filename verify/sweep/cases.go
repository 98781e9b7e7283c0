package sweep

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Dense is a product out = a*b. plan says how it is computed, as [dense.Set.Plan] does; nil
// if nobody knows. tile is where the suite looks for edges.
func Dense[T dtype.Float](name string, f func(opt run.Options, out, a, b layout.Matrix[T]),
	plan func(opt run.Options, out, a, b layout.Matrix[T]) tiling.Plan, tile check.Options) Kernel {
	t := dtype.Of[T]()
	return Kernel{
		Name: name, Family: "Gemm", Types: t.String(), Acc: t, Workloads: denseWorkloads,
		Has: func(isa string) bool { return hasProduct(f, isa, Shape{1, 1, 1}) },
		Suite: func(tb check.TB, isa string) {
			tile.Name = ""
			check.Suite(tb, func(alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T]) {
				f(run.Options{ISA: isa, Scaling: run.Scale(float64(alpha), float64(beta))}, out, a, b)
			}, tile)
		},
		Ready: func(pt Point) (*Problem, error) {
			if err := (Shape{pt.M, pt.N, pt.K}).check(t.Size()); err != nil {
				return nil, err
			}
			transA, transB := pt.Op[0] == 'T', pt.Op[1] == 'T'
			opt := run.Options{ISA: pt.ISA, Threads: pt.Threads}
			problem, operands := denseProblem(pt, transA, transB, func(out, a, b layout.Matrix[T]) { f(opt, out, a, b) })
			if plan != nil {
				problem.Plan = func() tiling.Plan {
					out, a, b := operands()
					return plan(opt, out, a, b)
				}
			}
			return problem, nil
		},
	}
}

// denseProblem is a product by f, and its operands.
func denseProblem[T dtype.Float](pt Point, transA, transB bool, f func(out, a, b layout.Matrix[T])) (*Problem, func() (out, a, b layout.Matrix[T])) {
	t := dtype.Of[T]()
	operands := func(p *check.Problem) (out, a, b layout.Matrix[T]) {
		matrix := check.Get[layout.Matrix[T]]
		return matrix(p, 0), matrix(p, check.A), matrix(p, check.B)
	}
	of := func(f func(out, a, b layout.Matrix[T])) *check.Case {
		return &check.Case{A: t, B: t, Acc: t, Slots: []check.Slot{{Type: t, Out: true}}, Call: func(p *check.Problem) { f(operands(p)) }}
	}
	x := of(f).TimedProduct(check.Shape{M: pt.M, N: pt.N, K: pt.K}, transA, transB)
	problem := timed(x)
	problem.Beside = func(peer Peer) (*Rival, error) { return denseRival[T](peer, x, transA, transB, pt.Threads), nil }
	return problem, func() (out, a, b layout.Matrix[T]) { return operands(x.Problem) }
}

// hasProduct calls the variant of a product that has no other shape than s.
func hasProduct[T dtype.Float](f func(opt run.Options, out, a, b layout.Matrix[T]), isa string, s Shape) bool {
	out, a, b := layout.New[T](s.M, s.N), layout.New[T](s.M, s.K), layout.New[T](s.K, s.N)
	return callable(func() { f(run.Options{ISA: isa, Threads: 1}, out, a, b) })
}

// denseRival is a peer's product on the memory of p, nil if it has none.
func denseRival[T dtype.Float](peer Peer, x *check.Timed, transA, transB bool, threads int) *Rival {
	f, ok := any(peer.F32).(GemmFunc[T])
	if !ok {
		f, _ = any(peer.F64).(GemmFunc[T])
	}
	if f == nil || peer.SetThreads == nil && threads > 1 {
		return nil
	}
	m, n, k := x.M, x.N, x.K
	data := func(slot int) []T { return check.Get[[]T](x.Problem, slot) }
	if peer.Slow && flops(m, n, k) > 2e9 || peer.Can != nil && peer.Can(dtype.Of[T](), transA, transB, m, n, k) != nil {
		return nil
	}
	// As stored; New's strides of one row or column are not these.
	lda, ldb := k, n
	if transA {
		lda = m
	}
	if transB {
		ldb = k
	}
	once := func() { f(transA, transB, m, n, k, 1, data(check.A), lda, data(check.B), ldb, 0, data(0), n) }
	r := &Rival{Check: func() error { return x.With(func(*check.Problem) { once() }) }, Run: repeated(once)}
	loop, ok := any(peer.Loop32).(LoopFunc[T])
	if !ok {
		loop, _ = any(peer.Loop64).(LoopFunc[T])
	}
	if loop != nil {
		if run := loop(transA, transB, m, n, k, data(check.A), lda, data(check.B), ldb, data(0), n); run != nil {
			r.Run = run
		}
	}
	return r
}

func flops(m, n, k int) float64 { return 2 * float64(m) * float64(n) * float64(k) }

// typesOf names the types of operands and sums, once if they are one.
func typesOf(a, b, acc dtype.Type) string {
	if a == b && b == acc {
		return a.String()
	}
	return fmt.Sprintf("%v,%v,%v", a, b, acc)
}

func timed(t *check.Timed) *Problem {
	return &Problem{Flops: 2 * float64(t.MACs), Bytes: t.Bytes, Check: t.Check, Run: t.Call}
}

// Fixed is a generated product of a fixed shape, as its generated test describes it. f is
// the same with options, for what the direct call does not do.
func Fixed[T dtype.Float](f func(opt run.Options, out, a, b layout.Matrix[T]), of func(isa string) check.FixedCase[T]) Kernel {
	c := of(run.Portable)
	k := Dense(c.Name, f, nil, check.Options{}).Only(Shape{c.Only.M, c.Only.N, c.Only.K})
	some := Shape{max(c.Only.M, 1), max(c.Only.N, 1), max(c.Only.K, 1)}
	k.Has = func(isa string) bool { return hasProduct(f, isa, some) }
	k.Suite = func(tb check.TB, isa string) {
		c := of(isa)
		c.Name = ""
		check.Fixed(tb, c)
	}
	general := k.Ready
	k.Ready = func(pt Point) (*Problem, error) {
		c := of(pt.ISA)
		if c.Arrays == nil || pt.Threads > 1 || pt.Op != "NN" {
			return general(pt)
		}
		problem, _ := denseProblem(pt, false, false, func(out, a, b layout.Matrix[T]) { c.Arrays(out.Data, a.Data, b.Data) })
		return problem, nil
	}
	return k
}

// Only returns k for a kernel of a fixed shape, of which 0 is free: it is measured
// there, and elsewhere not at all.
func (k Kernel) Only(s Shape) Kernel {
	workloads := k.Workloads
	k.Workloads = func(g Grid) []Workload {
		free := func(fixed, size int) int {
			if fixed != 0 {
				return fixed
			}
			return size
		}
		var all []Workload
		for _, p := range workloads(g) {
			p.M, p.N, p.K = free(s.M, p.M), free(s.N, p.N), free(s.K, p.K)
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
		return all
	}
	return k
}
