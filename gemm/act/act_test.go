package act

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// Parameters of the functions that take some; float32 holds them exactly.
const (
	slope = float64(float32(0.3))
	alpha = float64(float32(1.7))
	lo    = float64(float32(-1.1))
	hi    = float64(float32(2.3))
)

// row is one activation, in both types and by its definition.
type row struct {
	name string
	f32  func(float32) float32
	f64  func(float64) float64
	ref  func(*big.Float) *big.Float
	root float64 // where a derivative passes through 0, if it does
}

// flat reports whether x is where a function stays at a tiny value instead of going
// on to 0.
func (r *row) flat(x float64, single bool) bool {
	ends := map[string][2]float64{"SiLU": {87, 708}, "GELU": {9.75, 20.9}, "DGELU": {9.75, 20.9}}[r.name]
	end := ends[1]
	if single {
		end = ends[0]
	}
	return end != 0 && x < -end
}

// tiny is the most that such a value is.
func tiny(single bool) float64 {
	if single {
		return 1e-33
	}
	return 1e-293
}

var rows = []row{
	{"Sigmoid", Sigmoid[float32], Sigmoid[float64], refSigmoid, 0},
	{"DSigmoid", DSigmoid[float32], DSigmoid[float64], derivative(refSigmoid), 0},
	{"Tanh", Tanh[float32], Tanh[float64], refTanh, 0},
	{"DTanh", DTanh[float32], DTanh[float64], derivative(refTanh), 0},
	{"SiLU", SiLU[float32], SiLU[float64], refSiLU, 0},
	{"DSiLU", DSiLU[float32], DSiLU[float64], derivative(refSiLU), -1.2785},
	{"GELU", GELU[float32], GELU[float64], refGELU, 0},
	{"DGELU", DGELU[float32], DGELU[float64], derivative(refGELU), -0.7525},
	{"GELUErf", GELUErf[float32], GELUErf[float64], refGELUErf, 0},
	{"DGELUErf", DGELUErf[float32], DGELUErf[float64], derivative(refGELUErf), -0.7518},
	{"Mish", Mish[float32], Mish[float64], refMish, 0},
	{"DMish", DMish[float32], DMish[float64], derivative(refMish), -1.1924},
	{"Softplus", Softplus[float32], Softplus[float64], refSoftplus, 0},
	{"DSoftplus", DSoftplus[float32], DSoftplus[float64], derivative(refSoftplus), 0},
	{"ELU",
		func(x float32) float32 { return ELU(x, float32(alpha)) }, func(x float64) float64 { return ELU(x, alpha) },
		func(x *big.Float) *big.Float { return refELU(x, num(alpha)) }, 0},
	{"DELU",
		func(x float32) float32 { return DELU(x, float32(alpha)) }, func(x float64) float64 { return DELU(x, alpha) },
		derivative(func(x *big.Float) *big.Float { return refELU(x, num(alpha)) }), 0},
	{"ReLU", ReLU[float32], ReLU[float64], refReLU, 0},
	{"DReLU", DReLU[float32], DReLU[float64], derivative(refReLU), 0},
	{"LeakyReLU",
		func(x float32) float32 { return LeakyReLU(x, float32(slope)) }, func(x float64) float64 { return LeakyReLU(x, slope) },
		refLeakyReLU, 0},
	{"DLeakyReLU",
		func(x float32) float32 { return DLeakyReLU(x, float32(slope)) }, func(x float64) float64 { return DLeakyReLU(x, slope) },
		derivative(refLeakyReLU), 0},
	{"Clamp",
		func(x float32) float32 { return Clamp(x, float32(lo), float32(hi)) }, func(x float64) float64 { return Clamp(x, lo, hi) },
		refClamped, 0},
	{"DClamp",
		func(x float32) float32 { return DClamp(x, float32(lo), float32(hi)) }, func(x float64) float64 { return DClamp(x, lo, hi) },
		derivative(refClamped), 0},
	{"HardSigmoid", HardSigmoid[float32], HardSigmoid[float64], refHardSigmoid, 0},
	{"DHardSigmoid", DHardSigmoid[float32], DHardSigmoid[float64], derivative(refHardSigmoid), 0},
	{"HardSwish", HardSwish[float32], HardSwish[float64], refHardSwish, 0},
	{"DHardSwish", DHardSwish[float32], DHardSwish[float64], derivative(refHardSwish), -1.5},
}

