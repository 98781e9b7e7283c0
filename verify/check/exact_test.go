package check

import (
	"fmt"
	"math"
	"strings"
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
	op, c := bare[float32]([]float64{2.5}, []float64{1})
	if _, err := op.integers(c, Shape{1, 1, 1 << 23}); err == nil {
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
	op, c := bare[T](scales, scales)
	p, err := op.integers(c, Shape{4, 4, 1025})
	if err != nil {
		t.Fatal(err)
	}
	row := arrangements[0]
	product := op.of(c, p, call{la: row, lb: row, lo: row, alpha: 2.5, beta: -1})
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
			old := T(-p.c[i*p.N+j])
			for how, have := range map[string]T{
				"forward": 2.5*forward + old, "alpha on b": folded + old, "backward on c": back, "tree": 2.5*tree(0, p.K) + old,
			} {
				if want := c.total(product, i, j).sum; float64(have) != want {
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
	op, c := bare[T](scales, scales)
	v, err := op.integers(c, Shape{9, 11, 13})
	if err != nil {
		t.Fatal(err)
	}
	row := arrangements[0]
	for _, alpha := range scales {
		for _, beta := range scales {
			p := op.of(c, v, call{la: row, lb: row, lo: row, alpha: alpha, beta: beta})
			have := p.slots[0]
			for i := range p.M {
				for j := range p.N {
					have.set(i, j, c.total(p, i, j).sum)
				}
			}
			if err := p.look(); err != nil {
				t.Errorf("the plain loop refuses its own result: %v", err)
			}
			if err := op.freivalds(c, p, v); err != nil {
				t.Errorf("alpha=%v beta=%v: a right result is refused: %v", alpha, beta, err)
			}
			for e := range p.M * p.N {
				i, j := e/p.N, e%p.N
				right := have.at(i, j)
				at := fmt.Sprintf("element (%d, %d): ", i, j)
				for shift := -1; shift < precision[T](); shift++ {
					have.set(i, j, right+math.Ldexp(1, shift))
					if err := op.freivalds(c, p, v); have.at(i, j) != right && (err == nil || !strings.Contains(err.Error(), at)) {
						t.Errorf("element %d changed by 2^%d: %v", e, shift, err)
					}
				}
				for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.25} {
					have.set(i, j, x)
					if op.freivalds(c, p, v) == nil {
						t.Errorf("element %d is %v and passes", e, x)
					}
				}
				have.set(i, j, right)
			}
		}
	}
}
