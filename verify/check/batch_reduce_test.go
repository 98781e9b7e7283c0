package check

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// plainReduce is a sum over blocks by a plain loop, with a mistake or without one.
type plainReduce struct {
	s       BlockShape
	count   int
	mistake string
}

func (p plainReduce) call(alpha, beta float64, out layout.Matrix[float32], a, b Blocks[float32]) {
	s := p.s
	refuse := func(bad bool) {
		switch {
		case bad && p.mistake == "breaks where it should refuse":
			_ = make([]int, s.M)[s.M]
		case bad && p.mistake != "checks nothing":
			panic(layout.ShapeError{What: "plain", Why: "refused"})
		}
	}
	starts := func(x Blocks[float32], size int) (list [][]float32) {
		refuse(x.List != nil && (x.At != nil || x.Data != nil) || x.At != nil && x.Stride|x.Count != 0)
		if x.List != nil {
			for _, l := range x.List {
				refuse(len(l) < size)
			}
			return x.List
		}
		at := x.At
		refuse(x.Count < 0 || x.Count > 1<<20 || x.Stride < 0)
		for i := range min(x.Count, 100) {
			if at == nil || i > 0 {
				at = append(at, i*x.Stride)
			}
		}
		for _, i := range at {
			refuse(i < 0 || i > len(x.Data)-size)
			if i >= 0 && i <= len(x.Data)-size {
				list = append(list, x.Data[i:i+size])
			}
		}
		return list
	}
	as, bs := starts(a, s.sizeA()), starts(b, s.sizeB())
	refuse((a.Rows|a.Cols|a.Ld != 0) != s.Open || b.Rows|b.Cols|b.Ld != 0 || s.Open && (a.Rows != s.M || a.Cols != s.K || a.Ld != s.LdA))
	refuse(len(as) != len(bs) || p.count >= 0 && len(as) != p.count || out.Rows != s.M || out.Cols != s.N || out.RowStride != s.LdC || len(out.Data) < s.sizeC())
	for _, x := range append(append([][]float32(nil), as...), bs...) {
		if p.mistake != "shares" {
			refuse(&x[0] == &out.Data[0] || overlapping(x[:s.sizeA()], out.Data[:s.sizeC()]))
		}
	}
	if alpha == 0 {
		as = nil
	}
	if p.mistake == "forgets the last block" && len(as) > 1 {
		as = as[:len(as)-1]
	}
	for i := range s.M {
		for j := range s.N {
			sum := 0.0
			for t := range as {
				for k := range s.K {
					sum += float64(as[t][s.atA(i, k)]) * float64(bs[t][s.atB(k, j)])
				}
			}
			c := &out.Data[i*s.LdC+j]
			old := 0.0
			if beta != 0 || p.mistake == "reads what is not there" {
				old = beta * float64(*c)
			}
			*c = float32(alpha*sum + old)
		}
	}
	if p.mistake == "writes a gap" {
		out.Data[s.N] = 1
	}
}

// overlapping reports whether two slices of one array share an element.
func overlapping(x, y []float32) bool {
	for i := range y {
		if &y[i] == &x[0] || &y[i] == &x[len(x)-1] {
			return true
		}
	}
	return &x[0] == &y[0]
}

// A right kernel passes, and wrong ones are caught.
func TestBatchReduce(t *testing.T) {
	s := BlockShape{Shape: Shape{3, 3, 3}, LdA: 3, LdB: 3, LdC: 5}
	for _, mistake := range []string{"", "forgets the last block", "reads what is not there", "writes a gap", "checks nothing", "breaks where it should refuse", "shares"} {
		r := &Recorder{}
		c := Case{Name: "plain", A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Slots: []Slot{{Type: dtype.F32, Out: true}}, Op: BatchReduce{Of: s, Count: -1}, Call: func(p *Problem) {
			plainReduce{s, -1, mistake}.call(real(p.Alpha), real(p.Beta), Get[layout.Matrix[float32]](p, 0), Get[Blocks[float32]](p, A), Get[Blocks[float32]](p, B))
		}}
		Run(r, func(int) Case { return c })
		if have := strings.Join(r.Failures, "\n"); (have == "") != (mistake == "") {
			t.Errorf("%q: %s", mistake, have)
		}
	}
}
