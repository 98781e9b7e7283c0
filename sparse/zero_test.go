package sparse

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// TestZeroFormat: what is not a format is an error that says so.
func TestZeroFormat(t *testing.T) {
	m := must(FromCOO(3, 3, []int{0, 1}, []int{1, 2}, []float64{1, 2}))
	noBuild, noWalk, noAxes := CSR, CSR, CSR
	noBuild.Build, noWalk.Walk, noAxes.Axes = nil, nil, nil
	only := Format{Name: "mine", Build: func(int, int, []Entry) (Arrays, error) { return Arrays{Slots: 1}, nil },
		Walk: func(int, Arrays) iter.Seq[Entry] { return func(func(Entry) bool) {} }}
	for what, f := range map[string]Format{"zero": {}, "no Build": noBuild, "no Walk": noWalk, "no axes": noAxes, "neither": only} {
		for _, x := range []Matrix[float64]{m, {}, must(FromCOO[float64, int](2, 2, nil, nil, nil))} {
			_, err := x.To(f)
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "; want one of this package") {
				t.Errorf("%s: To of %v: %v", what, x, err)
			}
		}
		if err := f.Check(3, 3, nil); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: Check: %v", what, err)
		}
		_, err := Decompose(m, Rule{Name: "mine", Split: func(s Structure) ([]Group, Structure, error) {
			return []Group{{Name: "all", Into: f, Structure: s}}, Structure{}, nil
		}})
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: Decompose: %v", what, err)
		}
	}
	_, err := m.To(Format{})
	if want := `format "": it has no Build; want one of this package, such as sparse.CSR, or all of Axes, Build and Walk`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestNilArguments: a missing argument is an error, not a crash.
func TestNilArguments(t *testing.T) {
	_, graph := first(FromGraph[float32](nil))
	_, doer := pair(FromDoer[float32](nil))
	_, reader := pair(ReadMatrixMarket[float32](nil, mtx.Options{}))
	for what, err := range map[string]error{"graph": graph, "doer": doer, "reader": reader, "writer": WriteMatrixMarket(nil, Matrix[float32]{})} {
		if !errors.Is(err, ErrNil) {
			t.Errorf("%s: %v, want ErrNil", what, err)
		}
	}
	if _, err := FromCSR[float32, int](0, 0, nil, nil, nil); !errors.Is(err, ErrLength) {
		t.Errorf("FromCSR without pointers: %v", err)
	}
	if _, err := FromCSC[float32, int](0, 0, nil, nil, nil); !errors.Is(err, ErrLength) {
		t.Errorf("FromCSC without pointers: %v", err)
	}
	if m, err := FromCOO[float32, int](0, 0, nil, nil, nil); err != nil || m.Rows() != 0 {
		t.Errorf("FromCOO of nothing: %v, %v", m, err)
	}
}

func first[A, B any](a A, _ B, err error) (A, error) { return a, err }
func pair[A any](a A, err error) (A, error)          { return a, err }