func refReLU(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return zero()
	}
	return x
}

func refLeakyReLU(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return mul(x, num(slope))
	}
	return x
}

func refClamped(x *big.Float) *big.Float { return refClamp(x, num(lo), num(hi)) }

// kinks are where a derivative is one-sided: TestKinks looks there, the central
// differences do not.
var kinks = map[string][]float64{
	"DReLU": {0}, "DLeakyReLU": {0}, "DELU": {0}, "DClamp": {lo, hi}, "DHardSigmoid": {-3, 3}, "DHardSwish": {-3, 3},
}

// points are float64 numbers where something may happen, and many where nothing
// special should.
func points(n int) []float64 {
	list := []float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, 0x1p-1050, 0x1p-1022, 0x1p-149, 0x1p-126, 1e-30, 1e-8,
		1, 3, lo, hi, math.Pi, 16, 37, 40, 88.7, 89, 104, 128, 300, 700, 708.3, 709.8, 720, 745, 746, 1024, 1025, 1e5, 1e19, 1e38, 1e103, 1e155, 1e300, math.MaxFloat64}
	r := rand.New(level.PCG(5, 6))
	for range n {
		list = append(list, 4*r.Float64(), 12*r.Float64(), 4*r.ExpFloat64(), 750*r.Float64(), math.Ldexp(1+r.Float64(), -r.IntN(60)))
	}
	for _, x := range list[:len(list):len(list)] {
		list = append(list, -x)
	}
	return list
}

// spacing is the distance of neighbours of a type of bits fraction bits and
// exponents from least, around x, which is not taken smaller than small.
func spacing(x, small float64, bits, least int) float64 {
	_, e := math.Frexp(max(math.Abs(x), small))
	return math.Ldexp(1, max(e-1, least)-bits)
}

func ulp32(x float64, small float64) float64 {
	return spacing(x, max(small, 0x1p-118), 23, -126)
}

func ulp64(x float64, small float64) float64 {
	return spacing(x, max(small, 0x1p-1011), 52, -1022)
}

// small is the least size a result is held to: near the root of a derivative,
// that of its two terms.
func (r *row) small(x float64) float64 {
	if r.root != 0 && math.Abs(x-r.root) < 0.5 {
		return 0.125
	}
	return 0
}

const near = 4 // the tighter bounds are for numbers up to here

// bounds is what the documentation says of one activation.
type bounds struct {
	atMinus, atPlus              float64
	near32, all32, near64, all64 float64
}

// documented reads the table in the comment of the package, so that it says what is
// tested here.
func documented(t *testing.T) map[string]bounds {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]bounds{}
	for line := range strings.Lines(string(text)) {
		var name string
		var b bounds
		n, _ := fmt.Sscanf(strings.TrimPrefix(line, "//\t"), "%s %g %g %g %g %g %g", &name, &b.atMinus, &b.atPlus, &b.near32, &b.all32, &b.near64, &b.all64)
		if n == 7 {
			table[name] = b
		}
	}
	if len(table) != len(rows) {
		t.Fatalf("the documentation has %d activations, the test %d", len(table), len(rows))
	}
	return table
}

// worst keeps the greatest error, up to near and everywhere.
type worst struct{ near, all, nearAt, allAt float64 }

func (w *worst) note(x, ulps float64) {
	if math.Abs(x) <= near && !(ulps <= w.near) {
		w.near, w.nearAt = ulps, x
	}
	if !(ulps <= w.all) {
		w.all, w.allAt = ulps, x
	}
}

func (w *worst) add(v worst) {
	w.note(v.nearAt, v.near)
	w.note(v.allAt, v.all)
}

func (w *worst) check(t *testing.T, near, all float64) {
	t.Logf("%.2f ulp at %v; everywhere %.2f at %v", w.near, w.nearAt, w.all, w.allAt)
	if !(w.near <= near) {
		t.Errorf("wrong by %.3g ulp at %v; the documentation says %v", w.near, w.nearAt, near)
	}
	if !(w.all <= all) {
		t.Errorf("wrong by %.3g ulp at %v; the documentation says %v", w.all, w.allAt, all)
	}
}

