package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Blocks are matrices of one shape, as calls of sums over blocks take them. They start at Data[At[i]],
// or at Data[i*Stride] for Count of them, or each is a slice of List.
type Blocks[T dtype.Elem] struct {
	Data          []T
	At            []int
	Stride, Count int
	List          [][]T

	Rows, Cols, Ld int // of kernels that take blocks of any shape: that of a's, and elements from row to row
}

// BlockShape is how blocks lie: rows of a, of b and of out so many elements apart. Paired rows of b
// are pairs of rows: element (k, j) at k/2*2*LdB + 2*j + k%2.
type BlockShape struct {
	Shape
	LdA, LdB, LdC int
	Paired        bool
	Open          bool // calls say M, K, LdA and LdC
	Width, Panel  int  // of b's panels, and elements from one to the next; 0: there is one
}

// atA and atB are where elements of a block stand, and sizeA and sizeB how many it takes.
func (s BlockShape) atA(i, k int) int { return i*s.LdA + k }
func (s BlockShape) atB(k, j int) int {
	if s.Width > 0 {
		q := j / s.Width * s.Panel
		s.Width, j = 0, j%s.Width
		return q + s.atB(k, j)
	}
	if s.Paired {
		return k/2*2*s.LdB + 2*j + k%2
	}
	return k*s.LdB + j
}
func (s BlockShape) sizeA() int { return s.atA(s.M-1, s.K-1) + 1 }
func (s BlockShape) sizeB() int { return s.atB(s.K-1, s.N-1) + 1 }
func (s BlockShape) sizeC() int { return (s.M-1)*s.LdC + s.N }

// BatchReduceCase is a kernel that computes out = alpha*(a[0]*b[0] + a[1]*b[1] + ...) + beta*out.
type BatchReduceCase[T dtype.Elem, S dtype.Sum] struct {
	Name  string
	Of    BlockShape
	Count int // of pairs in every call; -1 is any
	Call  func(alpha, beta float64, out layout.Matrix[S], a, b Blocks[T])
}

