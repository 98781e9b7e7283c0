package advise

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/sparse/internal/sparsetest"
	"github.com/tilesmith/tilesmith/sparse/rule"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// small is a machine on which small matrices are large.
func small() Machine {
	on := zen4("avx512")
	for l, size := range []int{4 << 10, 16 << 10, 64 << 10} {
		on.Caches[l].Size = size
	}
	on.Threads = 2
	return on
}

// TestFootprint: what is counted is what conversion then takes.
func TestFootprint(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("counts memory of large matrices")
	}
	for _, x := range sparsetest.Patterns() {
		m := matrixOf[float32](t, x)
		s := runs.Of(m.Raw())
		on := small()
		kern := kernelsFor(on.Of(on.ISA), 4)
		for _, p := range plans(s, 64, &on) {
			if err := p.prepare(s, &kern); err != nil {
				if _, err2 := format.Pack(m, p.format); p.rules == nil && err2 == nil {
					t.Errorf("%s: %s: %v, and yet it can be converted", x.Name, p.format, err)
				}
				continue
			}
			if p.pruned {
				if p.slots() != int64(m.NNZ()) {
					t.Errorf("%s: %d entries of pruned weights, want %d", x.Name, p.slots(), m.NNZ())
				}
				continue
			}
			var slots int
			var bytes int64
			if p.rules != nil {
				sum, err := rule.Decompose(m, p.rules...)
				if err != nil {
					t.Fatalf("%s: %s: %v", x.Name, p.name, err)
				}
				slots, bytes = sum.Slots(), sum.Bytes()
			} else {
				q, err := format.Pack(m, p.format)
				if err != nil {
					t.Fatalf("%s: %s: %v", x.Name, p.name, err)
				}
				slots, bytes = q.Slots(), q.Bytes()
			}
			if p.slots() != int64(slots) || p.bytes(4) != bytes {
				t.Errorf("%s: %s: %d slots and %d bytes counted, %d and %d taken", x.Name, p.name, p.slots(), p.bytes(4), slots, bytes)
			}
		}
	}
}

func matrixOf[T float32 | float64](t *testing.T, x sparsetest.Pattern) sparse.Matrix[T] {
	t.Helper()
	b := sparse.NewBuilder[T](x.M, x.N)
	for _, e := range x.In {
		b.Add(e.I, e.J, 1)
	}
	m, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAdvisePatterns: every matrix gets an advice that makes sense.
func TestAdvisePatterns(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("large matrices")
	}
	for _, x := range sparsetest.Patterns() {
		m := matrixOf[float64](t, x)
		for _, features := range []int{1, 3, 128, 1000} {
			a, err := For(m, features, small())
			if err != nil {
				t.Fatal(x.Name, err)
			}
			if a.Candidates[0].Name != a.Best.Name || a.Best.Why != "" || a.Reason == "" || !strings.HasPrefix(a.Reason, a.Best.Name) {
				t.Errorf("%s: the choice is %q, the first candidate %q, the reason %q", x.Name, a.Best.Name, a.Candidates[0].Name, a.Reason)
			}
			for _, c := range a.Candidates {
				if !(c.Seconds > 0) || math.IsInf(c.Seconds, 0) || c.Padding < 0 || c.Padding > 1 || math.IsNaN(c.Convert) || c.Why == "" && c.Name != a.Best.Name {
					t.Errorf("%s: %+v", x.Name, c)
				}
			}
			if strings.Contains(a.String(), "NaN") || strings.Contains(a.String(), "Inf") {
				t.Errorf("%s: %s", x.Name, a)
			}
		}
	}
}

// scattered returns a matrix with about degree entries a row, anywhere.
func scattered(t *testing.T, rows, cols, degree int) sparse.Matrix[float32] {
	t.Helper()
	r := rand.New(level.PCG(5, 6))
	b := sparse.NewBuilder[float32](rows, cols)
	for i := range rows {
		for range degree {
			b.Add(i, r.IntN(cols), 1)
		}
	}
	m, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAdviseChoice: slabs, or blocks of rows and columns, where B does not fit the last
// cache and rows are long, compressed rows where rows are short.
func TestAdviseChoice(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("large matrices")
	}
	long, short := scattered(t, 2000, 4000, 200), scattered(t, 2000, 4000, 4)
	on := small()
	large := on
	for l, size := range []int{48 << 10, 8 << 20, 64 << 20} {
		large.Caches[l].Size = size
	}
	for _, c := range []struct {
		name string
		m    sparse.Matrix[float32]
		on   Machine
		want bool // compressed rows
	}{
		{"long rows, B beyond L3", long, on, false},
		{"short rows, B beyond L3", short, on, true},
		{"short rows, B in L2", short, large, true},
	} {
		a, err := For(c.m, 64, c.on)
		if err != nil {
			t.Fatal(err)
		}
		if (a.Best.Name == format.CSR.Name) != c.want {
			t.Errorf("%s: %s", c.name, a)
		}
		for _, x := range a.Candidates {
			if x.Rules == nil || c.want {
				continue
			}
			if s, err := rule.Decompose(c.m, x.Rules...); err != nil || !s.Matrix().Equal(c.m) {
				t.Errorf("%s: the rules of %s: %v", c.name, x.Name, err)
			}
		}
		if !c.want && (!strings.Contains(a.Reason, "memory") || !strings.Contains(a.Reason, "pays after")) {
			t.Errorf("%s: the reason is %q", c.name, a.Reason)
		}
	}
}

