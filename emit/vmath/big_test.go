package vmath

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
)

// The functions in math/big, by their series: what the f64 versions are compared
// with. Package math will not do, since it is a few ulp off itself, and on amd64
// wrong in places: in Go 1.26 math.Log of denormals, and math.Exp just before it
// overflows.

const prec = 320 // bits: 53, the bits that cancel (at most 104, in erf), and plenty

func num(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
func zero() *big.Float         { return new(big.Float).SetPrec(prec) }

// negligible reports whether t no longer matters for sum.
func negligible(t, sum *big.Float) bool {
	return t.Sign() == 0 || sum.Sign() != 0 && t.MantExp(nil) < sum.MantExp(nil)-prec
}

// bigExpm1 returns e^x - 1: the Taylor series of x/2^j, then j times
// e^2y - 1 = (e^y - 1)^2 + 2(e^y - 1), which loses no relative accuracy.
func bigExpm1(x *big.Float) *big.Float {
	j := max(0, x.MantExp(nil)+8)
	y := zero().SetMantExp(x, -j)
	sum, term := zero(), num(1)
	for n := 1; ; n++ {
		term.Mul(term, y).Quo(term, num(float64(n)))
		if sum.Add(sum, term); negligible(term, sum) {
			break
		}
	}
	for range j {
		sq := zero().Mul(sum, sum)
		sum.Add(sum, sum).Add(sum, sq)
	}
	return sum
}

func bigExp(x *big.Float) *big.Float {
	if x.Sign() < 0 { // so that nothing cancels
		return zero().Quo(num(1), bigExp(zero().Neg(x)))
	}
	e := bigExpm1(x)
	return e.Add(e, num(1))
}

// bigLog returns ln x: ln m + e*ln 2 with m near 1 and the series of the inverse
// hyperbolic tangent, ln m = 2 atanh((m-1)/(m+1)).
func bigLog(x *big.Float) *big.Float {
	m := zero()
	e := x.MantExp(m)
	if m.Cmp(num(0.7)) < 0 {
		m.Add(m, m)
		e--
	}
	y := bigLogNear(m)
	if e != 0 {
		ln2 := bigLogNear(num(2))
		y.Add(y, ln2.Mul(ln2, num(float64(e))))
	}
	return y
}

func bigLogNear(m *big.Float) *big.Float { return bigLog1p(zero().Sub(m, num(1))) }

// bigLog1p returns ln(1+x) for x in the neighbourhood of [-0.5, 1].
func bigLog1p(x *big.Float) *big.Float {
	s := zero().Quo(x, zero().Add(x, num(2)))
	sq := zero().Mul(s, s)
	sum, power := zero(), s
	for n := 1; ; n += 2 {
		t := zero().Quo(power, num(float64(n)))
		if sum.Add(sum, t); negligible(t, sum) {
			return sum.Add(sum, sum)
		}
		power.Mul(power, sq)
	}
}

// bigErf returns 2/sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n+1)).
func bigErf(x *big.Float) *big.Float {
	sq := zero().Mul(x, x)
	sum, power := zero(), zero().Set(x)
	for n := 0; ; n++ {
		t := zero().Quo(power, num(float64(2*n+1)))
		sum.Add(sum, t)
		if float64(n) > 40 && negligible(t, sum) || t.Sign() == 0 {
			break
		}
		power.Mul(power, sq).Quo(power, num(float64(n+1))).Neg(power)
	}
	return sum.Mul(sum, num(2)).Quo(sum, zero().Sqrt(bigPi()))
}

// bigPi is Machin's 16 atan(1/5) - 4 atan(1/239).
func bigPi() *big.Float {
	atanInv := func(k float64) *big.Float {
		sum, power := zero(), zero().Quo(num(1), num(k))
		for n := 1; ; n += 2 {
			t := zero().Quo(power, num(float64(n)))
			if sum.Add(sum, t); negligible(t, sum) {
				return sum
			}
			power.Quo(power, num(-k*k))
		}
	}
	a, b := atanInv(5), atanInv(239)
	return a.Mul(a, num(16)).Sub(a, b.Mul(b, num(4)))
}

// bigs holds each function for finite arguments for which it is finite and its
// limits have not been reached: a number, rounded to float64 by the caller.
var bigs = map[string]func(x *big.Float) *big.Float{
	"math.Exp":   bigExp,
	"math.Expm1": bigExpm1,
	"math.Exp2": func(x *big.Float) *big.Float {
		if n, acc := x.Int64(); acc == big.Exact {
			return zero().SetMantExp(num(1), int(n)) // may be just halfway
		}
		return bigExp(zero().Mul(x, bigLogNear(num(2))))
	},
	"math.Log":  bigLog,
	"math.Log2": func(x *big.Float) *big.Float { y := bigLog(x); return y.Quo(y, bigLogNear(num(2))) },
	"math.Log1p": func(x *big.Float) *big.Float {
		if x.Cmp(num(-0.5)) > 0 && x.Cmp(num(1)) < 0 {
			return bigLog1p(x)
		}
		return bigLog(zero().Add(x, num(1))) // exact in 320 bits, or 1 does not matter
	},
	"math.Tanh": func(x *big.Float) *big.Float {
		e := bigExpm1(zero().Add(x, x))
		return zero().Quo(e, zero().Add(e, num(2)))
	},
	"math.Erf": bigErf,
}

// exact returns f of x, correctly rounded.
func exact(f *Func, x float64) float64 {
	r := f.Ref(x)
	switch abs := math.Abs(x); {
	case r != r, x == 0, math.IsInf(x, 0), math.IsInf(r, -1) && strings.HasPrefix(f.Name, "math.Log"), abs == 1 && f.Name == "math.Atanh":
		return r
	case abs > 7 && f.Name == "math.Erf", abs > 40 && f.Name == "math.Tanh", abs > 1200 && (strings.HasPrefix(f.Name, "math.Exp") || f.Name == "math.Sinh" || f.Name == "math.Cosh"):
		return r // beyond the limits, where the series lose their digits or take long
	}
	y, _ := bigs[f.Name](num(x)).Float64()
	return y
}

// TestBig checks the series against package math, which is good to a few ulp.
func TestBig(t *testing.T) {
	for name := range bigs {
		f := Lookup(name)
		for _, x := range []float64{1e-300, -1e-10, -0.3, 0.001, 0.69, 0.71, 1, 1.4, 3.7, 100, 1e300} {
			r := f.Ref(x)
			if d := distance(exact(f, x), r); d > 2 {
				t.Errorf("%s(%g): the series gives %x, package math %x", name, x, exact(f, x), r)
			}
		}
	}
}

const f64File = "testdata/f64.txt"

// f64Points returns inputs for f64.txt: in every function's critical places, and
// those of many on which f and package math differ most.
func f64Points(f *Func) []float64 {
	type point struct{ x, d float64 }
	var far []point
	for _, x := range points64(16) {
		if y := scalar64[f.Name](x); y == y {
			far = append(far, point{x, distance(y, f.Ref(x))})
		}
	}
	slices.SortStableFunc(far, func(a, b point) int {
		switch {
		case a.d > b.d:
			return -1
		case a.d < b.d:
			return 1
		}
		return 0
	})
	var out []float64
	for _, p := range far[:60] {
		out = append(out, p.x)
	}
	for _, p := range far[60:] {
		if len(out) < 120 && order(p.x)%97 == 0 {
			out = append(out, p.x)
		}
	}
	for _, s := range specials {
		for d := -1; d <= 1; d++ {
			out = append(out, math.Float64frombits(math.Float64bits(s)+uint64(d)))
		}
	}
	slices.SortFunc(out, func(a, b float64) int { return int(max(-1, min(1, order(a)-order(b)))) })
	return slices.CompactFunc(out, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// TestF64Table compares with results that math/big gave, rounded to float64. With
// TILESMITH_LONG=1 it computes them again.
func TestF64Table(t *testing.T) {
	if *update {
		var w strings.Builder
		w.WriteString("# Function, input, correctly rounded result: TestF64Table computes them with math/big.\n")
		for _, name := range Names() {
			if f := Lookup(name); bigs[name] != nil {
				for _, x := range f64Points(f) {
					if x == x {
						fmt.Fprintf(&w, "%s %x %x\n", name, x, exact(f, x))
					}
				}
			}
		}
		if err := os.WriteFile(f64File, []byte(w.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(f64File)
	if err != nil {
		t.Fatal(err)
	}
	most, at, n := map[string]float64{}, map[string]float64{}, map[string]int{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var name string
		var x, want float64
		if _, err := fmt.Sscan(line, &name, &x, &want); err != nil {
			t.Fatalf("%s: %q: %v", f64File, line, err)
		}
		f := Lookup(name)
		if long() && distance(exact(f, x), want) != 0 {
			t.Errorf("%s(%x) = %x, and the table says %x", name, x, exact(f, x), want)
		}
		n[name]++
		if d := judge(t, f, f.F64ULP, x, scalar64[name](x), want); d > most[name] {
			most[name], at[name] = d, x
		}
	}
	for name := range bigs {
		if n[name] < 200 {
			t.Errorf("%s has %d lines in %s", name, n[name], f64File)
		}
		t.Logf("%s: at most %v ulp, first at %x", name, most[name], at[name])
	}
}