// TestZeroValues: the zero Matrix is 0 x 0 for all its methods, and so are the other
// types.
func TestZeroValues(t *testing.T) {
	var m Matrix[float64]
	var text bytes.Buffer
	if err := WriteMatrixMarket(&text, m); err != nil {
		t.Error(err)
	}
	back, err := ReadMatrixMarket[float64](&text, mtx.Options{})
	if err != nil {
		t.Error(err)
	}
	at, _ := m.TransposeFrom()
	for what, x := range map[string]Matrix[float64]{"Canonical": m.Canonical(), "Transpose": m.Transpose(), "TransposeFrom": at, "DropZeros": m.DropZeros(),
		"Scale": m.Scale(2), "Add": must(m.Add(m)), "RowSlice": m.RowSlice(0, 0), "WithValues": must(m.WithValues(nil)), "Read": back,
		"Builder": must(new(Builder[float64]).Matrix()), "Packed": Packed[float64]{}.Matrix(), "Sum": Sum[float64]{}.Matrix(), "FromDoer": must(FromDoer[float64](m)),
		"FromDense": must(FromDense(m.ToDense()))} {
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
	if len(m.RowSums())+len(m.ColSums())+len(m.Diagonal()) != 0 || !m.Sorted() || m.HasDuplicates() || m.Raw().Pointers == nil {
		t.Error("it is not empty")
	}
	g, err := m.Graph()
	if err != nil || g.Nodes().Len() != 0 || g.Node(0) != nil || g.From(0).Len() != 0 || g.HasEdgeBetween(0, 0) || g.Edge(0, 0) != nil {
		t.Errorf("Graph: %v, %v", g, err)
	}
	if (Graph[float64]{}).Node(0) != nil || (Graph[float64]{}).To(0).Len() != 0 {
		t.Error("the zero Graph has nodes")
	}
	for _, f := range []Format{CSR, CSC, COO, DCSR, DIA, Ragged, Dense, ELL(2), DELL(2), BSR(2), DBSR(2), SELL(2, 4), SRBCRS(2, 2)} {
		p, err := m.To(f)
		if err != nil || !p.Matrix().Equal(m) || p.Raw().NNZ != 0 || p.Repeats() {
			t.Errorf("%s: %v, %v", f, p, err)
		}
	}
	for _, r := range []Rule{Columns(2), Buckets(2), Hyb(2, 2), LongRows(1), Blocks(2, .5), Diagonals(.5), Each(Columns(2), Diagonals(.5))} {
		if s, err := Decompose(m, r); err != nil || s.Len() != 0 {
			t.Errorf("%s: %v, %v", r, s, err)
		}
	}
	if s, err := Decompose(m); err != nil || s.Len() != 0 || !(Sum[float64]{}).Matrix().Equal(m) {
		t.Errorf("Decompose: %v, %v", s, err)
	}
	for _, r := range []Rule{{}, Each(Rule{}), Each(Columns(2), Rule{})} {
		if _, err := Decompose(must(FromCOO(1, 1, []int{0}, []int{0}, []float64{1})), r); !errors.Is(err, ErrFormat) {
			t.Errorf("rule %q: %v, want ErrFormat", r, err)
		}
	}
	if a, err := Advise(m, 1, MachineFor("go")); err != nil || a.Best.Name != "csr" {
		t.Errorf("Advise: %v, %v", a, err)
	}
	if _, err := Advise(m, 1, Machine{}); !errors.Is(err, ErrSize) {
		t.Errorf("Advise on no machine: %v", err)
	}
	var p Packed[float64]
	if _, ok := p.Find(0, 0); ok || p.Loops() != "" || p.Padding() != 0 || p.Bytes() != 0 || p.Repeats() {
		t.Errorf("the zero Packed is %v", p)
	}
	if _, ok := p.Entry(0); ok || len(Part[float64]{}.From()) != 0 || fmt.Sprint(p, Sum[float64]{}, Format{}, Rule{}) == "" {
		t.Error("the zero Packed has an entry")
	}
	if in, out := (Structure{}).Partition(nil); in.NNZ()+out.NNZ() != 0 {
		t.Error("the zero Structure has entries")
	}
	if s := Loops(nil, false, false); s != "" {
		t.Errorf("no axes have the loops %q", s)
	}
	var b Builder[float64]
	if b.Add(0, 0, 1); !errors.Is(b.Err(), ErrIndex) {
		t.Errorf("an entry of the zero Builder: %v", b.Err())
	}
	if HybBuckets(0, 0)+HybBuckets(-1, 5)+HybBuckets(5, -1) != 0 {
		t.Error("HybBuckets of nothing")
	}
}

// TestStrangeSizes: parameters of any size are refused, or taken without much memory.
func TestStrangeSizes(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large formats")
	}
	m := must(FromCOO(5, 5, []int{0, 1, 4}, []int{1, 2, 4}, []float64{1, 2, 3}))
	sizes := []int{math.MinInt, -1, 0, 1, 2, 1<<16 + 1, max(MaxSlots, MaxDim) + 1, math.MaxInt/2 + 1, math.MaxInt} // rows of what is between take gigabytes, as they should
	for _, s := range []uint{16, 31, 32, 33, 48, 62} {
		if uint64(1)<<s < math.MaxInt {
			sizes = append(sizes, int(uint64(1)<<s))
		}
	}
	try := func(f Format, x Matrix[float64]) {
		var p Packed[float64]
		var err error
		n := allocated(func() { p, err = x.To(f) })
		if n > 32<<20 || err == nil && !p.Matrix().Equal(x) { // some 24 a slot that is free
			t.Errorf("%s: %v, %v, %d bytes", f, p, err, n)
		}
	}
	for _, x := range []Matrix[float64]{m, {}, must(FromCOO[float64, int](5, 5, nil, nil, nil)), must(FromCOO[float64, int](0, 5, nil, nil, nil))} {
		all := append([]int{1 << 20, 1 << 21, MaxDim, MaxSlots}, sizes...)
		for _, a := range all {
			for _, f := range []Format{ELL(a), DELL(a), BSR(a), DBSR(a)} {
				try(f, x)
			}
			for _, b := range all {
				try(SELL(a, b), x)
				try(SRBCRS(a, b), x)
			}
		}
		for _, a := range sizes {
			for _, b := range sizes {
				if n := allocated(func() { FromCSR[float64](a, b, []int{0}, nil, nil) }); n > 1<<20 {
					t.Errorf("FromCSR of %d x %d: %d bytes", a, b, n)
				}
				if n := allocated(func() { NewBuilder[float64](a, b).Matrix() }); n > 1<<20 {
					t.Errorf("NewBuilder of %d x %d: %d bytes", a, b, n)
				}
			}
			for _, r := range []Rule{Columns(a), Buckets(a), Hyb(a, 2), Hyb(2, a), LongRows(a), Blocks(a, .5)} {
				s, err := Sum[float64]{}, error(nil)
				if n := allocated(func() { s, err = Decompose(x, r) }); n > 16<<20 || err == nil && !s.Matrix().Equal(x) {
					t.Errorf("%s: %d bytes, %v, %v", r, n, s, err)
				}
			}
			if _, err := Advise(x, a, MachineFor("go")); (err != nil) != (a < 1 || a > MaxDim) {
				t.Errorf("Advise for %d columns: %v", a, err)
			}
		}
	}
}
