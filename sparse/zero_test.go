package sparse_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/aggregate"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/graph"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
	"github.com/tilesmith/tilesmith/sparse/mtx"
	"github.com/tilesmith/tilesmith/sparse/rule"
)

// TestZeroFormat: what is not a format is an error that says so.
func TestZeroFormat(t *testing.T) {
	m := sparsetest.Must(sparse.FromCOO(3, 3, []int{0, 1}, []int{1, 2}, []float64{1, 2}))
	noBuild, noWalk, noAxes := format.CSR, format.CSR, format.CSR
	noBuild.Build, noWalk.Walk, noAxes.Axes = nil, nil, nil
	only := format.Format{Name: "mine", Build: func(int, int, []sparse.Entry) (format.Arrays, error) { return format.Arrays{Slots: 1}, nil },
		Walk: func(int, format.Arrays) iter.Seq[sparse.Entry] { return func(func(sparse.Entry) bool) {} }}
	for what, f := range map[string]format.Format{"zero": {}, "no Build": noBuild, "no Walk": noWalk, "no axes": noAxes, "neither": only} {
		for _, x := range []sparse.Matrix[float64]{m, {}, sparsetest.Must(sparse.FromCOO[float64, int](2, 2, nil, nil, nil))} {
			_, err := format.Pack(x, f)
			if !errors.Is(err, sparse.ErrFormat) || !strings.Contains(err.Error(), "; want one of this package") {
				t.Errorf("%s: To of %v: %v", what, x, err)
			}
		}
		if err := f.Check(3, 3, nil); !errors.Is(err, sparse.ErrFormat) {
			t.Errorf("%s: Check: %v", what, err)
		}
		_, err := rule.Decompose(m, rule.Rule{Name: "mine", Split: func(s rule.Structure) ([]rule.Group, rule.Structure, error) {
			return []rule.Group{{Name: "all", Into: f, Structure: s}}, rule.Structure{}, nil
		}})
		if !errors.Is(err, sparse.ErrFormat) {
			t.Errorf("%s: Decompose: %v", what, err)
		}
	}
	_, err := format.Pack(m, format.Format{})
	if want := `format "": it has no Build; want one of this package, such as format.CSR, or all of Axes, Build and Walk`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestNilArguments: a missing argument is an error, not a crash.
func TestNilArguments(t *testing.T) {
	_, graph := first(graph.Adjacency[float32](nil))
	_, doer := pair(sparse.FromDoer[float32](nil))
	_, reader := pair(files.ReadMatrixMarket[float32](nil, mtx.Options{}))
	for what, err := range map[string]error{"graph": graph, "doer": doer, "reader": reader, "writer": files.WriteMatrixMarket(nil, sparse.Matrix[float32]{})} {
		if !errors.Is(err, sparse.ErrNil) {
			t.Errorf("%s: %v, want ErrNil", what, err)
		}
	}
	if _, err := sparse.FromCSR[float32, int](0, 0, nil, nil, nil); !errors.Is(err, sparse.ErrLength) {
		t.Errorf("FromCSR without pointers: %v", err)
	}
	if _, err := sparse.FromCSC[float32, int](0, 0, nil, nil, nil); !errors.Is(err, sparse.ErrLength) {
		t.Errorf("FromCSC without pointers: %v", err)
	}
	if m, err := sparse.FromCOO[float32, int](0, 0, nil, nil, nil); err != nil || m.Rows() != 0 {
		t.Errorf("FromCOO of nothing: %v, %v", m, err)
	}
}

func first[A, B any](a A, _ B, err error) (A, error) { return a, err }
func pair[A any](a A, err error) (A, error)          { return a, err }

// TestZeroValues: the zero Matrix is 0 x 0 for all its methods, and so are the other
// types.
func TestZeroValues(t *testing.T) {
	var m sparse.Matrix[float64]
	var text bytes.Buffer
	if err := files.WriteMatrixMarket(&text, m); err != nil {
		t.Error(err)
	}
	back, err := files.ReadMatrixMarket[float64](&text, mtx.Options{})
	if err != nil {
		t.Error(err)
	}
	at, _ := m.TransposeFrom()
	for what, x := range map[string]sparse.Matrix[float64]{"Canonical": m.Canonical(), "Transpose": m.Transpose(), "TransposeFrom": at, "DropZeros": m.DropZeros(),
		"Scale": m.Scale(2), "Add": sparsetest.Must(m.Add(m)), "RowSlice": m.RowSlice(0, 0), "WithValues": sparsetest.Must(m.WithValues(nil)), "Read": back,
		"Builder": sparsetest.Must(new(sparse.Builder[float64]).Matrix()), "Packed": format.Packed[float64]{}.Matrix(), "Sum": rule.Sum[float64]{}.Matrix(), "FromDoer": sparsetest.Must(sparse.FromDoer[float64](m)),
		"FromDense": sparsetest.Must(sparse.FromDense(m.ToDense()))} {
		if !x.Equal(m) || !m.Equal(x) || !x.Transpose().Equal(m) || fmt.Sprint(x) != fmt.Sprint(m) {
			t.Errorf("%s is %v", what, x)
		}
		if p, x, v := x.CSR(); len(p) != 1 || len(x) != 0 || len(v) != 0 {
			t.Errorf("%s has the arrays %v, %v and %v", what, p, x, v)
		}
	}
	for range m.All() {
		t.Error("it has an entry")
	}
	m.DoNonZero(nil)
	if len(aggregate.RowSums(m))+len(aggregate.ColSums(m))+len(m.Diagonal()) != 0 || !m.Sorted() || m.HasDuplicates() || m.Raw().Pointers == nil {
		t.Error("it is not empty")
	}
	g, err := graph.Of(m)
	if err != nil || g.Nodes().Len() != 0 || g.Node(0) != nil || g.From(0).Len() != 0 || g.HasEdgeBetween(0, 0) || g.Edge(0, 0) != nil {
		t.Errorf("Graph: %v, %v", g, err)
	}
	if (graph.Graph{}).Node(0) != nil || (graph.Graph{}).To(0).Len() != 0 {
		t.Error("the zero Graph has nodes")
	}
	for _, f := range []format.Format{format.CSR, format.CSC, format.COO, format.DCSR, format.DIA, format.Ragged, format.Dense, format.ELL(2), format.DELL(2), format.BSR(2), format.DBSR(2), format.SELL(2, 4), format.SRBCRS(2, 2)} {
		p, err := format.Pack(m, f)
		if err != nil || !p.Matrix().Equal(m) || p.Raw().NNZ != 0 || p.Repeats() {
			t.Errorf("%s: %v, %v", f, p, err)
		}
	}
	for _, r := range []rule.Rule{rule.Columns(2), rule.Buckets(2), rule.Hyb(2, 2), rule.LongRows(1), rule.Blocks(2, .5), rule.Diagonals(.5), rule.Each(rule.Columns(2), rule.Diagonals(.5))} {
		if s, err := rule.Decompose(m, r); err != nil || s.Len() != 0 {
			t.Errorf("%s: %v, %v", r, s, err)
		}
	}
	if s, err := rule.Decompose(m); err != nil || s.Len() != 0 || !(rule.Sum[float64]{}).Matrix().Equal(m) {
		t.Errorf("Decompose: %v, %v", s, err)
	}
	for _, r := range []rule.Rule{{}, rule.Each(rule.Rule{}), rule.Each(rule.Columns(2), rule.Rule{})} {
		if _, err := rule.Decompose(sparsetest.Must(sparse.FromCOO(1, 1, []int{0}, []int{0}, []float64{1})), r); !errors.Is(err, sparse.ErrFormat) {
			t.Errorf("rule %q: %v, want ErrFormat", r, err)
		}
	}
	if a, err := advise.For(m, 1, advise.MachineFor("go")); err != nil || a.Best.Name != "csr" {
		t.Errorf("Advise: %v, %v", a, err)
	}
	if _, err := advise.For(m, 1, advise.Machine{}); !errors.Is(err, sparse.ErrSize) {
		t.Errorf("Advise on no machine: %v", err)
	}
	var p format.Packed[float64]
	if _, ok := p.Find(0, 0); ok || p.Loops() != "" || p.Padding() != 0 || p.Bytes() != 0 || p.Repeats() {
		t.Errorf("the zero Packed is %v", p)
	}
	if _, ok := p.Entry(0); ok || len(rule.Part[float64]{}.From()) != 0 || fmt.Sprint(p, rule.Sum[float64]{}, format.Format{}, rule.Rule{}) == "" {
		t.Error("the zero Packed has an entry")
	}
	if in, out := (rule.Structure{}).Partition(nil); in.NNZ()+out.NNZ() != 0 {
		t.Error("the zero Structure has entries")
	}
	if s := format.Loops(nil, false, false); s != "" {
		t.Errorf("no axes have the loops %q", s)
	}
	var b sparse.Builder[float64]
	if b.Add(0, 0, 1); !errors.Is(b.Err(), sparse.ErrIndex) {
		t.Errorf("an entry of the zero Builder: %v", b.Err())
	}
	if rule.HybBuckets(0, 0)+rule.HybBuckets(-1, 5)+rule.HybBuckets(5, -1) != 0 {
		t.Error("HybBuckets of nothing")
	}
}

// TestStrangeSizes: parameters of any size are refused, or taken without much memory.
func TestStrangeSizes(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large formats")
	}
	m := sparsetest.Must(sparse.FromCOO(5, 5, []int{0, 1, 4}, []int{1, 2, 4}, []float64{1, 2, 3}))
	sizes := []int{math.MinInt, -1, 0, 1, 2, 1<<16 + 1, max(sparse.MaxSlots, sparse.MaxDim) + 1, math.MaxInt/2 + 1, math.MaxInt} // rows of what is between take gigabytes, as they should
	for _, s := range []uint{16, 31, 32, 33, 48, 62} {
		if uint64(1)<<s < math.MaxInt {
			sizes = append(sizes, int(uint64(1)<<s))
		}
	}
	try := func(f format.Format, x sparse.Matrix[float64]) {
		var p format.Packed[float64]
		var err error
		n := sparsetest.Allocated(func() { p, err = format.Pack(x, f) })
		if n > 32<<20 || err == nil && !p.Matrix().Equal(x) { // some 24 a slot that is free
			t.Errorf("%s: %v, %v, %d bytes", f, p, err, n)
		}
	}
	for _, x := range []sparse.Matrix[float64]{m, {}, sparsetest.Must(sparse.FromCOO[float64, int](5, 5, nil, nil, nil)), sparsetest.Must(sparse.FromCOO[float64, int](0, 5, nil, nil, nil))} {
		all := append([]int{1 << 20, 1 << 21, sparse.MaxDim, sparse.MaxSlots}, sizes...)
		for _, a := range all {
			for _, f := range []format.Format{format.ELL(a), format.DELL(a), format.BSR(a), format.DBSR(a)} {
				try(f, x)
			}
			for _, b := range all {
				try(format.SELL(a, b), x)
				try(format.SRBCRS(a, b), x)
			}
		}
		for _, a := range sizes {
			for _, b := range sizes {
				if n := sparsetest.Allocated(func() { sparse.FromCSR[float64](a, b, []int{0}, nil, nil) }); n > 1<<20 {
					t.Errorf("FromCSR of %d x %d: %d bytes", a, b, n)
				}
				if n := sparsetest.Allocated(func() { sparse.NewBuilder[float64](a, b).Matrix() }); n > 1<<20 {
					t.Errorf("NewBuilder of %d x %d: %d bytes", a, b, n)
				}
			}
			for _, r := range []rule.Rule{rule.Columns(a), rule.Buckets(a), rule.Hyb(a, 2), rule.Hyb(2, a), rule.LongRows(a), rule.Blocks(a, .5)} {
				s, err := rule.Sum[float64]{}, error(nil)
				if n := sparsetest.Allocated(func() { s, err = rule.Decompose(x, r) }); n > 16<<20 || err == nil && !s.Matrix().Equal(x) {
					t.Errorf("%s: %d bytes, %v, %v", r, n, s, err)
				}
			}
			if _, err := advise.For(x, a, advise.MachineFor("go")); (err != nil) != (a < 1 || a > sparse.MaxDim) {
				t.Errorf("Advise for %d columns: %v", a, err)
			}
		}
	}
}
