package spmm

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/verify/check"
)

// dataMatrix reads a file of ../shared/data beside the repository.
func dataMatrix[T dtype.Float](t testing.TB, name string) sparse.Matrix[T] {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "shared", "data", name+".mtx"))
	if err != nil {
		t.Skip("there is no ../shared/data beside the repository")
	}
	defer f.Close()
	m, err := sparse.ReadMatrixMarket[T](f, mtx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// spread is a product on p ranks: what the whole of it is made of.
type spread[T dtype.Float] struct {
	a          sparse.Matrix[T]
	rows, cols []int32
	opt        Options
	run        cpu.Options
	transposed bool
	times      int // how often it is computed; 0 is once
}

// multiply computes out = a*b on p ranks, and returns what each counted in the product.
func (x spread[T]) multiply(p int, out, b layout.Matrix[T]) ([]comm.Count, error) {
	counts := make([]comm.Count, p)
	err := comm.Run(p, func(c *comm.Comm) error {
		part, err := parts.Divide(x.a, c.Rank(), p, x.rows, x.cols)
		if err != nil {
			return err
		}
		c.Phase("setup")
		s, err := New(c, part, x.opt)
		if err != nil {
			return err
		}
		if x.transposed {
			if s, err = s.T(); err != nil {
				return err
			}
		}
		m, err := s.Product(b.Cols)
		if err != nil {
			return err
		}
		c.Phase("product")
		mine, own := layout.New[T](len(s.Rows()), b.Cols), layout.New[T](len(s.Cols()), b.Cols)
		for i, row := range s.Cols() {
			for j := range b.Cols {
				own.Data[i*b.Cols+j] = b.Data[int(row)*b.RowStride+j*b.ColStride]
			}
		}
		for range max(x.times, 1) {
			if _, beta := x.run.Scaling.Factors(); beta != 0 {
				for i, row := range s.Rows() {
					for j := range b.Cols {
						mine.Data[i*b.Cols+j] = out.Data[int(row)*out.RowStride+j*out.ColStride]
					}
				}
			}
			if err := m.Multiply(x.run, mine, own); err != nil {
				return err
			}
		}
		for i, row := range s.Rows() {
			for j := range b.Cols {
				out.Data[int(row)*out.RowStride+j*out.ColStride] = mine.Data[i*b.Cols+j]
			}
		}
		counts[c.Rank()] = c.Total("product")
		return s.Close()
	})
	return counts, err
}

// TestSpMMChecks puts products on ranks through the checks of products on one.
func TestSpMMChecks(t *testing.T) {
	t.Run("f64", spmmChecks[float64])
	t.Run("f32", spmmChecks[float32])
}

func spmmChecks[T dtype.Float](t *testing.T) {
	cases := []struct {
		p   int
		opt Options
	}{{1, Options{}}, {2, Options{}}, {3, Options{Cover: true}}, {4, Options{Chunks: 3}}, {9, Options{Cover: true, Chunks: 2}}}
	for i, c := range cases {
		// By turns of the types.
		if odd := (i+dtype.Of[T]().Size()/4)%2 == 1; level.Of(i != 2 || odd, odd, false) {
			continue
		}
		t.Run(fmt.Sprintf("p=%d,%+v", c.p, c.opt), func(t *testing.T) {
			check.SparseProduct(t, func(alpha T, a sparse.Matrix[T], b layout.Matrix[T], beta T, out layout.Matrix[T]) error {
				x := spread[T]{a: a, rows: ranktest.Scattered(a.Rows(), c.p), cols: ranktest.Scattered(a.Cols(), c.p), opt: c.opt,
					run: cpu.Options{Threads: 1, Scaling: cpu.Scale(float64(alpha), float64(beta))}}
				_, err := x.multiply(c.p, out, b)
				return err
			}, check.SparseOptions{Widths: level.Of([]int{17}, []int{17, 1}[:1+(c.p&1)], []int{1, 8, 17}), Long: level.Of(40, 100, 800)})
		})
	}
}

// fiveMatrices are those on which bytes are counted, in a short run the three smaller ones.
func fiveMatrices(t testing.TB) map[string]sparse.Matrix[float64] {
	rmat := ranktest.Must[sparse.Matrix[float64]](t)(sample.RMAT[float64](4096, 30000, .57, .19, .19, 1))
	all := map[string]sparse.Matrix[float64]{"rmat": rmat}
	for _, name := range level.Of([]string{"karate", "cora"}, []string{"karate", "gemat11", "bcsstk13", "cora"}, []string{"karate", "gemat11", "bcsstk13", "cora"}) {
		all[name] = dataMatrix[float64](t, name)
	}
	return all
}

// volume counts, in the simplest way, the connectivity minus one of all columns, with
// their owner, and the pairs of ranks of which one has something for the other.
func volume[T dtype.Float](a sparse.Matrix[T], rows, cols []int32) (rowsSent, pairs int) {
	type want struct{ j, rank int }
	seen, pair := map[want]bool{}, map[[2]int32]bool{}
	for e := range a.All() {
		if from, to := cols[e.J], rows[e.I]; from != to {
			seen[want{e.J, int(to)}] = true
			pair[[2]int32{from, to}] = true
		}
	}
	return len(seen), len(pair)
}

// TestSpMMBytes: a product sends 8 f (lambda - 1) bytes and a message for each pair of
// ranks, forward and backward, and each rank as much as its plan says.
func TestSpMMBytes(t *testing.T) {
	const f = 5
	for name, a := range fiveMatrices(t) {
		for i, p := range []int{2, 4, 8} {
			if !level.Long() && (i+len(name))%3 > level.Of(0, 1, 2) {
				continue
			}
			for how, rows := range map[string][]int32{"scattered": ranktest.Scattered(a.Rows(), p), "in rows": ranktest.InOrder(a.Rows(), p)} {
				want, pairs := volume(a, rows, rows)
				for _, transposed := range []bool{false, true} {
					if level.Of(transposed == (how == "scattered"), false, false) {
						continue
					}
					x := spread[float64]{a: a, rows: rows, transposed: transposed, run: cpu.Options{Threads: 1}}
					b, out := layout.New[float64](a.Cols(), f), layout.New[float64](a.Rows(), f)
					for i := range b.Data {
						b.Data[i] = float64(i%17 - 8)
					}
					counts, err := x.multiply(p, out, b)
					if err != nil {
						t.Fatal(err)
					}
					var sum comm.Count
					for _, n := range counts {
						sum.Sent, sum.BytesSent = sum.Sent+n.Sent, sum.BytesSent+n.BytesSent
						sum.Received, sum.BytesReceived = sum.Received+n.Received, sum.BytesReceived+n.BytesReceived
					}
					bytes := int64(8 * f * want)
					if diff := cmp.Diff(comm.Count{Sent: int64(pairs), Received: int64(pairs), BytesSent: bytes, BytesReceived: bytes}, sum); diff != "" {
						t.Errorf("%s on %d ranks, %s, transposed %v: counted against 8 f (lambda-1) and pairs (-want +got):\n%s", name, p, how, transposed, diff)
					}
					whole := a
					if transposed {
						whole = a.Transpose()
					}
					one, most := layout.New[float64](a.Rows(), f), 0.0
					cpu.SpMM(one, whole, b)
					for i := range out.Data {
						most = max(most, math.Abs(out.Data[i]-one.Data[i])/(1+math.Abs(one.Data[i])))
					}
					if most > 1e-9 {
						t.Errorf("%s on %d ranks, %s, transposed %v: off by %g", name, p, how, transposed, most)
					}
				}
			}
		}
	}
}

// TestSpMMCover: a product sends the fewest rows of B and Y, never more than rows of B alone.
func TestSpMMCover(t *testing.T) {
	const f, p = 3, 4
	fewer := false
	for name, a := range fiveMatrices(t) {
		owners := ranktest.Scattered(a.Rows(), p)
		rows := ranktest.Must[part.Partition](t)(part.New(p, owners))
		blocks := ranktest.Must[[]part.Block](t)(part.Cover(a, rows, rows))
		want := part.Volume(blocks)
		km1, _ := volume(a, owners, owners)
		if want > km1 {
			t.Errorf("%s: the cover has %d rows, there are %d rows of B", name, want, km1)
		}
		fewer = fewer || want < km1
		for _, transposed := range []bool{false, true} {
			b, out := layout.New[float64](a.Cols(), f), layout.New[float64](a.Rows(), f)
			counts, err := (spread[float64]{a: a, rows: owners, transposed: transposed, opt: Options{Cover: true}}).multiply(p, out, b)
			if err != nil {
				t.Fatal(err)
			}
			var sum comm.Count
			for _, n := range counts {
				sum.Sent, sum.BytesSent = sum.Sent+n.Sent, sum.BytesSent+n.BytesSent
			}
			if diff := cmp.Diff(comm.Count{Sent: int64(len(blocks)), BytesSent: int64(8 * f * want)}, sum); diff != "" {
				t.Errorf("%s, transposed %v (-want +got):\n%s", name, transposed, diff)
			}
		}
	}
	if !fewer {
		t.Error("no cover is smaller than the rows of B")
	}
}

// TestSpMMSumThenRow has a transposed product send the rank's first sum and then its first
// row, which lie in different places though their numbers -1 and 0 are neighbours.
func TestSpMMSumThenRow(t *testing.T) {
	build := sparse.NewBuilder[float64](8, 8)
	for k := range 4 {
		build.Add(4, k, float64(k+1))
		build.Add(4+k, 0, float64(k+10))
	}
	a := ranktest.Must[sparse.Matrix[float64]](t)(build.Matrix())
	b := layout.New[float64](8, 2)
	for i := range b.Data {
		b.Data[i] = float64(i + 1)
	}
	want, got := layout.New[float64](8, 2), layout.New[float64](8, 2)
	cpu.SpMM(want, a.Transpose(), b)
	owners := ranktest.InOrder(8, 2)
	if _, err := (spread[float64]{a: a, rows: owners, cols: owners, opt: Options{Cover: true}, transposed: true}).multiply(2, got, b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Data, got.Data); diff != "" {
		t.Errorf("of numbers without rounding (-want +got):\n%s", diff)
	}
}

// TestSpMMBits: a result has the same bits in every run and for any number of threads.
func TestSpMMBits(t *testing.T) {
	a := sample.Random(ranktest.Must[sparse.Matrix[float32]](t)(sample.RMAT[float32](3000, level.Of(6000, 20000, 60000), .57, .19, .19, 1)), 3)
	b := layout.New[float32](a.Cols(), 48)
	for i := range b.Data {
		b.Data[i] = float32(math.Sin(float64(i)))
	}
	for i, opt := range []Options{{}, {Cover: true}, {Chunks: 4}, {Format: sparse.SELL(8, 64)}} {
		for _, transposed := range []bool{false, true} {
			if level.Of(transposed == (i%2 == 0), false, false) {
				continue
			}
			var first layout.Matrix[float32]
			for try := range level.Of(2, 3, 6) {
				x := spread[float32]{a: a, rows: ranktest.Scattered(a.Rows(), 5), opt: opt, transposed: transposed, run: cpu.Options{Threads: 1 + try%3}, times: 2}
				out := layout.New[float32](a.Rows(), 48)
				if _, err := x.multiply(5, out, b); err != nil {
					t.Fatal(err)
				}
				if try == 0 {
					first = out
				} else if !slices.Equal(first.Data, out.Data) {
					t.Errorf("%+v, transposed %v: run %d has other bits", opt, transposed, try)
				}
			}
		}
	}
}

// TestSpMMStorage: every format, and what Advise says, gives the product.
func TestSpMMStorage(t *testing.T) {
	a := sample.Integers(ranktest.Must[sparse.Matrix[float64]](t)(sample.Uniform[float64](300, 300, 30, 1)), 4, 2)
	b, want := layout.New[float64](300, 20), layout.New[float64](300, 20)
	for i := range b.Data {
		b.Data[i] = float64(i%7 - 3)
	}
	cpu.SpMM(want, a, b)
	for _, opt := range []Options{{Format: sparse.CSR}, {Format: sparse.ELL(64)}, {Format: sparse.SELL(8, 32)}, {Format: sparse.BSR(4)},
		{Format: sparse.CSC}, {Format: sparse.COO}, {Format: sparse.DCSR}, {Advise: 20}, {Format: sparse.ELL(64), Cover: true, Chunks: 2}, {Chunks: 2}, {Chunks: 4}, {Chunks: 7, Format: sparse.SELL(8, 64)}} {
		out := layout.New[float64](300, 20)
		if _, err := (spread[float64]{a: a, rows: ranktest.Scattered(300, 3), opt: opt}).multiply(3, out, b); err != nil {
			t.Errorf("%v: %v", opt.Format, err)
		} else if diff := cmp.Diff(want.Data, out.Data); diff != "" {
			t.Errorf("%v, %+v (-want +got):\n%s", opt.Format, opt, diff)
		}
	}
}

// TestSpMMRefuses: what is wrong on one rank is an error on all that need it.
func TestSpMMRefuses(t *testing.T) {
	a := ranktest.Must[sparse.Matrix[float64]](t)(sample.Uniform[float64](40, 40, 5, 1))
	other := ranktest.Must[sparse.Matrix[float64]](t)(sample.Uniform[float64](40, 40, 5, 2))
	owners := ranktest.InOrder(40, 3)
	for _, x := range []struct {
		what, want string
		bad        func(c *comm.Comm, p *parts.Part[float64], opt *Options)
	}{
		{"a part of another matrix", "which matrix the parts are of, by its ID: ranks 0-1 0x", func(c *comm.Comm, p *parts.Part[float64], _ *Options) {
			*p, _ = parts.Divide(other, 2, 3, owners, nil)
		}},
		{"the ID of another matrix", "want parts that were made together", func(c *comm.Comm, p *parts.Part[float64], _ *Options) {
			id := p.ID
			*p, _ = parts.Divide(other, 2, 3, owners, nil)
			p.ID = id
		}},
		{"the part of another rank", "rank 2 of 3 has the part of rank 1 of 3", func(c *comm.Comm, p *parts.Part[float64], _ *Options) {
			*p, _ = parts.Divide(a, 1, 3, owners, nil)
		}},
		{"another size", "rows of the matrix: ranks 0-1 40, but rank 2 39", func(c *comm.Comm, p *parts.Part[float64], _ *Options) {
			p.Rows, p.Cols = 39, 39
			p.OwnRows, p.OwnCols, p.Halo, p.From, p.A = nil, nil, nil, make([]int, 4), sparse.Matrix[float64]{}
		}},
		{"a row too many", "row 40 of a matrix that has 40", func(c *comm.Comm, p *parts.Part[float64], _ *Options) {
			p.OwnRows = append(slices.Clone(p.OwnRows[1:]), 40)
			p.OwnCols = p.OwnRows
		}},
		{"chunks", "Options.Chunks: ranks 0-1 1, but rank 2 3", func(_ *comm.Comm, _ *parts.Part[float64], opt *Options) { opt.Chunks = 3 }},
		{"another format", "Options.Format: ranks 0-1 nothing, but rank 2 csc", func(_ *comm.Comm, _ *parts.Part[float64], opt *Options) { opt.Format = sparse.CSC }},
		{"other advice", "Options.Advise: ranks 0-1 0, but rank 2 8", func(_ *comm.Comm, _ *parts.Part[float64], opt *Options) { opt.Advise = 8 }},
		{"a format", "ell", func(_ *comm.Comm, _ *parts.Part[float64], opt *Options) { opt.Format = sparse.ELL(1) }},
		{"no owner", "column 0 is not owned by it", func(_ *comm.Comm, p *parts.Part[float64], _ *Options) {
			p.ID = 0
			at := slices.Index(p.Halo, 0)
			p.From = []int{0, 0, len(p.Halo), len(p.Halo)} // all of rank 1
			if at < 0 {
				panic("column 0 is not in the halo")
			}
		}},
	} {
		errs := make([]error, 3)
		_ = comm.Run(3, func(c *comm.Comm) error {
			p, err := parts.Divide(a, c.Rank(), 3, owners, nil)
			if err != nil {
				return err
			}
			opt := Options{}
			if x.what == "no owner" {
				p.ID = 0
			}
			if c.Rank() == 2 {
				x.bad(c, &p, &opt)
			}
			_, errs[c.Rank()] = New(c, p, opt)
			return nil
		})
		for r, err := range errs {
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%s: rank %d: %v; want an error with %q", x.what, r, err, x.want)
			}
		}
	}

	calls := func(call func(c *comm.Comm, s *Matrix[float64]) error) (errs [3]error) {
		err := comm.Run(3, func(c *comm.Comm) error {
			p, err := parts.Divide(a, c.Rank(), 3, owners, nil)
			if err != nil {
				return err
			}
			s, err := New(c, p, Options{})
			if err != nil {
				return err
			}
			errs[c.Rank()] = call(c, s)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return errs
	}
	for r, err := range calls(func(c *comm.Comm, s *Matrix[float64]) error {
		_, err := s.Product(8 + c.Rank()/2)
		return err
	}) {
		if err == nil || !strings.Contains(err.Error(), "features: ranks 0-1 8, but rank 2 9") {
			t.Errorf("features: rank %d: %v", r, err)
		}
	}
	for r, err := range calls(func(c *comm.Comm, s *Matrix[float64]) error {
		m, err := s.Product(4)
		if err != nil {
			return err
		}
		y := layout.New[float64](len(s.Rows())+c.Rank()/2, 4)
		if err := m.Multiply(cpu.Options{}, y, m.B()); err == nil {
			return nil
		} else if c.Rank() == 2 {
			y = layout.New[float64](len(s.Rows()), 4)
		} else if !strings.Contains(err.Error(), "rank 2 sent 0 bytes") {
			return err
		}
		return fmt.Errorf("right")
	}) {
		if err == nil || err.Error() != "right" {
			t.Errorf("a wrong shape on rank 2: rank %d: %v", r, err)
		}
	}
}

// TestSpMMSizes: ranks without rows, more ranks than rows, none of either, rows without
// entries.
func TestSpMMSizes(t *testing.T) {
	one := ranktest.Must[sparse.Matrix[float32]](t)(sparse.FromCOO(3, 3, []int{0, 2, 2}, []int{1, 0, 2}, []float32{2, 3, 4}))
	none := ranktest.Must[sparse.Matrix[float32]](t)(sparse.FromCOO[float32, int](4, 4, nil, nil, nil))
	for _, x := range []struct {
		a    sparse.Matrix[float32]
		p    int
		rows []int32
	}{
		{one, 1, []int32{0, 0, 0}}, {one, 5, []int32{4, 0, 2}}, {one, 2, []int32{1, 1, 1}}, {none, 3, []int32{0, 2, 2, 0}}, {sparse.Matrix[float32]{}, 3, nil},
	} {
		for _, f := range []int{0, 1, 6} {
			b, want, out := layout.New[float32](x.a.Cols(), f), layout.New[float32](x.a.Rows(), f), layout.New[float32](x.a.Rows(), f)
			for i := range b.Data {
				b.Data[i] = float32(i + 1)
			}
			cpu.SpMM(want, x.a, b)
			for _, opt := range []Options{{}, {Cover: true, Chunks: 3}} {
				if _, err := (spread[float32]{a: x.a, rows: x.rows, opt: opt}).multiply(x.p, out, b); err != nil {
					t.Error(err)
				} else if diff := cmp.Diff(want.Data, out.Data); diff != "" {
					t.Errorf("%v on %d ranks, %d features (-want +got):\n%s", x.a, x.p, f, diff)
				}
			}
		}
	}
}

// TestSpMMStorm runs products with several matrices at once on the same ranks.
func TestSpMMStorm(t *testing.T) {
	a := sample.Integers(ranktest.Must[sparse.Matrix[float64]](t)(sample.RMAT[float64](400, 4000, .57, .19, .19, 1)), 3, 1)
	const p, plans, rounds = 4, 3, 40
	b, want := layout.New[float64](400, 16), layout.New[float64](400, 16)
	for i := range b.Data {
		b.Data[i] = float64(i % 5)
	}
	cpu.SpMM(want, a, b)
	err := comm.Run(p, func(c *comm.Comm) error {
		var all sync.WaitGroup
		errs := make([]error, plans)
		for k := range plans {
			owners := ranktest.Scattered(400+k, p)[k:]
			part, err := parts.Divide(a, c.Rank(), p, owners, nil)
			if err != nil {
				return err
			}
			s, err := New(c, part, Options{Chunks: k + 1, Cover: k == 2})
			if err != nil {
				return err
			}
			m, err := s.Product(16)
			if err != nil {
				return err
			}
			all.Go(func() {
				for round := range rounds {
					own, y := m.B(), layout.New[float64](len(s.Rows()), 16)
					for i, row := range s.Cols() {
						copy(own.Data[i*16:(i+1)*16], b.Data[row*16:])
					}
					if err := m.Multiply(cpu.Options{Threads: 1 + round%2}, y, own); err != nil {
						errs[k] = err
						return
					}
					for i, row := range s.Rows() {
						if !slices.Equal(y.Data[i*16:(i+1)*16], want.Data[row*16:(row+1)*16]) {
							errs[k] = fmt.Errorf("plan %d, round %d: row %d is wrong", k, round, row)
							return
						}
					}
				}
			})
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
