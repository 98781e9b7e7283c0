package vmath

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

var update = flag.Bool("update", false, "write the transcription, the tables and, with TILESMITH_LONG=1, the record of exhaustive runs")

func long() bool { return level.Long() }

// fewer is n in long tests, else a tenth, or with -short a 64th.
func fewer(n int) int { return level.Of(n/64, n/10, n) }

// run interprets f on vectors of some lanes.
func run[T float32 | float64](t testing.TB, f *Func, args ...[]T) []T {
	t.Helper()
	e := emit.F32
	if any(T(0)) == any(float64(0)) {
		e = emit.F64
	}
	n := len(args[0])
	m := emit.Machine{MaxSteps: math.MaxInt32}
	y := emit.NewMemory("y", emit.Generic, n*e.Bytes())
	for i, x := range args {
		m.Bind(fmt.Sprintf("x%d", i), emit.PtrTo(emit.MemoryOf("x", emit.Generic, x), 0))
	}
	m.Bind("y", emit.PtrTo(y, 0))
	if err := m.Run(kernel(t, f, e, n)); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	out := make([]T, n)
	y.Decode(out)
	return out
}

// distance counts the numbers from x to y; 0 for two NaNs, and infinite if one is
// NaN or zeros differ in sign.
func distance[T float32 | float64](x, y T) float64 {
	if x != x || y != y {
		if x != x && y != y {
			return 0
		}
		return math.Inf(1)
	}
	a, b := order(x), order(y)
	if x == 0 && y == 0 && a != b {
		return math.Inf(1)
	}
	return math.Abs(float64(a - b))
}

// order numbers the floats in order; -0 comes just before 0.
func order[T float32 | float64](x T) int64 {
	var b int64
	switch x := any(x).(type) {
	case float32:
		b = int64(int32(math.Float32bits(x)))
		if b < 0 {
			b = math.MinInt32 - b - 1
		}
	case float64:
		b = int64(math.Float64bits(x))
		if b < 0 {
			b = math.MinInt64 - b - 1
		}
	}
	return b
}

// specials are where functions of one operand change their ways.
var specials = func() []float64 {
	var s []float64
	for _, x := range []float64{0, 1, 2, 3, 0.5, 1.5, 2.5, 0.25, 10, 20, 1 << 23, 1 << 24, 1 << 52, 1 << 53, math.Inf(1), math.NaN(),
		math.Ln2, math.Ln2 / 2, 1.5 * math.Ln2, math.Sqrt2, math.Sqrt2 / 2, math.Sqrt2 - 1, 1 - math.Sqrt2/2,
		88.72283, 88.722839, 89, 103.27892, 103.97208, 104, 17.328679, 18, 127, 128, 129, 126, 149, 150, 151, 3.8325, 3.95, 9.0109, 10,
		709.782712893384, 710, 745.1332191019411, 746, 708.3964185322641, 36.7, 38, 1023, 1024, 1025, 1022, 1074, 1075, 1076, 5.8635, 5.96, 19.06, 20,
		math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022} {
		s = append(s, x, -x)
	}
	return s
}()

// points32 returns inputs in every binade, evenly and at random, and all around
// its ends and around the special ones.
func points32(perBinade int) []float32 {
	r := rand.New(level.PCG(1, 2))
	var x []float32
	for _, s := range specials {
		b := math.Float32bits(float32(s))
		for d := -20; d <= 20; d++ {
			x = append(x, math.Float32frombits(b+uint32(d)))
		}
	}
	for binade := range uint32(512) {
		for d := -4; d <= 4; d++ {
			x = append(x, math.Float32frombits(binade<<23+uint32(d)))
		}
		step := uint32(1<<23) / uint32(perBinade)
		for i := range uint32(perBinade) {
			x = append(x, math.Float32frombits(binade<<23+i*step+r.Uint32N(step)))
		}
	}
	return x
}