// BatchReduce checks a sum over blocks. On small integers it must match a plain loop bit for bit, for all
// ways to say where blocks lie, next to inaccessible pages. On random numbers it must lie where a right
// kernel's sums can. NaN spreads to its row and no further. Arguments that do not fit are refused before out
// is written.
func BatchReduce[T dtype.Elem, S dtype.Sum](t TB, c BatchReduceCase[T, S]) {
	t.Helper()
	if c.Of.Open && c.Of.M == 0 {
		for _, s := range c.Of.shapes() {
			c.Of = s
			group(t, fmt.Sprintf("m=%d/k=%d", s.M, s.K), func(t TB) { BatchReduce(t, c) })
		}
		return
	}
	r := &batchReducer[T, S]{BatchReduceCase: c, rng: source(c.Of.Shape, 5)}
	groups := []struct {
		name string
		run  func(TB)
	}{{"exact", r.exact}, {"refused", r.refused}}
	if dtype.Of[S]() != dtype.I32 {
		groups = append(groups, struct {
			name string
			run  func(TB)
		}{"random", r.random})
	}
	for _, g := range groups {
		group(t, "check="+g.name, g.run)
	}
	for _, close := range []func() error{r.a.Close, r.b.Close, r.out.Close} {
		if err := close(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

type batchReducer[T dtype.Elem, S dtype.Sum] struct {
	BatchReduceCase[T, S]
	rng  *rand.Rand
	a, b Guard[T]
	out  Guard[S]
}

// counts are how many blocks calls have.
func (r *batchReducer[T, S]) counts() []int {
	if r.Count >= 0 {
		return []int{r.Count, r.Count, r.Count}
	}
	return []int{0, 1, 2, 3, 7, r.rng.IntN(65), 64}
}

// call makes one call, and compares: exactly, or as a right kernel may round.
func (r *batchReducer[T, S]) call(n, formA, formB int, at position, alpha, beta float64, exact bool) error {
	s := r.Of
	fill := func() float64 { return float64(r.rng.IntN(7) - 3) }
	if !exact {
		fill = r.rng.NormFloat64
	}
	a, atA, allA, err := r.operand(&r.a, n, s.sizeA(), formA, at, fill)
	if err != nil {
		return err
	}
	a = shaped(s, a)
	b, atB, allB, err := r.operand(&r.b, n, s.sizeB(), formB, at, fill)
	if err != nil {
		return err
	}
	b = shapedB(s, b)
	data, err := room(&r.out, s.sizeC(), at)
	if err != nil {
		return err
	}
	out := layout.Matrix[S]{Data: data, Rows: s.M, Cols: s.N, RowStride: s.LdC, ColStride: 1}
	old := make([]float64, s.M*s.N)
	if beta != 0 { // else it holds canaries, which nobody may read
		for e := range old {
			old[e] = Float64(Elem[S](fill()))
			data[e/s.N*s.LdC+e%s.N] = Elem[S](old[e])
		}
	}
	nan := -1 // the row of a that has one
	if !exact && n > 0 && r.rng.IntN(2) == 0 {
		nan = r.rng.IntN(s.M)
		e := atA[r.rng.IntN(n)] + s.atA(nan, r.rng.IntN(s.K))
		allA[e] = Elem[T](math.NaN())
	}
	if err := caught(func() { r.Call(alpha, beta, out, a, b) }); err != nil {
		return err
	}
	bits, _ := formatOf[S]()
	rounding := 0.0
	if !exact {
		rounding = gamma(float64(n*s.K+8), bits) + gamma(float64(n*s.K+8), 53)
	}
	each := 1 + n*s.MACs()/batchReduceWork // of large sums every third element or so is compared
	skip, canary := r.rng.IntN(each), *canaryElem[S]()
	wideA, wideB := asFloats(allA), asFloats(allB)
	for e := range old {
		i, j := e/s.N, e%s.N
		if e%each != skip && e != 0 && e != len(old)-1 {
			data[i*s.LdC+j] = canary
			continue
		}
		sum, abs := 0.0, 0.0
		for p := range n {
			for k := range s.K {
				x := wideA[atA[p]+s.atA(i, k)] * wideB[atB[p]+s.atB(k, j)]
				sum, abs = sum+x, abs+math.Abs(x)
			}
		}
		want, size := beta*old[e], math.Abs(beta*old[e])
		if alpha != 0 {
			want, size = want+alpha*sum, size+math.Abs(alpha)*abs
		}
		p := &data[i*s.LdC+j]
		have := Float64(*p)
		if math.IsNaN(want) != math.IsNaN(have) || math.Abs(have-want) > rounding*size {
			return fmt.Errorf("element (%d, %d) is %v, want %v +- %v; a row with NaN is %d", i, j, have, want, rounding*size, nan)
		}
		*p = canary
	}
	if i := unpainted(data); i >= 0 {
		return fmt.Errorf("wrote %v between the rows of out, at Data[%d]", data[i], i)
	}
	for name, check := range map[string]func() error{"a": r.a.Check, "b": r.b.Check, "out": r.out.Check} {
		if err := check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// batchReduceWork is how many multiply-adds of one call are done again.
const batchReduceWork = 200_000

func asFloats[T dtype.Elem](x []T) []float64 {
	f := make([]float64, len(x))
	for i, v := range x {
		f[i] = Float64(v)
	}
	return f
}

// canaryElem is what paint leaves.
func canaryElem[S dtype.Elem]() *S {
	one := make([]S, 1)
	paint(one)
	return &one[0]
}

// scales are alphas and betas.
func (r *batchReducer[T, S]) scales() [][2]float64 {
	if dtype.Of[S]() == dtype.I32 {
		return [][2]float64{{1, 0}, {1, 1}}
	}
	return [][2]float64{{1, 0}, {1, 1}, {-2, 0}, {2, -1}, {0, 1}, {0, 0}, {1, 4}}
}

func (r *batchReducer[T, S]) exact(t TB) { r.calls(t, true) }

func (r *batchReducer[T, S]) random(t TB) { r.calls(t, false) }

// calls goes through counts, forms, places and scales.
func (r *batchReducer[T, S]) calls(t TB, exact bool) {
	scales := r.scales()
	turn := 0
	for _, n := range r.counts() {
		for form := range 9 {
			turn++
			at, f := []position{left, right}[turn%2], scales[turn%len(scales)]
			if err := r.call(n, form%3, form/3, at, f[0], f[1], exact); err != nil {
				t.Errorf("%s: %d blocks, forms %d and %d, at=%v alpha=%v beta=%v: %v", r.Name, n, form%3, form/3, at, f[0], f[1], err)
				return
			}
		}
	}
}

// refused hands over what does not fit.
func (r *batchReducer[T, S]) refused(t TB) {
	s := r.Of
	n := r.Count
	if n < 0 {
		n = 3
	}
	sa, sb := s.sizeA(), s.sizeB()
	good := func() (a, b Blocks[T]) {
		at := make([]int, n)
		for i := range at {
			at[i] = i
		}
		return shaped(s, Blocks[T]{Data: make([]T, sa+n-1), At: at}), shapedB(s, Blocks[T]{Data: make([]T, n*sb), Stride: sb, Count: n})
	}
	const far = math.MaxInt/2 + 1
	for _, x := range []struct {
		what string
		bad  func(out *layout.Matrix[S], a, b *Blocks[T])
	}{
		{"a negative offset", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.At[n-1] = -1 }},
		{"the least offset", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.At[0] = math.MinInt }},
		{"an offset one too far", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.At[n-1] = n }},
		{"the largest offset", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.At[0] = math.MaxInt }},
		{"an offset that overflows in bytes", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.At[0] = far }},
		{"a that is too short for a block", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.Data = a.Data[:sa-1] }},
		{"no a", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.Data = nil }},
		{"b that is too short", func(_ *layout.Matrix[S], _, b *Blocks[T]) { b.Data = b.Data[:n*sb-1] }},
		{"a negative stride", func(_ *layout.Matrix[S], _, b *Blocks[T]) { b.Stride = -1 }},
		{"a negative count", func(_ *layout.Matrix[S], a, b *Blocks[T]) {
			*a, a.Rows = *b, 0
			*a = shaped(s, *a)
			a.Count, b.Count = -1, -1
		}},
		{"a count that overflows", func(_ *layout.Matrix[S], a, b *Blocks[T]) {
			*a = shaped(s, Blocks[T]{Data: make([]T, sa), Count: math.MaxInt, Stride: far})
			b.Count = math.MaxInt
		}},
		{"one block more of b", func(_ *layout.Matrix[S], _, b *Blocks[T]) { b.Count, b.Data = n+1, make([]T, (n+1)*sb) }},
		{"one block less of a", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.At = a.At[1:] }},
		{"a list with a short block", func(_ *layout.Matrix[S], a, _ *Blocks[T]) {
			list := make([][]T, n)
			for i := range list {
				list[i] = a.Data[:sa]
			}
			list[n-1] = list[n-1][1:]
			*a = shaped(s, Blocks[T]{List: list})
		}},
		{"a list with an empty block", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { *a = shaped(s, Blocks[T]{List: make([][]T, n)}) }},
		{"a list beside offsets", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.List = make([][]T, n) }},
		{"offsets beside a stride", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.Stride = 1 }},
		{"another row of out", func(out *layout.Matrix[S], _, _ *Blocks[T]) { out.Rows++ }},
		{"a column of out less", func(out *layout.Matrix[S], _, _ *Blocks[T]) { out.Cols-- }},
		{"out that is too short", func(out *layout.Matrix[S], _, _ *Blocks[T]) { out.Data = out.Data[:len(out.Data)-1] }},
		{"a shape of b's blocks", func(_ *layout.Matrix[S], _, b *Blocks[T]) { b.Rows = s.K }},
		{"columns of b that are no whole panels", func(_ *layout.Matrix[S], _, b *Blocks[T]) { b.Cols = s.N + 1 }},
		{"negative columns of b", func(_ *layout.Matrix[S], _, b *Blocks[T]) { b.Cols = -s.N }},
		{"panels of b that are too far apart", func(out *layout.Matrix[S], _, b *Blocks[T]) { b.Cols, b.Ld, out.Cols = 2*s.N, far, 2*s.N }},
		{"a shape that is known, or none", func(_ *layout.Matrix[S], a, _ *Blocks[T]) {
			if a.Rows, a.Cols, a.Ld = 0, 0, 0; !s.Open {
				a.Rows, a.Cols = s.M, s.K
			}
		}},
		{"rows of a that fill all memory", func(_ *layout.Matrix[S], a, _ *Blocks[T]) {
			if a.Ld = far; s.M == 1 {
				a.Ld = -2
			}
		}},
		{"a negative distance of rows", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.Ld = -1 }},
		{"a row of a more", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.Rows++ }},
		{"as many rows as can be", func(out *layout.Matrix[S], a, _ *Blocks[T]) { a.Rows, out.Rows = math.MaxInt, math.MaxInt }},
		{"a negative number of columns", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.Cols = -2 }},
		{"as many columns as can be", func(_ *layout.Matrix[S], a, _ *Blocks[T]) { a.Cols, a.Ld = math.MaxInt-1, 0 }},
	} {
		a, b := good()
		out := layout.Matrix[S]{Data: make([]S, s.sizeC()), Rows: s.M, Cols: s.N, RowStride: s.LdC, ColStride: 1}
		paint(out.Data)
		x.bad(&out, &a, &b)
		shapePanic(t, r.Name+": "+x.what, func() { r.Call(1, 0, out, a, b) })
		if i := unpainted(out.Data); i >= 0 {
			t.Errorf("%s: %s: out was written before the panic, at Data[%d]", r.Name, x.what, i)
		}
	}
	if s.M > 1 && !s.Open {
		a, b := good()
		out := layout.Matrix[S]{Data: make([]S, 2*s.sizeC()), Rows: s.M, Cols: s.N, RowStride: s.LdC + 1, ColStride: 1}
		shapePanic(t, r.Name+": rows of out further apart", func() { r.Call(1, 0, out, a, b) })
	}
	r.overlaps(t)
}

