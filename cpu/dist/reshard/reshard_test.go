package reshard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/reshard"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// reshardEvery returns all shardings of an array of this shape on m.
func reshardEvery(m mesh.Mesh, shape ...int) []mesh.Sharding {
	list := []mesh.Sharding{}
	var grow func(dims []mesh.Dim, first int)
	grow = func(dims []mesh.Dim, first int) {
		list = append(list, mesh.Must(m.Shard(dims...)))
		for i := first; i < len(dims); i++ {
			for _, a := range m.Axes() {
				if slices.ContainsFunc(dims, func(d mesh.Dim) bool { return slices.Contains(d.Axes, a.Name) }) {
					continue
				}
				more := slices.Clone(dims)
				more[i].Axes = append(slices.Clone(dims[i].Axes), a.Name)
				grow(more, i)
			}
		}
	}
	dims := make([]mesh.Dim, len(shape))
	for i, n := range shape {
		dims[i].Size = n
	}
	grow(dims, 0)
	return list
}

// reshardTile returns what rank holds of the array whose elements are their offsets.
func reshardTile[T int32 | float64](s mesh.Sharding, rank int) []T {
	at := []T{0}
	for i, n := range s.Shape() {
		var next []T
		for _, a := range at {
			for lo, hi := range s.Runs(rank, i) {
				for j := lo; j < hi; j++ {
					next = append(next, a*T(n)+T(j))
				}
			}
		}
		at = next
	}
	return at
}