// TestFloat64 compares the float64 instances with definitions and central
// differences in numbers of 2600 bits.
func TestFloat64(t *testing.T) {
	table := documented(t)
	n := level.Of(10, 30, 400)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var w worst
			for _, x := range points(n) {
				if slices.ContainsFunc(kinks[r.name], func(k float64) bool { return math.Abs(x-k) < 0x1p-200 }) {
					continue
				}
				want, got := r.ref(num(x)), r.f64(x)
				near, _ := want.Float64()
				if math.IsInf(got, 0) || got != got {
					t.Errorf("%v gives %v, want %v", x, got, near)
					continue
				}
				err, _ := sub(num(got), want).Float64()
				if r.flat(x, false) {
					if math.Abs(err) > tiny(false) {
						t.Errorf("%v gives %v", x, got)
					}
					continue
				}
				w.note(x, math.Abs(err)/ulp64(near, r.small(x)))
			}
			w.check(t, table[r.name].near64, table[r.name].all64)
		})
	}
}

// TestFloat32 compares the float32 instances with the float64 ones: on a sample of
// all numbers, denser from 2^-12 to 128; with TILESMITH_LONG=1 on every seventh there.
func TestFloat32(t *testing.T) {
	table := documented(t)
	sparse, dense := uint32(40009), uint32(4001)
	switch {
	case long():
		dense = 7
	case level.Of(true, false, false):
		sparse, dense = 200003, 20011
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var total worst
			var mu sync.Mutex
			var wg sync.WaitGroup
			for e := range uint32(255) { // one binade each
				wg.Go(func() {
					var w worst
					step := sparse
					if 127-12 <= e && e < 127+7 {
						step = dense
					}
					for b := e << 23; b < (e+1)<<23; b += step {
						for _, sign := range []uint32{0, 1 << 31} {
							x := math.Float32frombits(b | sign)
							want, got := r.f64(float64(x)), float64(r.f32(x))
							if r.flat(float64(x), true) {
								if math.Abs(got) > tiny(true) {
									t.Errorf("%v gives %v", x, got)
								}
								continue
							}
							w.note(float64(x), math.Abs(got-want)/ulp32(want, r.small(float64(x))))
						}
					}
					mu.Lock()
					defer mu.Unlock()
					total.add(w)
				})
			}
			wg.Wait()
			total.check(t, table[r.name].near32, table[r.name].all32)
		})
	}
}

func long() bool { return level.Long() }

// TestEnds: infinities give the documented limits, NaN gives NaN, and a zero keeps
// its sign where the function is its argument times something positive.
func TestEnds(t *testing.T) {
	table := documented(t)
	odd := []string{"Tanh", "SiLU", "GELU", "GELUErf", "Mish", "ELU", "LeakyReLU", "Clamp", "HardSwish"}
	for _, r := range rows {
		both := func(x, want float64) {
			got, got32 := r.f64(x), r.f32(float32(x))
			if want == 0 && r.flat(x, true) {
				if math.Abs(got) > tiny(false) || math.Abs(float64(got32)) > tiny(true) {
					t.Errorf("%s(%v) is %v, %v in float32", r.name, x, got, got32)
				}
				return
			}
			if float32(got) != float32(want) || got32 != float32(want) {
				t.Errorf("%s(%v) is %v, %v in float32, want %v", r.name, x, got, got32, want)
			}
		}
		both(math.Inf(-1), table[r.name].atMinus)
		both(math.Inf(1), table[r.name].atPlus)
		if r.name != "Clamp" && r.name != "LeakyReLU" { // which end with numbers of their own
			both(-math.MaxFloat32, table[r.name].atMinus)
		}
		if got, got32 := r.f64(math.NaN()), r.f32(float32(math.NaN())); got == got || got32 == got32 {
			t.Errorf("%s(NaN) is %v, %v in float32", r.name, got, got32)
		}
		for _, zero := range []float64{0, math.Copysign(0, -1)} {
			got, got32 := r.f64(zero), float64(r.f32(float32(zero)))
			if slices.Contains(odd, r.name) && (math.Float64bits(got) != math.Float64bits(zero) || math.Float64bits(got32) != math.Float64bits(zero)) {
				t.Errorf("%s(%v) is %v, %v in float32", r.name, zero, got, got32)
			}
		}
	}
	if x := ReLU(math.Copysign(0, -1)); math.Signbit(x) {
		t.Errorf("ReLU(-0) is %v", x)
	}
}