func points64(perBinade int) []float64 {
	r := rand.New(level.PCG(3, 4))
	var x []float64
	for _, s := range specials {
		b := math.Float64bits(s)
		for d := -20; d <= 20; d++ {
			x = append(x, math.Float64frombits(b+uint64(d)))
		}
	}
	for binade := range uint64(4096) {
		for d := -2; d <= 2; d++ {
			x = append(x, math.Float64frombits(binade<<52+uint64(d)))
		}
		n := uint64(perBinade)
		if e := binade & 2047; e > 1023-30 && e < 1023+11 {
			n *= 64 // where most functions are not the identity or constant
		}
		step := uint64(1<<52) / n
		for i := range n {
			x = append(x, math.Float64frombits(binade<<52+i*step+r.Uint64N(step)))
		}
	}
	return x
}

// TestTranscription: the Go file is that of the IR, and means the same.
func TestTranscription(t *testing.T) {
	if !fresh(t) {
		if !*update {
			t.Fatalf("%s is not that of the IR: run go test ./emit/vmath -run Transcription -update", transcription)
		}
		if err := os.WriteFile(transcription, transcribeAll(t), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Skip("written; what was compiled is the old one")
	}
	per32, per64 := 64, 2
	if long() {
		per32, per64 = 2048, 32
	}
	x32, x64 := points32(per32), points64(per64)
	all := Names()
	for _, i := range level.Pick(len(all), 4, len(all)/2) {
		name := all[i]
		f := Lookup(name)
		if !transcribable(f) || f.Args > 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			same(t, f, x32, scalar32[name])
			same(t, f, x64, scalar64[name])
		})
	}
}

func same[T float32 | float64](t *testing.T, f *Func, x []T, scalar func(T) T) {
	const most = 1 << 14 // lanes of a type
	for len(x) > 0 {
		n := min(len(x), most)
		for i, y := range run(t, f, x[:n]) {
			if want := scalar(x[i]); distance(y, want) != 0 {
				t.Fatalf("%s(%x): the interpreter gives %x, the transcription %x", f.Name, x[i], y, want)
			}
		}
		x = x[n:]
	}
}

// TestF32 compares a million inputs with the correctly rounded result.
func TestF32(t *testing.T) {
	x := points32(fewer(2048))
	for _, name := range Names() {
		f := Lookup(name)
		if f.Args != 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scalar := scalar32[name]
			if scalar == nil { // one operation: fewer will do
				y := run(t, f, x[:min(len(x)&^15, 1<<16)])
				for i := range y {
					judge(t, f, f.F32ULP, x[i], y[i], float32(f.Ref(float64(x[i]))))
				}
				return
			}
			most, at := 0.0, float32(0)
			for _, x := range x {
				if d := judge(t, f, f.F32ULP, x, scalar(x), float32(f.Ref(float64(x)))); d > most {
					most, at = d, x
				}
			}
			t.Logf("at most %v ulp, first at %x", most, at)
		})
	}
}

func judge[T float32 | float64](t *testing.T, f *Func, bound float64, x, y, want T) float64 {
	t.Helper()
	d := distance(y, want)
	if d > bound {
		t.Fatalf("%s(%x) = %x, want %x: %v ulp, and %v are allowed", f.Name, x, y, want, d, bound)
	}
	return d
}

// TestF64 compares with package math; where that is nearly as far off as allowed, or
// farther, math/big decides.
func TestF64(t *testing.T) {
	points := points64(fewer(64))
	for _, name := range Names() {
		f := Lookup(name)
		if f.Args != 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, scalar := points, scalar64[name]
			if scalar == nil {
				y := run(t, f, x[:min(len(x)&^15, 1<<16)])
				for i := range y {
					judge(t, f, f.F64ULP, x[i], y[i], f.Ref(x[i]))
				}
				return
			}
			most, at := 0.0, 0.0
			corrected := 0
			for _, x := range x {
				y, want := scalar(x), f.Ref(x)
				if bigs[name] != nil && distance(y, want) > max(1, f.F64ULP-1) { // who is wrong?
					want = exact(f, x)
					corrected++
				}
				if d := judge(t, f, f.F64ULP, x, y, want); d > most {
					most, at = d, x
				}
			}
			t.Logf("at most %v ulp, first at %x; %s was farther off at %d of %d inputs", most, at, f.Name, corrected, len(points))
		})
	}
}

