package part

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
)

// The authors of PaToH's model published the parts of this matrix; both values were
// computed from them before.
func TestGemat11(t *testing.T) {
	a := readPattern(t, "gemat11.mtx")
	for _, c := range []struct {
		file            string
		free, conformal int64
	}{{"gemat11-parts3-hp.mtx", 669, 1846}, {"gemat11-parts3-rp.mtx", 7993, 8613}} {
		list := readVector(t, c.file)
		if slices.Min(list) == 1 {
			for i := range list {
				list[i]--
			}
		}
		p := must[Partition](t)(New(3, list))
		for o, want := range map[Ownership]int64{Free: c.free, Conformal: c.conformal} {
			h := must[*Hypergraph](t)(ColumnNet(a, Model{Ownership: o}))
			s := Measure(h, p)
			if s.KM1 != want {
				t.Errorf("%s, %v: km1 %d, want %d", c.file, o, s.KM1, want)
			}
			owners := must[Partition](t)(Owners(h, p))
			halo := must[[]Block](t)(Halo(a, p, owners))
			if n := Volume(halo); int64(n) != want || len(halo) != s.Messages {
				t.Errorf("%s, %v: the halo sends %d rows in %d messages, want %d in %d", c.file, o, n, len(halo), want, s.Messages)
			}
			cover := must[[]Block](t)(Cover(a, p, owners))
			if n := Volume(cover); int64(n) > want {
				t.Errorf("%s, %v: the cover sends %d rows, the halo %d", c.file, o, n, want)
			}
		}
	}
}