// TestKinks: where there are two, the derivative is the one from the left.
func TestKinks(t *testing.T) {
	for _, c := range []struct {
		name                     string
		f                        func(float64) float64
		at, below, there, beyond float64
	}{
		{"DReLU", DReLU[float64], 0, 0, 0, 1},
		{"DLeakyReLU", func(x float64) float64 { return DLeakyReLU(x, 0.25) }, 0, 0.25, 0.25, 1},
		{"DELU", func(x float64) float64 { return DELU(x, 0.25) }, 0, 0.25, 0.25, 1},
		{"DClamp at lo", func(x float64) float64 { return DClamp(x, -1, 2) }, -1, 0, 0, 1},
		{"DClamp at hi", func(x float64) float64 { return DClamp(x, -1, 2) }, 2, 1, 1, 0},
		{"DHardSigmoid at -3", DHardSigmoid[float64], -3, 0, 0, 1. / 6},
		{"DHardSigmoid at 3", DHardSigmoid[float64], 3, 1. / 6, 1. / 6, 0},
		{"DHardSwish at -3", DHardSwish[float64], -3, 0, 0, -0.5},
		{"DHardSwish at 3", DHardSwish[float64], 3, 1.5, 1.5, 1},
	} {
		for i, want := range []float64{c.below, c.there, c.beyond} {
			x := c.at + float64(i-1)*0x1p-60
			if x == c.at && i != 1 {
				x = math.Nextafter(c.at, c.at+float64(i-1))
			}
			if got := c.f(x); math.Abs(got-want) > 1e-14 {
				t.Errorf("%s: %v gives %v, want %v", c.name, x, got, want)
			}
		}
	}
}

// TestValues has values that the papers or arithmetic give.
func TestValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"Sigmoid(0)", Sigmoid(0.0), 0.5},
		{"Softplus(0)", Softplus(0.0), math.Ln2},
		{"GELU(1)", GELU(1.0), 0.8411919906082768},
		{"GELUErf(1)", GELUErf(1.0), 0.8413447460685429},
		{"SiLU at its least", SiLU(-1.278464542761074), -0.2784645427610738},
		{"Mish at its least", Mish(-1.1924312145154), -0.30884341301725},
		{"HardSwish(1)", HardSwish(1.0), 4. / 6},
		{"HardSwish(3)", HardSwish(3.0), 3},
		{"HardSwish(1e38) in float32", float64(HardSwish(float32(1e38))), float64(float32(1e38))},
		{"ReLU6(7)", Clamp(7.0, 0, 6), 6},
		{"Clamp with crossed ends", Clamp(0.0, 2, 1), 1},
		{"Clamp(NaN, 0, 1)", Clamp(nan, 0, 1), nan},
		{"Clamp(0, NaN, 1)", Clamp(0, nan, 1), nan},
		{"Clamp(0, 0, NaN)", Clamp(0, 0, nan), nan},
		{"LeakyReLU with a negative slope", LeakyReLU(-2.0, -0.5), 1},
		{"ELU(-Inf, 1)", ELU(math.Inf(-1), 1), -1},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-14) && (c.got == c.got || c.want == c.want) {
			t.Errorf("%s is %.17g, want %.17g", c.what, c.got, c.want)
		}
	}
	if at := GELU(0.5) - GELUErf(0.5); at == 0 {
		t.Error("the two forms of GELU are the same")
	}
	for x := -12.0; x < 12; x += 1. / 64 {
		if d := math.Abs(GELU(x) - GELUErf(x)); d > 5e-4 {
			t.Errorf("the two forms of GELU differ by %v at %v", d, x)
		}
	}
}
