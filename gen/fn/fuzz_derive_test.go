package fn

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
)

// dual is a number, its derivative by x and by y, and how large what that was added up from is.
type dual struct {
	v    float64
	d, m [2]float64
}

// through is f of a, where f is v at a and grows by slope.
func through(a dual, v, slope float64) dual {
	r := dual{v: v}
	for i := range r.d {
		r.d[i], r.m[i] = slope*a.d[i], math.Abs(slope)*a.m[i]
	}
	return r
}

// both is what a and b give together.
func both(v float64, a dual, byA float64, b dual, byB float64) dual {
	r, s := through(a, v, byA), through(b, v, byB)
	for i := range r.d {
		r.d[i], r.m[i] = r.d[i]+s.d[i], r.m[i]+s.m[i]
	}
	return r
}

// smooth is a random expression of float64, as Go and as arithmetic on dual numbers, of which package fn knows nothing.
type smooth struct {
	text string
	run  func(x, y dual) dual
}

func randomSmooth(r *rand.Rand, depth int) smooth {
	if depth == 0 || r.IntN(8) == 0 {
		switch r.IntN(5) {
		case 0, 1:
			return smooth{"x", func(x, y dual) dual { return x }}
		case 2, 3:
			return smooth{"y", func(x, y dual) dual { return y }}
		}
		c := math.Round(r.NormFloat64()*8) / 4
		return smooth{fmt.Sprint(c), func(x, y dual) dual { return dual{v: c} }}
	}
	a := randomSmooth(r, depth-1)
	one := func(format string, f func(v float64) (float64, float64)) smooth {
		return smooth{fmt.Sprintf(format, a.text), func(x, y dual) dual {
			u := a.run(x, y)
			v, slope := f(u.v)
			return through(u, v, slope)
		}}
	}
	switch r.IntN(16) {
	case 0:
		return one("(-(%s))", func(v float64) (float64, float64) { return -v, -1 })
	case 1:
		return one("math.Tanh(%s)", func(v float64) (float64, float64) { c := math.Cosh(v); return math.Tanh(v), 1 / (c * c) })
	case 2:
		return one("math.Sin(%s)", func(v float64) (float64, float64) { return math.Sin(v), math.Cos(v) })
	case 3:
		return one("math.Exp(min(%s, 2))", func(v float64) (float64, float64) {
			if v > 2 {
				return math.Exp(2), 0
			}
			return math.Exp(v), math.Exp(v)
		})
	case 4:
		return one("math.Abs(%s)", func(v float64) (float64, float64) { return math.Abs(v), math.Copysign(1, v) })
	case 5:
		return one("math.Erf(%s)", func(v float64) (float64, float64) { return math.Erf(v), 2 / math.SqrtPi * math.Exp(-v*v) })
	case 6:
		return one("root(%s)", func(v float64) (float64, float64) { s := math.Sqrt(1 + math.Abs(v)); return s, math.Copysign(.5/s, v) })
	case 7:
		return one("math.Floor(%s)", func(v float64) (float64, float64) { return math.Floor(v), 0 })
	}
	b := randomSmooth(r, depth-1)
	two := func(format string, f func(a, b dual) dual) smooth {
		return smooth{fmt.Sprintf(format, a.text, b.text), func(x, y dual) dual { return f(a.run(x, y), b.run(x, y)) }}
	}
	switch r.IntN(8) {
	case 0:
		return two("(%s + %s)", func(a, b dual) dual { return both(a.v+b.v, a, 1, b, 1) })
	case 1:
		return two("(%s - (%s))", func(a, b dual) dual { return both(a.v-b.v, a, 1, b, -1) })
	case 2, 3:
		return two("(%s * %s)", func(a, b dual) dual { return both(a.v*b.v, a, b.v, b, a.v) })
	case 4:
		return two("ratio(%s, %s)", func(a, b dual) dual {
			den := 1 + math.Abs(b.v)
			return both(a.v/den, a, 1/den, b, -a.v/(den*den)*math.Copysign(1, b.v))
		})
	case 5:
		return two("max(%s, %s)", func(a, b dual) dual {
			if a.v >= b.v {
				return a
			}
			return b
		})
	case 6:
		return two("mean(%s, %s)", func(a, b dual) dual { return both((a.v+b.v)/2, a, .5, b, .5) })
	}
	c := randomSmooth(r, depth-1)
	return smooth{fmt.Sprintf("choose(%s, %s, %s)", a.text, b.text, c.text), func(x, y dual) dual {
		if u := a.run(x, y); u.v > 0.3 {
			return b.run(x, y)
		}
		return c.run(x, y)
	}}
}