// A 5 x 5 matrix by hand, three parts {0, 1}, {2, 3}, {4}:
//
//	x x . . .     net 0: rows 0 3      parts 0 1
//	. . x . .     net 1: row 0         part 0; conformal: 0 1 also part 0
//	. . x . .     net 2: rows 1 2 4    parts 0 1 2
//	x . . . .     net 3: none          conformal: row 3
//	. . x . .     net 4: none          conformal: row 4
func TestMeasure(t *testing.T) {
	a := pattern(t, 5, 5, []int32{0, 0, 1, 2, 3, 4}, []int32{0, 1, 2, 2, 0, 2})
	p := must[Partition](t)(New(4, []int32{0, 0, 1, 1, 2}))
	h := must[*Hypergraph](t)(ColumnNet(a, Model{Costs: []int32{5, 1, 2, 1, 1}}))
	want := Metrics{K: 4, KM1: 5 + 2*2, Cut: 5 + 2, AllGather: 30, MaxSend: 5, MaxRecv: 5, Messages: 3,
		Imbalance: .5, Empty: 1, Sent: []int64{5, 4, 0, 0}, Received: []int64{2, 5, 2, 0}, Weights: []int64{3, 2, 1, 0}}
	if diff := cmp.Diff(want, Measure(h, p)); diff != "" {
		t.Errorf("conformal, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]int32{0, 1}, h.Net(1)); diff != "" {
		t.Errorf("pins of net 1, -want +got:\n%s", diff)
	}
	// Free: net 2 is sent twice and chooses part 0; net 0 then lies in part 1, which sends less.
	h = must[*Hypergraph](t)(ColumnNet(a, Model{Ownership: Free, Weighing: Rows}))
	want = Metrics{K: 4, KM1: 3, Cut: 2, AllGather: 15, MaxSend: 2, MaxRecv: 1, Messages: 3,
		Imbalance: 0, Empty: 1, Sent: []int64{2, 1, 0, 0}, Received: []int64{1, 1, 1, 0}, Weights: []int64{2, 2, 1, 0}}
	if diff := cmp.Diff(want, Measure(h, p)); diff != "" {
		t.Errorf("free, -want +got:\n%s", diff)
	}
	owners := must[Partition](t)(Owners(h, p))
	if diff := cmp.Diff([]int32{1, 0, 0, 2, 3}, owners.Parts()); diff != "" {
		t.Errorf("owners, -want +got:\n%s", diff)
	}
}

func TestHypergraphErrors(t *testing.T) {
	wide := pattern(t, 2, 3, []int32{0, 1}, []int32{0, 2})
	for _, c := range []struct {
		name string
		err  error
		kind error
	}{
		{"rectangular", second(ColumnNet(wide, Model{})), sparse.ErrShape},
		{"ownership", second(ColumnNet(wide, Model{Ownership: 7})), sparse.ErrShape},
		{"weighing", second(ColumnNet(wide, Model{Ownership: Free, Weighing: 7})), sparse.ErrShape},
		{"weights", second(ColumnNet(wide, Model{Ownership: Free, Weights: []int32{1}})), sparse.ErrLength},
		{"costs", second(ColumnNet(wide, Model{Ownership: Free, Costs: []int32{1, -1, 1}})), sparse.ErrSize},
		{"sum", second(NewHypergraph(2, []int32{0}, nil, []int32{math.MaxInt32, 1}, nil)), sparse.ErrSize},
		{"vertices", second(NewHypergraph(-1, []int32{0}, nil, nil, nil)), sparse.ErrSize},
		{"no pointers", second(NewHypergraph(1, nil, nil, nil, nil)), sparse.ErrPointers},
		{"backwards", second(NewHypergraph(3, []int32{0, 3, 2}, []int32{0, 1}, nil, nil)), sparse.ErrPointers},
		{"pin", second(NewHypergraph(3, []int32{0, 2}, []int32{0, 3}, nil, nil)), sparse.ErrIndex},
		{"twice", second(NewHypergraph(3, []int32{0, 2}, []int32{1, 1}, nil, nil)), sparse.ErrIndex},
		{"no parts", second(New(0, nil)), sparse.ErrSize},
		{"too many parts", second(New(MaxParts+1, nil)), sparse.ErrSize},
		{"part", second(New(2, []int32{0, 2})), sparse.ErrIndex},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v, want an error of kind %q", c.name, c.err, c.kind)
		}
	}
	h := must[*Hypergraph](t)(ColumnNet(wide, Model{Ownership: Free}))
	for _, k := range []int{-1, 0, 3} {
		if _, err := Contiguous(h, k); !errors.Is(err, sparse.ErrSize) {
			t.Errorf("Contiguous with %d parts of 2 rows: %v", k, err)
		}
		if _, err := Random(h, k, 0); !errors.Is(err, sparse.ErrSize) {
			t.Errorf("Random with %d parts of 2 rows: %v", k, err)
		}
	}
	p := must[Partition](t)(New(2, []int32{0, 1, 1}))
	if _, err := Owners(h, p); !errors.Is(err, sparse.ErrLength) {
		t.Errorf("Owners of 3 of 2 rows: %v", err)
	}
	if _, err := Halo(wide, p, p); !errors.Is(err, sparse.ErrLength) {
		t.Errorf("Halo with parts of 3 of 2 rows: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestBaselines(t *testing.T) {
	r := rand.New(level.PCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(30)
		weight := make([]int32, n)
		for i := range weight {
			weight[i] = r.Int32N(5)
		}
		k := 1 + r.IntN(n)
		h := must[*Hypergraph](t)(NewHypergraph(n, []int32{0}, nil, weight, nil))
		c := must[Partition](t)(Contiguous(h, k))
		if s := Measure(h, c); s.Empty > 0 || !slices.IsSorted(c.part) {
			t.Fatalf("weights %v: contiguous parts %v", weight, c.part)
		}
		x := must[Partition](t)(Random(h, k, 7))
		sizes := make([]int, k)
		for _, q := range x.part {
			sizes[q]++
		}
		if slices.Max(sizes)-slices.Min(sizes) > 1 {
			t.Fatalf("random parts of sizes %v", sizes)
		}
	}
	h := must[*Hypergraph](t)(NewHypergraph(6, []int32{0}, nil, []int32{3, 1, 1, 1, 1, 5}, nil))
	if diff := cmp.Diff([]int32{0, 0, 1, 1, 1, 2}, must[Partition](t)(Contiguous(h, 3)).Parts()); diff != "" {
		t.Errorf("contiguous, -want +got:\n%s", diff)
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		weight []int32
		k      int
		eps    float64
		want   int
	}{
		{[]int32{1, 1, 1, 1}, 2, 0, 2},
		{slices.Repeat([]int32{1}, 200), 2, .03, 103},
		{[]int32{2, 2, 2}, 2, .03, 4},        // three heavy ones: two of them share a part
		{[]int32{100, 1, 1, 1}, 2, .03, 100}, // one is more than its share
		{[]int32{3, 3, 2, 2, 2}, 2, 0, 7},    // placing gives 7, though 6 exists
		{[]int32{0, 0}, 2, .5, 0},
		{[]int32{1, 1, 1}, 2, math.Inf(1), 3}, // no part can weigh more than all
	} {
		h := must[*Hypergraph](t)(NewHypergraph(len(c.weight), []int32{0}, nil, c.weight, nil))
		if got := Limit(h, c.k, c.eps); got != c.want {
			t.Errorf("limit of %v in %d parts with eps %v: %d, want %d", c.weight, c.k, c.eps, got, c.want)
		}
	}
}
