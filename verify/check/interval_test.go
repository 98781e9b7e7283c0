package check

import (
	"math"
	"math/big"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

func TestGammaIsAnUpperBound(t *testing.T) {
	for _, p := range []int{24, 53} {
		for _, n := range []int64{0, 1, 2, 3, 1000, 1 << 20} {
			nu := new(big.Rat).SetFrac64(n, 1<<p)
			want := new(big.Rat).Quo(nu, new(big.Rat).Sub(big.NewRat(1, 1), nu))
			have := gamma(float64(n), p)
			if new(big.Rat).SetFloat64(have).Cmp(want) < 0 {
				t.Errorf("gamma(%d, %d) = %v is below %v", n, p, have, want.FloatString(30))
			}
			if w, _ := want.Float64(); have > w*(1+1e-14)+1e-300 {
				t.Errorf("gamma(%d, %d) = %v is far above %v", n, p, have, w)
			}
		}
		if !math.IsInf(gamma(math.Ldexp(1, p), p), 1) {
			t.Errorf("gamma(2^%d) is finite", p)
		}
	}
}

// TestReference compares the reference with rational arithmetic.
func TestReference(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) { referenceIsRight[float32](t) })
	t.Run("type=f64", func(t *testing.T) { referenceIsRight[float64](t) })
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func referenceIsRight[T dtype.Float](t *testing.T) {
	op, c := bare[T](nil, nil)
	typ := dtype.Of[T]()
	for i, f := range fillsOf(typ, typ, false) {
		s := Shape{3, 4, 131}
		p := random(c, s, f, uint64(i))
		sums := op.refer(c, p)
		if err := crossCheck(p, sums); err != nil {
			t.Error(err)
		}
		for e, r := range sums {
			sum, abs := new(big.Rat), new(big.Rat)
			for l := range s.K {
				x := new(big.Rat).Mul(rat(p.a[e/s.N*s.K+l]), rat(p.b[l*s.N+e%s.N]))
				sum.Add(sum, x)
				abs.Add(abs, x.Abs(x))
			}
			if rat(r.abs).Cmp(abs) < 0 {
				t.Errorf("fill=%s element %d: sum of |a||b| is %v, rounded down", f.name, e, r.abs)
			}
			d := new(big.Rat).Sub(rat(r.acc), sum)
			if d.Abs(d).Cmp(rat(r.err)) > 0 {
				off, _ := d.Float64()
				t.Errorf("fill=%s element %d: off by %v, claimed %v", f.name, e, off, r.err)
			}
			// It must be of use: far better than a kernel.
			if kernel := gamma(float64(s.K), precision[T]()) * r.abs; r.err > kernel/50 {
				t.Errorf("fill=%s element %d: the reference is known to %v, a kernel to %v", f.name, e, r.err, kernel)
			}
			for _, alpha := range []float64{0, 1, -1, 2.5} {
				for _, beta := range []float64{0, 1, -1, 2.5} {
					want := new(big.Rat).Mul(sum, rat(alpha))
					want.Add(want, new(big.Rat).Mul(rat(beta), rat(p.c[e])))
					v, _ := want.Float64()
					if in, _ := op.bound(c, &r, s.K, p.c[e], alpha, beta); !(in.lo <= float64(T(v)) && float64(T(v)) <= in.hi) {
						t.Errorf("fill=%s element %d alpha=%v beta=%v: the best result %v is outside %v", f.name, e, alpha, beta, T(v), in)
					}
				}
			}
		}
	}
}

func TestCrossCheckNoticesAWrongReference(t *testing.T) {
	op, c := bare[float64](nil, nil)
	p := random(c, Shape{3, 4, 50}, fillsOf(dtype.F64, dtype.F64, false)[0], 1)
	sums := op.refer(c, p)
	sums[7].acc *= 1 + 1e-13
	if crossCheck(p, sums) == nil {
		t.Error("an error of 1e-13 passes")
	}
}

func TestRoundedIsHalfAnUlp(t *testing.T) {
	x := float64(float32(1.1))
	in := interval{x + 1e-9, x + 2e-9}.rounded(dtype.F32)
	if in.lo != x || in.hi != x {
		t.Errorf("an interval next to a float32 rounds to %v, want that float32", in)
	}
	if in := (interval{x + 1e-9, x + 2e-9}).maybeRounded(dtype.F32); in.lo != x || in.hi != x+2e-9 {
		t.Errorf("maybeRounded: %v", in)
	}
	for _, s := range []float64{-2.5, -1, 0, 2.5} {
		in := interval{-1, 3}.scale(s)
		if !(in.lo < -1*s && in.lo < 3*s && in.hi > -1*s && in.hi > 3*s) {
			t.Errorf("[-1, 3] * %v = %v is not outward", s, in)
		}
	}
}

// TestFusedEpilogues puts every way to evaluate the epilogue inside the bound.
func TestFusedEpilogues(t *testing.T) {
	s := Shape{20, 30, 1} // k = 1: the bound is at its narrowest
	op, c := bare[float32](nil, nil)
	for i, f := range fillsOf(dtype.F32, dtype.F32, false) {
		p := random(c, s, f, uint64(i))
		for e, r := range op.refer(c, p) {
			a, b, old := float32(p.a[e/s.N]), float32(p.b[e%s.N]), float32(p.c[e])
			acc := a * b
			fma := func(x, y, z float32) float32 { // rounded once but for ties, which float64 may miss
				return float32(math.FMA(float64(x), float64(y), float64(z)))
			}
			for how, have := range map[string]float32{
				"separate":   float32(2.5*acc) + float32(-1.5*old),
				"fma(acc)":   fma(2.5, acc, float32(-1.5*old)),
				"fma(c)":     fma(-1.5, old, float32(2.5*acc)),
				"alpha on a": fma(float32(2.5*a), b, float32(-1.5*old)),
				"alpha on b": float32(a*float32(2.5*b)) + float32(-1.5*old),
			} {
				if in, _ := op.bound(c, &r, 1, p.c[e], 2.5, -1.5); !(in.lo <= float64(have) && float64(have) <= in.hi) {
					t.Errorf("fill=%s %s: %v is outside %v", f.name, how, have, in)
				}
			}
		}
	}
}