const smoothPrelude = `package fuzzed

import "math"

func root(x float64) float64 { return math.Sqrt(1 + math.Abs(x)) }

func ratio(x, y float64) float64 { return x / (1 + math.Abs(y)) }

func mean(x, y float64) (m float64) {
	for _, v := range [2]float64{x, y} {
		m += v / 2
	}
	return
}

func choose(c, x, y float64) float64 {
	if !(c <= 0.3) {
		return x
	}
	return y
}

`

// FuzzDerivative compares derivatives of random expressions with dual numbers, and what is written of them as Go
// with what they are.
func FuzzDerivative(f *testing.F) {
	for seed := range level.Of[uint64](8, 40, 150) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		e := randomSmooth(r, 2+r.IntN(4))
		src := smoothPrelude + "func f(x, y float64) float64 { return " + e.text + " }\n"
		p, s := snippet(t, src)
		if len(s.errs) > 0 {
			t.Skip(s.errs) // constants that overflow
		}
		g, err := p.Lookup(Ref{Name: "f"})
		if err != nil {
			t.Skip(err)
		}
		d, err := g.Derivative()
		if err != nil {
			t.Fatalf("%v\n%s", err, e.text)
		}
		in := make([][]uint64, 3)
		for i := range in {
			for range lanes {
				in[i] = append(in[i], math.Float64bits(2*r.NormFloat64()))
			}
		}
		out := newKernel(t, d, false).run(t, in)
		for l := range lanes {
			x, y, dy := math.Float64frombits(in[0][l]), math.Float64frombits(in[1][l]), math.Float64frombits(in[2][l])
			want := e.run(dual{x, [2]float64{1, 0}, [2]float64{1, 0}}, dual{y, [2]float64{0, 1}, [2]float64{0, 1}})
			for i := range 2 {
				got := math.Float64frombits(out[i][l])
				if tol := math.Abs(dy) * want.m[i] * 1e-9; !(math.Abs(got-dy*want.d[i]) <= tol) {
					t.Fatalf("at (%v, %v) by operand %d: %v, want %v\n%s", x, y, i, got, dy*want.d[i], e.text)
				}
			}
		}
		written(t, d, in, out)
	})
}

// written checks the Go that is written of a function: it means the same, and is the same next time.
func written(t *testing.T, d *Func, in, out [][]uint64) {
	t.Helper()
	text, _, _, err := d.Text("f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, _, _ := d.Text("f", nil); !bytes.Equal(text, again) {
		t.Errorf("written in two ways:\n%s\n%s", text, again)
	}
	src := "package fuzzed\n\n" + string(text)
	if bytes.Contains(text, []byte("math.")) {
		src = "package fuzzed\n\nimport \"math\"\n\n" + string(text)
	}
	p, s := snippet(t, src)
	if len(s.errs) > 0 {
		t.Fatalf("%v\n%s", s.errs, text)
	}
	g, err := p.Lookup(Ref{Name: "f"})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, col := range newKernel(t, g, false).run(t, in) {
		if !slices.EqualFunc(col, out[i], func(a, b uint64) bool {
			x, y := floatOf(d.Results[i], a), floatOf(d.Results[i], b)
			return a == b || x != x && y != y || x == 0 && y == 0
		}) {
			t.Fatalf("result %d is another:\n%s", i, text)
		}
	}
}

// TestDerivativeWritten does it for functions of other shapes, and types.
func TestDerivativeWritten(t *testing.T) {
	p := derivation(t)
	for _, f := range derived {
		d := derivativeOf(t, p, emit.Derivative{Of: f})
		r := rand.New(level.PCG(1, 2))
		in := inputs(r, d)
		written(t, d, in, newKernel(t, d, false).run(t, in))
	}
}
