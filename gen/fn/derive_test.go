package fn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vmath"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/reduce"
)

// derived are functions of float64 whose derivatives are compared with differences.
var derived = []any{
	fntest.Horner[float64], fntest.Gate[float64], fntest.Angles[float64], fntest.Pieces[float64], fntest.Steps[float64],
	fntest.Guarded[float64], fntest.Untaken[float64], fntest.SignOf[float64],
	fntest.PolyRange, fntest.Poly[float64], fntest.Norm[float64], fntest.HardSwish[float64], fntest.GELU[float64],
	act.Clamp[float64], act.ELU[float64], act.GELU[float64], act.GELUErf[float64], act.HardSigmoid[float64], act.HardSwish[float64],
	act.LeakyReLU[float64], act.Mish[float64], act.ReLU[float64], act.Sigmoid[float64], act.SiLU[float64], act.Softplus[float64], act.Tanh[float64],
	act.DELU[float64], act.DGELU[float64], act.DGELUErf[float64], act.DMish[float64], act.DSiLU[float64], act.DSigmoid[float64], act.DTanh[float64],
}

// derivation is a program that knows everything that tests derive.
func derivation(t testing.TB) *Program {
	t.Helper()
	p := load(t)
	return p
}

// TestDerivatives compares with central differences.
func TestDerivatives(t *testing.T) {
	p := derivation(t)
	for _, f := range derived {
		ref, err := ValueOf(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(ref.String(), func(t *testing.T) { differences(t, p, f, 3) })
	}
}

// differences compares the derivative of f, of float64, with central differences at random points about as large
// as wide, where f has no kink.
func differences(t *testing.T, p *Program, f any, wide float64) {
	t.Helper()
	d := derivativeOf(t, p, emit.Derivative{Of: f})
	call := reflect.ValueOf(f)
	n, m := call.Type().NumIn(), call.Type().NumOut()
	at := func(x []float64) []float64 {
		in := make([]reflect.Value, n)
		for i := range in {
			in[i] = reflect.ValueOf(x[i])
		}
		var out []float64
		for _, v := range call.Call(in) {
			out = append(out, v.Float())
		}
		return out
	}
	rnd := rand.New(level.PCG(uint64(n), uint64(m)))
	k := newKernel(t, d, true)
	compared := 0
	for range 4 {
		in := make([][]uint64, n+m)
		for i := range in {
			for range lanes {
				in[i] = append(in[i], math.Float64bits(wide*(2*rnd.Float64()-1)))
			}
		}
		out := k.run(t, in)
		for l := range lanes {
			x := make([]float64, n)
			for i := range x {
				x[i] = math.Float64frombits(in[i][l])
			}
			for i := range n {
				got := math.Float64frombits(out[i][l])
				along := func(s float64) (sum float64) { // of the results, as their gradients weigh them
					y := append([]float64(nil), x...)
					y[i] += s
					for k, v := range at(y) {
						sum += v * math.Float64frombits(in[n+k][l])
					}
					return sum
				}
				want, near, ok := slope(along)
				if !ok {
					continue
				}
				compared++
				if tol := near + 1e-6*math.Abs(want); !(math.Abs(got-want) <= tol) {
					t.Fatalf("at %v, by operand %d: %v, and differences %v, +-%.1g", x, i, got, want, tol)
				}
			}
		}
	}
	if compared < 4*lanes*n/2 {
		t.Errorf("%d of %d points had differences to compare with", compared, 4*lanes*n)
	}
}

// slope is the derivative of f at 0 from differences, with what rounding may make of it; ok is false where they show no slope:
// near a kink, or where there is no number.
func slope(f func(float64) float64) (d, near float64, ok bool) {
	const h = 1e-3
	central := func(h float64) float64 { // of order h^6
		return (45*(f(h)-f(-h)) - 9*(f(2*h)-f(-2*h)) + f(3*h) - f(-3*h)) / (60 * h)
	}
	size := max(math.Abs(f(3*h)), math.Abs(f(-3*h)), math.Abs(f(0)))
	d, other := central(h), central(h/2)
	near = 64 * size * 0x1p-52 / h
	return other, near, math.Abs(d-other) <= near+3e-7*math.Abs(d)
}

// TestMathDerivatives does it for all functions of package math that have a vector form.
func TestMathDerivatives(t *testing.T) {
	inside := map[string]string{"math.Asin": "x*0.9/(1+x*x)", "math.Acos": "x*0.9/(1+x*x)", "math.Atanh": "x*0.9/(1+x*x)", "math.Acosh": "1.1+x*x",
		"math.Log": "x*x+0.1", "math.Log2": "x*x+0.1", "math.Log10": "x*x+0.1", "math.Log1p": "x*x-0.9", "math.Sqrt": "x*x+0.1"}
	arguments := map[string]string{"math.Pow": "x*x+0.1, y", "math.Mod": "x, 2.5", "math.FMA": "x, y, x-y"}
	for _, name := range vmath.Names() {
		if !strings.HasPrefix(name, "math.") {
			continue
		}
		args := arguments[name]
		switch {
		case args == "" && vmath.Lookup(name).Args == 2:
			args = "x, y"
		case args == "":
			args = "x"
			if e := inside[name]; e != "" {
				args = e
			}
		}
		if name == "math.Mod" {
			args = "max(-100, min(100, x)), 2.5"
		}
		body := fmt.Sprintf("%s(%s)", name, args)
		t.Run(name, func(t *testing.T) {
			p, _ := snippet(t, "package fuzzed\n\nimport \"math\"\n\nfunc f(x, y float64) float64 { return "+body+" }\n")
			f, err := p.Lookup(Ref{Name: "f"})
			if err != nil {
				t.Fatal(err)
			}
			d, err := f.Derivative()
			if err != nil {
				t.Fatal(err)
			}
			value, grad := newKernel(t, f, false), newKernel(t, d, false)
			rnd := rand.New(level.PCG(1, 2))
			compared := 0
			for range 40 {
				x := [2]float64{rnd.NormFloat64(), rnd.NormFloat64()}
				got := run1(t, grad, x[0], x[1], 1)
				for i := range x {
					// All points of a difference are lanes of one run: asked for first, and answered then.
					in := [][]uint64{nil, nil}
					slope(func(s float64) float64 {
						y := x
						y[i] += s
						in[0], in[1] = append(in[0], math.Float64bits(y[0])), append(in[1], math.Float64bits(y[1]))
						return 0
					})
					out := value.run(t, in)[0]
					want, near, ok := slope(func(float64) float64 {
						v := math.Float64frombits(out[0])
						out = out[1:]
						return v
					})
					if !ok {
						continue
					}
					compared++
					if !(math.Abs(got[i]-want) <= near+1e-6*math.Abs(want)) {
						t.Fatalf("%s at %v by operand %d: %v, and differences %v", body, x, i, got[i], want)
					}
				}
			}
			if compared < 40 {
				t.Errorf("%d of 80 points had differences to compare with", compared)
			}
		})
	}
}

// run1 runs one lane.
func run1(t testing.TB, k kernel, x ...float64) (out []float64) {
	in := make([][]uint64, len(x))
	for i, v := range x {
		in[i] = make([]uint64, lanes)
		in[i][0] = floatBits(k.f.Params[i], v)
		if k.f.Params[i].Int() {
			in[i][0] = uint64(int64(v))
		}
	}
	for i, col := range k.run(t, in) {
		out = append(out, floatOf(k.f.Results[i], col[0]))
	}
	return out
}

func derivativeOf(t testing.TB, p *Program, f any) *Func {
	t.Helper()
	ref, err := ValueOf(f)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Lookup(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestKinks pins what derivatives are where there is more than one.
func TestKinks(t *testing.T) {
	p := derivation(t)
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		f        any
		by       []int
		at, want []float64 // operands and dy; gradients
	}{
		{act.ReLU[float64], nil, []float64{0, 1}, []float64{0}},
		{act.ReLU[float64], nil, []float64{-1, inf}, []float64{0}}, // not NaN
		{act.ReLU[float64], nil, []float64{inf, 2}, []float64{2}},
		{act.ReLU[float64], nil, []float64{nan, 2}, []float64{2}},
		{act.LeakyReLU[float64], nil, []float64{0, .25, 2}, []float64{.5, 0}},
		{act.ELU[float64], []int{0}, []float64{0, 3, 1}, []float64{3}},
		{act.ELU[float64], []int{0}, []float64{1000, 3, 1}, []float64{1}}, // exp(1000) is not multiplied by 0
		{act.Sigmoid[float64], nil, []float64{0, 1}, []float64{.25}},      // |x| inside must not show
		{act.Softplus[float64], nil, []float64{0, 1}, []float64{.5}},
		{act.GELU[float64], nil, []float64{0, 1}, []float64{.5}},
		{act.SiLU[float64], nil, []float64{0, 1}, []float64{.5}},
		{act.Mish[float64], nil, []float64{0, 1}, []float64{.6}},
		{act.Clamp[float64], []int{0}, []float64{-1, -1, 2, 1}, []float64{0}},
		{act.Clamp[float64], []int{0}, []float64{2, -1, 2, 1}, []float64{1}},
		{act.Clamp[float64], nil, []float64{-1, -1, 2, 1}, []float64{1, 0, 0}}, // all move together: the first operand
		{act.HardSigmoid[float64], nil, []float64{-3, 6}, []float64{0}},
		{act.HardSigmoid[float64], nil, []float64{3, 6}, []float64{1}},
		{math.Abs, nil, []float64{0, 1}, []float64{-1}},
		{math.Max, nil, []float64{3, 3, 1}, []float64{1, 0}},
		{math.Max, []int{1}, []float64{3, 3, 1}, []float64{0}},
		{math.Min, nil, []float64{3, 3, 1}, []float64{1, 0}},
		{math.Hypot, nil, []float64{0, 0, 1}, []float64{0, 0}},
		{math.Floor, nil, []float64{2, 1}, []float64{0}},
		{math.Pow, nil, []float64{0, 2, 1}, []float64{0, 0}},
		{math.Pow, nil, []float64{0, 0, 1}, []float64{0, 0}},
		{fntest.Guarded[float64], nil, []float64{0, 1}, []float64{0}},
		{fntest.Untaken[float64], nil, []float64{1e100, 1}, []float64{2}},
	} {
		d := derivativeOf(t, p, emit.Derivative{Of: c.f, By: c.by})
		got := run1(t, newKernel(t, d, false), c.at...)
		for i := range got {
			if !(math.Abs(got[i]-c.want[i]) <= 1e-15) {
				t.Errorf("%s at %v: %v, want %v", d.Name, c.at, got, c.want)
				break
			}
		}
	}
}

// TestDerivativeTypes derives by what lanes store, and converts.
func TestDerivativeTypes(t *testing.T) {
	p := derivation(t)
	d := derivativeOf(t, p, emit.Derivative{Of: fntest.ScaleBy})
	if got, want := fmt.Sprint(d.Params, d.Results), "[float32 int32 dtype.BF16 dtype.BF16] [float32 float32]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	in := [][]uint64{make([]uint64, lanes), make([]uint64, lanes), make([]uint64, lanes), make([]uint64, lanes)}
	in[1][0], in[3][0] = 3, floatBits(BF16, 1.5)
	out := newKernel(t, d, true).run(t, in)
	if x, bias := floatOf(Float32, out[0][0]), floatOf(Float32, out[1][0]); x != 4.5 || bias != 1.5 {
		t.Errorf("gradients %v and %v, want 4.5 and 1.5", x, bias)
	}
	typ, _, err := emit.FuncType(emit.Derivative{Of: fntest.ScaleBy})
	if err != nil || typ.NumIn() != 4 || typ.NumOut() != 2 || typ.Out(1).Kind() != reflect.Float32 {
		t.Errorf("type %v, %v", typ, err)
	}
}

// TestDerivativeReduced: gradients through sums, sums of squares and log-sum-exps are added to that by the result.
func TestDerivativeReduced(t *testing.T) {
	p := derivation(t)
	const x, dy, dsum, dsquares, lse, dlse = .7, 1.5, -2., .25, 1.25, 3.
	y := math.Tanh(x)
	slope := 1 - y*y
	all := []emit.Reduced{{How: reduce.Sum}, {How: reduce.SumSquares}, {How: reduce.LogSumExp}}
	through := dsum + 2*y*dsquares + math.Exp(y-lse)*dlse
	for _, c := range []struct {
		d    emit.Derivative
		at   []float64
		want float64
	}{
		{emit.Derivative{Of: math.Tanh, Reduced: all}, []float64{x, dy, dsum, dsquares, lse, dlse}, slope * (dy + through)},
		{emit.Derivative{Of: math.Tanh, Reduced: all, Unread: []int{0}}, []float64{x, dsum, dsquares, lse, dlse}, slope * through},
		{emit.Derivative{Of: math.Tanh, Reduced: all[1:2], Unread: []int{0}}, []float64{x, dsquares}, slope * 2 * y * dsquares},
	} {
		d := derivativeOf(t, p, c.d)
		if typ, _, err := emit.FuncType(c.d); err != nil || typ.NumIn() != len(c.at) || len(d.Params) != len(c.at) {
			t.Fatalf("%v, %d parameters of %v, want %d", err, len(d.Params), typ, len(c.at))
		}
		if got := run1(t, newKernel(t, d, false), c.at...); math.Abs(got[0]-c.want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", c.at, got[0], c.want)
		}
	}
	if _, _, err := emit.FuncType(emit.Derivative{Of: math.Tanh, Reduced: []emit.Reduced{{Result: 1}}}); err == nil || !strings.Contains(err.Error(), "no result 1") {
		t.Errorf("of a result that is not there: %v", err)
	}
}

func TestDerivativeRefused(t *testing.T) {
	p := derivation(t)
	for _, c := range []struct {
		d    emit.Derivative
		want string
	}{
		{emit.Derivative{Of: fntest.Twiddled}, "derive.go:82:53: fntest.Twiddled has no derivative here: this number is made of the bits of another"},
		{emit.Derivative{Of: fntest.ScaleBy, By: []int{1}}, "operand 1 of fntest.ScaleBy, counting from 0, is of int32, which has no derivative"},
		{emit.Derivative{Of: fntest.ScaleBy, By: []int{3}}, "has 3 operands, and no operand 3"},
		{emit.Derivative{Of: fntest.ScaleBy, By: []int{0, 0}}, "listed twice"},
		{emit.Derivative{Of: fntest.Requant}, "has no float result"},
		{emit.Derivative{Of: nil}, "is not a function"},
	} {
		ref, err := ValueOf(c.d)
		if err == nil {
			_, err = p.Lookup(ref)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
