package nn

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
)

// TestAdam compares three steps with the algorithm as the paper has it.
func TestAdam(t *testing.T) {
	p := NewParam[float64]("p", 1, 2, 0, 0)
	p.Decay = .1
	copy(p.Value.Data, []float64{1, -2})
	a := NewAdam([]*Param[float64]{p}, .01)
	want, m, v := []float64{1, -2}, []float64{0, 0}, []float64{0, 0}
	for step := 1; step <= 3; step++ {
		for k := range want {
			p.Grad.Data[k] = float64(step*(k+1)) - 2.5
			g := p.Grad.Data[k] + .1*want[k]
			m[k], v[k] = .9*m[k]+.1*g, .999*v[k]+.001*g*g
			mean, square := m[k]/(1-math.Pow(.9, float64(step))), v[k]/(1-math.Pow(.999, float64(step)))
			want[k] -= .01 * mean / (math.Sqrt(square) + 1e-8)
		}
		a.Update([]*Param[float64]{p})
		if d := cmp.Diff(want, p.Value.Data, cmpopts.EquateApprox(1e-13, 0)); d != "" {
			t.Errorf("step %d: (-want +got)\n%s", step, d)
		}
	}
}

func TestLogSoftmax(t *testing.T) {
	for _, c := range []struct{ in, want []float64 }{
		{[]float64{0, 0}, []float64{-math.Ln2, -math.Ln2}},
		{[]float64{1e4, 1e4 + math.Log(3)}, []float64{-math.Log(4), math.Log(.75)}}, // exp(1e4) is infinite
		{[]float64{-1e300, 0}, []float64{-1e300, 0}},
		{[]float64{7}, []float64{0}},
	} {
		got := make([]float64, len(c.in))
		LogSoftmax(got, c.in)
		if d := cmp.Diff(c.want, got, cmpopts.EquateApprox(1e-12, 1e-15)); d != "" {
			t.Errorf("of %v: (-want +got)\n%s", c.in, d)
		}
	}
}

func TestCrossEntropy(t *testing.T) {
	logits := layout.RowMajor([]float64{0, math.Log(3), 5, 5, 2, 1}, 3, 2)
	d := layout.RowMajor([]float64{9, 9, 9, 9, 9, 9}, 3, 2)
	s := CrossEntropy(d, logits, []int{1, 0, 1}, []int{0, 2})
	// Node 0 has 3/4 for its class, node 2 1/(1+e); node 1 is not asked about.
	e := math.E / (1 + math.E)
	want := Score{Loss: (math.Log(4./3) + math.Log(1+math.E)) / 2, Accuracy: .5}
	if diff := cmp.Diff(want, s, cmpopts.EquateApprox(1e-13, 0)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]float64{.125, -.125, 0, 0, e / 2, -e / 2}, d.Data, cmpopts.EquateApprox(1e-13, 0)); diff != "" {
		t.Errorf("gradient: (-want +got)\n%s", diff)
	}
}

func TestEdges(t *testing.T) {
	// 0 - 1 - 2, and a link from 0 to itself whose value is not 1.
	path, err := sparse.FromCOO(3, 3, []int{0, 0, 1, 1, 2}, []int{0, 1, 0, 2, 1}, []float64{5, 1, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	self, err := WithSelf(path)
	if err != nil {
		t.Fatal(err)
	}
	r := 1 / math.Sqrt(6)
	for _, c := range []struct {
		name string
		got  sparse.Matrix[float64]
		want []float64
	}{
		{"with self", self, []float64{1, 1, 0, 1, 1, 1, 0, 1, 1}},
		{"normalised", Normalised(self), []float64{.5, r, 0, r, 1. / 3, r, 0, r, .5}},
		{"mean", Mean(path), []float64{.5, .5, 0, .5, 0, .5, 0, 1, 0}},
	} {
		if d := cmp.Diff(c.want, c.got.ToDense().Data, cmpopts.EquateApprox(1e-14, 0)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, d)
		}
	}
	e := NewEdges(path)
	e.Set([]float64{1, 2, 3, 4, 5})
	e.UpdateTranspose()
	if !e.Back.Equal(e.To.Transpose()) || e.To.At(1, 2) != 4 {
		t.Errorf("after Set and Turn: %v and, transposed, %v", e.To.ToDense(), e.Back.ToDense())
	}
}

// TestGlorot: first values depend on the seed and the place of a parameter, are within their limit and reach near it.
func TestGlorot(t *testing.T) {
	of := func(seed uint64) []*Param[float32] {
		p := []*Param[float32]{NewParam[float32]("a", 50, 4, 50, 4), NewParam[float32]("b", 1, 4, 0, 0), NewParam[float32]("c", 50, 4, 50, 4)}
		Glorot(p, seed)
		return p
	}
	p, again, other := of(1), of(1), of(2)
	if d := cmp.Diff(p, again); d != "" {
		t.Errorf("of one seed: %s", d)
	}
	if cmp.Equal(p[0].Value, p[2].Value) || cmp.Equal(p[0].Value, other[0].Value) {
		t.Error("two parameters, or two seeds, have the same values")
	}
	limit, largest := math.Sqrt(6./54), 0.0
	for _, v := range p[0].Value.Data {
		largest = max(largest, math.Abs(float64(v)))
	}
	if largest > limit || largest < .95*limit || p[1].Value.Data[0] != 0 {
		t.Errorf("the largest is %v of at most %v; a bias begins at %v", largest, limit, p[1].Value.Data[0])
	}
}