// TestAdviseColumn: compressed rows have a kernel for one column, which blocks have not. The order was measured on a Zen 4: 58 and 80 us
// of 2400 x 2400.
func TestAdviseColumn(t *testing.T) {
	r := rand.New(level.PCG(3, 5))
	b := sparse.NewBuilder[float32](2400, 2400)
	for range 680 {
		i, j := 16*r.IntN(150), 16*r.IntN(150)
		for k := range 256 {
			b.Add(i+k/16, j+k%16, 1)
		}
	}
	m, err := b.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	on := zen4("avx512")
	one, err := For(m, 1, on)
	if err != nil {
		t.Fatal(err)
	}
	more, err := For(m, 2, on)
	if err != nil {
		t.Fatal(err)
	}
	if one.Best.Name != format.CSR.Name || !strings.HasPrefix(more.Best.Name, "bsr") {
		t.Errorf("%s for one column, %s for two; want csr, and blocks", one.Best.Name, more.Best.Name)
	}
}

// TestTraffic holds what can be counted by hand.
func TestTraffic(t *testing.T) {
	on := small()
	bytes := func(m sparse.Matrix[float32], features int) Traffic {
		a, err := For(m, features, on)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range a.Candidates {
			if c.Name == format.CSR.Name {
				return c.Traffic
			}
		}
		panic("there is no csr")
	}
	// 3 rows of one cache line each that every row reads: all but nothing comes from L1.
	dense := matrixOf[float32](t, sparsetest.Where("", 4, 3, func(i, j int) bool { return true }))
	if b := bytes(dense, 16).B; b != (Moved{machine.L1: 4 * 3 * 64}) {
		t.Errorf("a B of three lines: %+v", b)
	}
	// A diagonal reads each row of B once; what is beyond the caches comes from memory.
	diagonal := matrixOf[float32](t, sparsetest.Where("", 2000, 2000, func(i, j int) bool { return i == j }))
	b := bytes(diagonal, 64).B
	if sum := b.total(); sum != 2000*256 || b[machine.Memory] != sum {
		t.Errorf("a permutation of a B beyond L3: %+v", b)
	}
	// Half a line a row: an object is a line.
	b = bytes(dense, 8).B
	if sum := b.total(); sum != 4*3*64 {
		t.Errorf("rows of half a line: %+v", b)
	}
	// Panels: 1000 features are 63 vectors in 4 panels; each visits all rows.
	c := bytes(dense, 1000).C
	if sum := c.total(); sum != 2*4*4*16*64 {
		t.Errorf("four panels of C move %d bytes, want %d", sum, 2*4*4*16*64)
	}
}

func TestBalance(t *testing.T) {
	arrow := sparsetest.Where("arrow", 1000, 1000, func(i, j int) bool { return i == 0 || i == j })
	half := sparsetest.Where("half", 1000, 1000, func(i, j int) bool { return i < 500 && (i+j)%250 == 0 })
	even := sparsetest.Where("even", 1000, 1000, func(i, j int) bool { return i == j })
	for _, c := range []struct {
		sparsetest.Pattern
		threads int
		want    string
	}{{even, 4, "rows"}, {half, 2, "merge path"}, {arrow, 4, "merge path"}, {arrow, 1, "rows"}, {sparsetest.Patterns()[0], 4, "rows"}} {
		on := small()
		on.Threads = c.threads
		a, err := For(matrixOf[float32](t, c.Pattern), 16, on)
		if err != nil {
			t.Fatal(err)
		}
		if a.Balance.By != c.want || a.Balance.Rows < 1-1e-9 || a.Balance.Entries < 1-1e-9 {
			t.Errorf("%s: %v; want %s", c.Name, a.Balance, c.want)
		}
	}
}

func TestAdviseErrors(t *testing.T) {
	m := scattered(t, 3, 3, 1)
	good := small()
	bad := good
	bad.Caches[machine.L3].Read = math.NaN()
	flat := good
	flat.Caches[machine.L2].Size = 1
	fast, set, many, few := good, good, good, good
	fast.Clock = math.Inf(1)
	set.ISA = "quux"
	many.Threads, few.Threads = math.MaxInt32, -1
	for _, c := range []struct {
		features int
		on       Machine
		why      string
	}{{0, good, "0 features"}, {-1, good, "features"}, {sparse.MaxDim + 1, good, "features"}, {1, Machine{}, "machine"}, {1, bad, "machine"}, {1, flat, "l2.size is 1"},
		{1, fast, "of the machine clock is +Inf; it must be from"}, {1, set, `advise.For: the machine's ISA is "quux"; "avx512", "avx2", "neon" or "go"`}, {1, MachineFor(""), "ISA"},
		{1, many, "2147483647 threads of the machine; from 1 to 65536"}, {1, few, "-1 threads"}} {
		a, err := For(m, c.features, c.on)
		var e *sparse.Error
		if err == nil || !strings.Contains(err.Error(), c.why) || !errors.As(err, &e) {
			t.Errorf("%d features: %v", c.features, err)
		}
		if d := cmp.Diff(a.Candidates, []Candidate(nil)); d != "" {
			t.Error(d)
		}
	}
}

// The same matrix gets the same advice again.
func TestAdviseAgain(t *testing.T) {
	m := scattered(t, 3000, 3000, level.Of(5, 50, 50))
	a, _ := For(m, 64, small())
	b, _ := For(m, 64, small())
	if d := cmp.Diff(a.String(), b.String()); d != "" {
		t.Error(d)
	}
}