// overlaps hands over an out that is part of a block, and one that touches blocks, where elements of all are of
// one type.
func (r *batchReducer[T, S]) overlaps(t TB) {
	s := r.Of
	n := max(r.Count, 1)
	sa, sb, sc := s.sizeA(), s.sizeB(), s.sizeC()
	buf := make([]T, sa+sb+sc)
	as, ok := any(buf).([]S)
	if !ok {
		return
	}
	try := func(a, b, out int) {
		at := func(x int) (at []int) {
			for range n {
				at = append(at, x)
			}
			return at
		}
		r.Call(1, 0, layout.Matrix[S]{Data: as[out : out+sc], Rows: s.M, Cols: s.N, RowStride: s.LdC, ColStride: 1}, shaped(s, Blocks[T]{Data: buf, At: at(a)}), shapedB(s, Blocks[T]{Data: buf, At: at(b)}))
	}
	shapePanic(t, r.Name+": out begins at the last element of a", func() { try(0, sa+sc, sa-1) })
	shapePanic(t, r.Name+": b begins at the last element of out", func() { try(0, sa+sc-1, sa) })
	if e := panicOf(func() { try(0, sa+sc, sa) }); e != nil {
		t.Errorf("%s: out between a and b: panic with %v", r.Name, e)
	}
}

