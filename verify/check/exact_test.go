package check

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

func TestRadiusIsExactAndTight(t *testing.T) {
	for _, p := range []int{24, 53} {
		for _, k := range []float64{0, 1, 2, 17, 1024, 100003} {
			for _, x := range []struct{ alpha, beta, den float64 }{{1, 0, 1}, {1, 1, 1}, {2.5, 2.5, 2}, {0, 2.5, 2}, {1, 200, 4}} {
				r := float64(radius(k, x.alpha, x.beta, x.den, p))
				size := func(r float64) float64 { return x.den * (x.alpha*k*r*r + x.beta*r) }
				limit := math.Ldexp(1, p)
				if size(r) > limit {
					t.Errorf("p=%d k=%v %+v: r=%v gives %v > 2^%d", p, k, x, r, size(r), p)
				}
				if next := r + 1; r < 1<<26 && x.den*(max(x.alpha, 1)*max(k, 1)*next*next+x.beta*next) <= limit {
					t.Errorf("p=%d k=%v %+v: r=%v, but %v would do", p, k, x, r, next)
				}
			}
		}
	}
	if _, err := bare[float32]([]float64{2.5}, []float64{1}).integers(Shape{1, 1, 1 << 23}); err == nil {
		t.Error("k = 2^23 in float32 with alpha = 2.5: no error, but even ones round")
	}
}

// TestAnyOrderIsExact sums a row forwards, backwards and in pairs, with alpha
// before, between and after.
func TestAnyOrderIsExact(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) { anyOrder[float32](t) })
	t.Run("type=f64", func(t *testing.T) { anyOrder[float64](t) })
}

func anyOrder[T dtype.Float](t *testing.T) {
	scales := []float64{2.5, -1}
	p, err := bare[T](scales, scales).integers(Shape{4, 4, 1025})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.M {
		for j := range p.N {
			term := func(l int) (T, T) { return T(p.a[i*p.K+l]), T(p.b[l*p.N+j]) }
			var forward, folded T
			back := T(-p.c[i*p.N+j])
			var tree func(lo, hi int) T
			tree = func(lo, hi int) T {
				if hi-lo == 1 {
					x, y := term(lo)
					return x * y
				}
				return tree(lo, (lo+hi)/2) + tree((lo+hi)/2, hi)
			}
			for l := range p.K {
				x, y := term(l)
				forward += x * y
				folded += x * (2.5 * y)
				x, y = term(p.K - 1 - l)
				back += 2.5 * x * y
			}
			c := T(-p.c[i*p.N+j])
			for how, have := range map[string]T{
				"forward": 2.5*forward + c, "alpha on b": folded + c, "backward on c": back, "tree": 2.5*tree(0, p.K) + c,
			} {
				sums := make([]float64, p.N)
				p.sums(i, sums)
				if want := 2.5*sums[j] - p.c[i*p.N+j]; float64(have) != want {
					t.Errorf("%s: element (%d, %d) is %v, want %v", how, i, j, have, want)
				}
			}
		}
	}
}

// TestFreivalds changes single elements of right results by every power of two.
func TestFreivalds(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) { freivaldsCatches[float32](t) })
	t.Run("type=f64", func(t *testing.T) { freivaldsCatches[float64](t) })
}

func freivaldsCatches[T dtype.Float](t *testing.T) {
	scales := []float64{0, 1, -1, 2.5}
	r := bare[T](scales, scales)
	p, err := r.integers(Shape{9, 11, 13})
	if err != nil {
		t.Fatal(err)
	}
	for _, alpha := range scales {
		for _, beta := range scales {
			c := call{alpha: alpha, beta: beta}
			have := make([]float64, p.M*p.N)
			sums := make([]float64, p.N)
			for i := range p.M {
				p.sums(i, sums)
				for j, v := range sums {
					have[i*p.N+j] = alpha*v + beta*p.c[i*p.N+j]
				}
			}
			if err := r.exactly(p, c)(have); err != nil {
				t.Errorf("the plain loop refuses its own result: %v", err)
			}
			if err := r.freivalds(p, c, have); err != nil {
				t.Errorf("alpha=%v beta=%v: a right result is refused: %v", alpha, beta, err)
			}
			for e, right := range have {
				for shift := -1; shift < precision[T](); shift++ {
					have[e] = float64(T(right + math.Ldexp(1, shift)))
					if err, ok := r.freivalds(p, c, have).(*mismatch); have[e] != right && (!ok || err.i*p.N+err.j != e) {
						t.Errorf("element %d changed by 2^%d: %v", e, shift, err)
					}
				}
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.25} {
					have[e] = v
					if r.freivalds(p, c, have) == nil {
						t.Errorf("element %d is %v and passes", e, v)
					}
				}
				have[e] = right
			}
		}
	}
}