// TestPairs tests functions of two and three operands on all pairs of specials,
// and with either operand a constant.
func TestPairs(t *testing.T) {
	some := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2, -2, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, 3, 1 + 0x1p-23}
	var x, y, z []float64
	for _, a := range some {
		for _, b := range some {
			for _, c := range some {
				x, y, z = append(x, a), append(y, b), append(z, c)
			}
		}
	}
	for _, name := range Names() {
		f := Lookup(name)
		if f.Args < 2 {
			continue
		}
		if bigPairs[name] != nil { // package math is not near enough
			exact := *f
			exact.Ref = func(x ...float64) float64 { return exactPair(Lookup(name), x[0], x[1]) }
			f = &exact
		}
		t.Run(name, func(t *testing.T) {
			checkAll(t, f, [][]float64{x, y, z}[:f.Args])
			checkAll(t, f, [][]float32{narrow(x), narrow(y), narrow(z)}[:f.Args])
			if f.Args > 2 {
				return
			}
			for _, c := range some {
				left := Func{Name: name, Args: 1, F32ULP: f.F32ULP, F64ULP: f.F64ULP,
					Build: func(b *emit.Builder, x ...*emit.Value) *emit.Value { return f.Build(b, b.Const(x[0].Type, c), x[0]) },
					Ref:   func(x ...float64) float64 { return f.Ref(c, x[0]) }}
				right := Func{Name: name, Args: 1, F32ULP: f.F32ULP, F64ULP: f.F64ULP,
					Build: func(b *emit.Builder, x ...*emit.Value) *emit.Value { return f.Build(b, x[0], b.Const(x[0].Type, c)) },
					Ref:   func(x ...float64) float64 { return f.Ref(x[0], c) }}
				if f.Within != nil {
					left.Within = func(x ...float64) bool { return f.Within(c, x[0]) }
					right.Within = func(x ...float64) bool { return f.Within(x[0], c) }
				}
				for _, g := range []*Func{&left, &right} {
					checkAll(t, g, [][]float64{some})
					checkAll(t, g, [][]float32{narrow(some)})
				}
			}
		})
	}
}

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i := range x {
		out[i] = float32(x[i])
	}
	return out
}

// checkAll wants the result of f.Ref, rounded, as near as f says.
func checkAll[T float32 | float64](t *testing.T, f *Func, x [][]T) {
	t.Helper()
	args := make([]float64, len(x))
	for i, y := range run(t, f, x...) {
		for j := range x {
			args[j] = float64(x[j][i])
		}
		if f.Within != nil && !f.Within(args...) {
			continue
		}
		want := T(f.Ref(args...))
		if v, ok := any(args).([]float64); ok && f.Name == "math.FMA" && any(want) != any(float64(want)) {
			want = T(fma32(float32(v[0]), float32(v[1]), float32(v[2])))
		}
		bound := f.F64ULP
		if any(want) != any(float64(want)) {
			bound = f.F32ULP
		}
		if distance(y, want) > bound {
			t.Fatalf("%s(%x) = %x, want %x", f.Name, args, y, want)
		}
	}
}

// TestOps: the numbers of operations are those in the table, for every length.
func TestOps(t *testing.T) {
	for _, name := range Names() {
		f := Lookup(name)
		for _, lanes := range []int{1, 3, 16} {
			if n := operations(kernel(t, f, emit.F32, lanes)); n != f.F32Ops {
				t.Errorf("%s on f32x%d has %d operations, the table says %d", name, lanes, n, f.F32Ops)
			}
			if n := operations(kernel(t, f, emit.F64, lanes)); n != f.F64Ops {
				t.Errorf("%s on f64x%d has %d operations, the table says %d", name, lanes, n, f.F64Ops)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	_, err := emit.Build("f", nil, func(b *emit.Builder) { Exp(b, b.Const(emit.Vector(emit.F16, 8), 1)) })
	if err == nil || !strings.Contains(err.Error(), "not for f16x8") {
		t.Errorf("exp of f16: %v", err)
	}
	if Lookup("math.Gamma") != nil {
		t.Error("there is a math.Gamma")
	}
}

const recordFile = "testdata/record.txt"

// record is a line of testdata/record.txt.
type record struct {
	name, hash string
	ulp        float64
	at         uint32
}

// hash identifies the operations of f on f32: it is that of the printed IR.
func hash(t testing.TB, f *Func) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(kernel(t, f, emit.F32, 1).String())))[:16]
}