// TestReshardAllPairs: every pair of shardings on 8 ranks: every rank gets its tile,
// sends what the plan says, and holds no more buffers than four times the peak.
func TestReshardAllPairs(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2,z=2"))
	every := level.Of(23, 5, 1) // prime to the number of shardings
	for _, c := range []struct {
		shape []int
		opt   mesh.Options
	}{
		{[]int{8, 8}, mesh.Options{}}, {[]int{7, 5}, mesh.Options{}}, {[]int{7, 5}, mesh.Options{Direct: true}},
	} {
		all := reshardEvery(m, c.shape...)
		if len(all) != 49 {
			t.Fatalf("%d shardings", len(all))
		}
		var plans []*mesh.Plan
		for i, from := range all {
			for j, to := range all {
				if (i*len(all)+j)%every == 0 {
					plans = append(plans, mesh.Must(mesh.Reshard(from, to, c.opt)))
				}
			}
		}
		sent := make([][]comm.Count, m.Size())
		err := comm.Run(m.Size(), func(k *comm.Comm) error {
			for _, p := range plans {
				r, err := reshard.New[int32](k, p)
				if err != nil {
					return err
				}
				in, want := reshardTile[int32](p.From, k.Rank()), reshardTile[int32](p.To, k.Rank())
				kept := slices.Clone(in)
				out := slices.Repeat([]int32{-1}, len(want))
				before := k.Total("")
				if err := r.Run(out, in); err != nil {
					return fmt.Errorf("%v to %v: %w", p.From, p.To, err)
				}
				after := k.Total("")
				sent[k.Rank()] = append(sent[k.Rank()], comm.Count{Sent: after.Sent - before.Sent, BytesSent: after.BytesSent - before.BytesSent})
				if !slices.Equal(out, want) || !slices.Equal(in, kept) {
					return fmt.Errorf("%v to %v by %v: %v of %v, want %v", p.From, p.To, p.Steps, out, kept, want)
				}
				if int64(r.Buffers()) > 4*p.Peak {
					return fmt.Errorf("%v to %v: buffers of %d elements, peak %d", p.From, p.To, r.Buffers(), p.Peak)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range plans {
			var got mesh.Traffic
			for r := range sent {
				n, e := sent[r][i].Sent, sent[r][i].BytesSent/4
				got.MaxElements, got.MaxMessages = max(got.MaxElements, e), max(got.MaxMessages, n)
				got.Elements += e
				got.Messages += n
			}
			if diff := cmp.Diff(p.Sent, got); diff != "" {
				t.Fatalf("%v to %v by %v: planned and sent: %s", p.From, p.To, p.Steps, diff)
			}
		}
	}
}

// TestReshardCases: three dimensions, cyclic ones, axes that are split, long messages
// which wait for their receives, and the same Executor several times.
func TestReshardCases(t *testing.T) {
	for _, c := range []struct {
		on, from, to string
		opt          mesh.Options
	}{
		{"x=4,y=2", "16{y} x 16 x 16{x}", "16 x 16{x,y} x 16", mesh.Options{}},
		{"x=4,y=2", "16{y} x 16 x 16{x}", "16 x 16{x,y} x 16", mesh.Options{Direct: true}},
		{"a=6", "61 x 43{a}", "61{a} x 43", mesh.Options{}},
		{"a=4,b=2", "300{a} x 301{b}", "300{b} x 301{a}", mesh.Options{}},
		{"a=4,b=2", "300 x 301", "300 x 301{a}", mesh.Options{}},
		{"a=4,b=2", "300{b} x 301{a}", "300 x 301", mesh.Options{}},
		{"p=2,q=3", "50{p:4} x 51{q:5}", "50{p,q} x 51", mesh.Options{Direct: true}},
		{"p=2,q=3", "50{p,q} x 51", "50{p:4} x 51{q:5}", mesh.Options{Direct: true}},
		{"p=2,q=3", "50{p:4} x 51{q:5}", "50{p:3} x 51{q:1}", mesh.Options{Direct: true}},
		{"p=3", "2{p} x 0", "2 x 0{p}", mesh.Options{}},
		{"p=3", "2{p}", "2", mesh.Options{}},
		{"p=1", "5{p}", "5", mesh.Options{}},
		{"p=2", "", "", mesh.Options{}},
	} {
		m := mesh.Must(mesh.ParseMesh(c.on))
		from, to := mesh.Must(m.Parse(c.from)), mesh.Must(m.Parse(c.to))
		p := mesh.Must(mesh.Reshard(from, to, c.opt))
		gather := mesh.Must(mesh.GatherAll(mesh.Must(m.Parse("9")), mesh.Must(m.Parse("9"))))
		if !c.opt.Direct {
			gather = mesh.Must(mesh.GatherAll(from, to))
		}
		for i, eager := range []int{0, -1} {
			if level.Of((i+len(c.on)+len(c.to))%2 > 0, false, false) {
				continue
			}
			err := comm.Local{Eager: eager}.Run(m.Size(), func(k *comm.Comm) error {
				for _, p := range []*mesh.Plan{p, gather} {
					r, err := reshard.New[float64](k, p)
					if err != nil {
						return err
					}
					if p == gather && c.opt.Direct {
						continue
					}
					in, want := reshardTile[float64](p.From, k.Rank()), reshardTile[float64](p.To, k.Rank())
					for range level.Of(2, 3, 3) {
						out := slices.Repeat([]float64{-1}, len(want))
						if err := r.Run(out, in); err != nil {
							return err
						}
						if !slices.Equal(out, want) {
							return fmt.Errorf("%s to %s: %.100s, want %.100s", c.from, c.to, fmt.Sprint(out), fmt.Sprint(want))
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestReshardMatrix: tiles with strides of their own, on both sides.
func TestReshardMatrix(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2,z=2"))
	all := reshardEvery(m, 7, 5)
	every := level.Of(41, 11, 1)
	err := comm.Run(m.Size(), func(k *comm.Comm) error {
		for i := 0; i < len(all)*len(all); i += every {
			from, to := all[i/len(all)], all[i%len(all)]
			p := mesh.Must(mesh.Reshard(from, to, mesh.Options{}))
			a, b := from.Local(k.Rank()), to.Local(k.Rank())
			// in is column-major in something larger, out the transpose of a slice.
			in := layout.ColMajor(make([]float64, (a[0]+2)*(a[1]+1)), a[0]+2, a[1]+1).Slice(1, a[0]+1, 1, a[1]+1)
			big := layout.New[float64](b[1]+1, b[0]+3)
			out := big.Slice(0, b[1], 2, b[0]+2).T()
			for j, v := range reshardTile[float64](from, k.Rank()) {
				in.Set(j/a[1], j%a[1], v)
			}
			if err := reshard.Matrix(k, p, out, in); err != nil {
				return err
			}
			for j, want := range reshardTile[float64](to, k.Rank()) {
				if got := out.At(j/b[1], j%b[1]); got != want {
					return fmt.Errorf("%v to %v: element (%d, %d) is %v, want %v", from, to, j/b[1], j%b[1], got, want)
				}
			}
			for i := range big.Rows {
				for _, j := range []int{0, 1, big.Cols - 1} {
					if big.At(i, j) != 0 {
						return fmt.Errorf("%v to %v: column %d beside the tile was written", from, to, j)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReshardRefuses: whatever is wrong on one rank is an error on all of them.
func TestReshardRefuses(t *testing.T) {
	m := mesh.Must(mesh.ParseMesh("x=2,y=2"))
	from, to := mesh.Must(m.Parse("8{x,y} x 6")), mesh.Must(m.Parse("8 x 6{x,y}"))
	good := mesh.Must(mesh.Reshard(from, to, mesh.Options{}))
	other := mesh.Must(mesh.Reshard(from, mesh.Must(m.Parse("8 x 6{y,x}")), mesh.Options{}))
	broken := *good
	broken.To = other.To
	broken.Steps = append([]mesh.Step{}, good.Steps...)
	broken.Steps[0].Before = mesh.Must(m.Parse("8 x 6{x,y}"))
	for _, c := range []struct {
		name string
		bad  int // the rank that is wrong
		run  func(k *comm.Comm, wrong bool) error
		want []string
	}{
		{"tile", 2, func(k *comm.Comm, wrong bool) error {
			n := 12
			if wrong {
				n = 11
			}
			return reshard.Slice(k, good, make([]float32, 8*len(reshardTile[float64](to, k.Rank()))/8), make([]float32, n))
		}, []string{"rank 2", "in has 11 elements", "[2 6], 12 elements"}},
		{"plan", 1, func(k *comm.Comm, wrong bool) error {
			p := good
			if wrong {
				p = other
			}
			return reshard.Slice(k, p, make([]float32, 16), make([]float32, 12))
		}, []string{"the shardings", "rank 1", "6{y,x}"}},
		{"steps", 1, func(k *comm.Comm, wrong bool) error {
			p := good
			if wrong {
				p = mesh.Must(mesh.GatherAll(from, to))
			}
			return reshard.Slice(k, p, make([]float32, 16), make([]float32, 12))
		}, []string{"the steps", "rank 1 gather"}},
		{"nil", 3, func(k *comm.Comm, wrong bool) error {
			p := good
			if wrong {
				p = nil
			}
			return reshard.Slice(k, p, make([]float32, 16), make([]float32, 12))
		}, []string{"rank 3: no plan"}},
		{"type", 0, func(k *comm.Comm, wrong bool) error {
			if wrong {
				return reshard.Slice(k, good, make([]float64, 16), make([]float64, 12))
			}
			return reshard.Slice(k, good, make([]float32, 16), make([]float32, 12))
		}, []string{"type of elements", "float64"}},
		{"broken", 0, func(k *comm.Comm, wrong bool) error {
			return reshard.Slice(k, &broken, make([]float64, 16), make([]float64, 12))
		}, []string{"step 0 goes on from 8 x 6{x,y}"}},
		{"ranks", 0, func(k *comm.Comm, wrong bool) error {
			n := mesh.Must(mesh.ParseMesh("x=3"))
			p := mesh.Must(mesh.Reshard(mesh.Must(n.Parse("3{x}")), mesh.Must(n.Parse("3")), mesh.Options{}))
			return reshard.Slice(k, p, make([]float64, 3), make([]float64, 1))
		}, []string{"3 ranks of mesh x=3, but there are 4"}},
		{"overlap", 2, func(k *comm.Comm, wrong bool) error {
			all := make([]int8, 64)
			shape := to.Local(k.Rank())
			out, in := all[:shape[0]*shape[1]], all[32:44]
			if wrong {
				in = all[4:16]
			}
			return reshard.Slice(k, good, out, in)
		}, []string{"rank 2: in and out overlap"}},
		{"matrix", 2, func(k *comm.Comm, wrong bool) error {
			shape := to.Local(k.Rank())
			out := layout.New[float64](shape[0], shape[1])
			if wrong {
				out.RowStride = 0
			}
			return reshard.Matrix(k, good, out, layout.New[float64](2, 6))
		}, []string{"rank 2", "out: strides (0, 1)"}},
	} {
		errs := make([]error, 4)
		err := comm.Run(4, func(k *comm.Comm) error {
			errs[k.Rank()] = c.run(k, k.Rank() == c.bad)
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for r, err := range errs {
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: rank %d has %v, want %q", c.name, r, err, want)
				}
			}
		}
	}
}