// BenchmarkBatchReduce times sums over blocks that lie one after another, and reports GFLOP/s.
func BenchmarkBatchReduce[T dtype.Elem, S dtype.Sum](b *testing.B, isa string, c BatchReduceCase[T, S]) {
	counts := []int{1, 8, 64}
	if c.Count > 0 {
		counts = []int{c.Count}
	}
	if c.Of.Open {
		c.Of.M, c.Of.K = 56, 64
		c.Of.LdA, c.Of.LdC = c.Of.K, c.Of.N
	}
	s := c.Of
	for _, n := range counts {
		b.Run(fmt.Sprintf("isa=%s/type=%v/m=%d/n=%d/k=%d/count=%d", isa, dtype.Of[T](), s.M, s.N, s.K, n), func(b *testing.B) {
			x, y := make([]T, n*s.sizeA()), make([]T, n*s.sizeB())
			for i := range x {
				x[i] = Elem[T](1)
			}
			for i := range y {
				y[i] = Elem[T](2)
			}
			out := layout.Matrix[S]{Data: make([]S, s.sizeC()), Rows: s.M, Cols: s.N, RowStride: s.LdC, ColStride: 1}
			at, bt := shaped(s, Blocks[T]{Data: x, Stride: s.sizeA(), Count: n}), Blocks[T]{Data: y, Stride: s.sizeB(), Count: n}
			for b.Loop() {
				c.Call(1, 0, out, at, bt)
			}
			if have := Float64(out.Data[0]); have != float64(2*n*s.K) {
				b.Fatalf("element (0, 0) is %v, want %d", have, 2*n*s.K)
			}
			b.ReportMetric(2*float64(n)*float64(s.MACs())*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