func records(t *testing.T) map[string]record {
	text, err := os.ReadFile(recordFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	all := map[string]record{}
	for line := range strings.Lines(string(text)) {
		var r record
		if strings.HasPrefix(line, "#") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%s %s %g %x", &r.name, &r.hash, &r.ulp, &r.at); err != nil {
			t.Fatalf("%s: %q: %v", recordFile, line, err)
		}
		all[r.name] = r
	}
	return all
}

// TestRecord: all 2^32 inputs of f32, and 2^28 pairs of functions of two operands,
// have been compared since the operations last changed. TILESMITH_LONG=1 compares them
// again: in assembly with the f64 functions, some 20 seconds each, and some minutes
// where that does not run. With -update it compares only what has changed, and records
// it.
func TestRecord(t *testing.T) {
	exhaust := exhaust
	if long() && native != nil {
		exhaust = native(t)
	}
	const again = "run TILESMITH_LONG=1 go test ./emit/vmath -run Record -timeout 3h -update"
	all := records(t)
	for _, name := range Names() {
		f := Lookup(name)
		if !transcribable(f) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r, h := all[name], hash(t, f)
			if long() && (!*update || r.hash != h) {
				if !fresh(t) {
					t.Fatalf("%s is not that of the IR", transcription)
				}
				now := exhaust(t, f)
				now.hash = h
				t.Logf("%v ulp at %#08x (%x)", now.ulp, now.at, math.Float32frombits(now.at))
				if *update {
					all[name] = now
					writeRecords(t, all)
				} else if now != r {
					t.Errorf("now %+v, recorded %+v: %s", now, r, again)
				}
				r = now
			}
			if r.hash != h {
				t.Errorf("has changed since all its inputs were compared: %s", again)
			}
			if r.ulp > f.F32ULP {
				t.Errorf("recorded are %v ulp at %#08x, allowed %v", r.ulp, r.at, f.F32ULP)
			}
		})
	}
}

// writeRecords is called after every function, so that a run that is broken off
// need not begin again.
func writeRecords(t *testing.T, all map[string]record) {
	var w strings.Builder
	w.WriteString("# All 2^32 float32 inputs, and 2^28 pairs of functions of two operands, against the float64\n" +
		"# result, rounded: function, hash of its operations, greatest distance in ulp, first input\n" +
		"# that has it. TestRecord writes this.\n")
	for _, name := range Names() {
		if r, ok := all[name]; ok && transcribable(Lookup(name)) {
			fmt.Fprintf(&w, "%s %s %g %08x\n", r.name, r.hash, r.ulp, r.at)
		}
	}
	if err := os.WriteFile(recordFile, []byte(w.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// native builds the functions as assembly and returns what exhaust does, many times as
// fast; nil where no assembly runs.
var native func(t testing.TB) func(t testing.TB, f *Func) record

// exhaust compares f with its reference on all float32.
func exhaust(t testing.TB, f *Func) record {
	const parts = 64
	var (
		wg    sync.WaitGroup
		next  = make(chan uint64, parts)
		found [parts]record
		fn    = scalar32[f.Name]
	)
	if f.Args > 1 {
		t.Skip("pairs are compared in assembly only")
	}
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for p := range next {
				worst := record{name: f.Name, at: uint32(p << 32 / parts)}
				for i := p << 32 / parts; i < (p+1)<<32/parts; i++ {
					x := math.Float32frombits(uint32(i))
					y, want := fn(x), float32(f.Ref(float64(x)))
					if math.Float32bits(y) == math.Float32bits(want) {
						continue
					}
					if d := distance(y, want); d > worst.ulp {
						worst.ulp, worst.at = d, uint32(i)
					}
				}
				found[p] = worst
			}
		})
	}
	for p := range uint64(parts) {
		next <- p
	}
	close(next)
	wg.Wait()
	worst := found[0]
	for _, r := range found {
		if r.ulp > worst.ulp {
			worst = r
		}
	}
	return worst
}
