package check

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// listed is an operation whose problems are 1 x 1 products, or errors.
type listed struct {
	names []string
	err   error
}

func (op listed) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	for _, name := range op.names {
		p := c.operands(c.problem(Shape{1, 1, 1}, 1, true), false, false)
		if !yield(name, p, op.err) {
			return
		}
	}
}

func (op listed) timed(*Case, any, int, bool) (*Problem, error) { return nil, op.err }

// Run goes on after failures, names the groups of problems, and wants some to be made.
func TestRunOfProblems(t *testing.T) {
	for _, x := range []struct {
		op   listed
		want []string
	}{
		{listed{}, []string{"c: no problem was made"}},
		{listed{[]string{"x"}, errors.New("not held")}, []string{"c: no problem was made"}},
		{listed{[]string{"x", "g=1/y", "g=1/z", "g=2/h/v", "w"}, nil}, []string{"c x", "g=1: c y", "g=1: c z"}},
		{listed{[]string{"g=1/y", "g=2/h/v", "w"}, nil}, []string{"g=1: c y", "g=2/h: c v", "c w"}},
	} {
		var r Recorder
		Run(&r, func(int) Case {
			f := dtype.F64
			return Case{Name: "c", A: f, B: f, Acc: f, Slots: []Slot{{Type: f, Out: true}}, Op: x.op, Call: func(*Problem) { panic("always") }}
		})
		have := slices.Clone(r.Failures)
		for i := range have {
			have[i], _, _ = strings.Cut(have[i], ": panic")
		}
		if !slices.Equal(have, x.want) {
			t.Errorf("%q: %q, want %q", x.op.names, have, x.want)
		}
	}
}

// A group that is not selected is left out, and the next is tried.
func TestRunOfGroups(t *testing.T) {
	var tried []string
	skip := &selective{t}
	grouped(skip, func(yield func(string, func(TB, string)) bool) {
		for _, name := range []string{"no/a", "no/b", "yes/c", "d"} {
			if !yield(name, func(_ TB, name string) { tried = append(tried, name) }) {
				return
			}
		}
	})
	if fmt.Sprint(tried) != "[c d]" {
		t.Errorf("tried %v", tried)
	}
}

// selective runs no group "no".
type selective struct{ *testing.T }

func (s *selective) Run(name string, f func(*testing.T)) bool {
	if name != "no" {
		f(s.T)
	}
	return true
}

// A product of a semiring that writes nothing, or breaks where it should refuse, is found.
func TestSemiring(t *testing.T) {
	s := semiring.MinPlus[float64]()
	op := Semiring{Depths: []int{1}}
	for i := range semiring.SampleRows {
		for j := range semiring.SampleCols {
			op.Sums = append(op.Sums, math.Float64bits(semiring.SampleA(i, 0)+semiring.SampleB(0, j)))
		}
	}
	for _, x := range [][2]string{
		{"", ""}, {"idle", "tabulated sums of 1 products: with 2 threads the result"}, {"breaks", "alpha and beta: not a refusal but a panic: runtime error"},
		{"says", "alpha and beta: not a refusal but a panic: no alpha"}, {"takes alpha", "alpha and beta: no panic"},
	} {
		var r Recorder
		Run(&r, func(threads int) Case {
			return Case{Name: "loop", A: dtype.F64, B: dtype.F64, Acc: dtype.F64, MR: 2, NR: 4, KC: 8, Slots: []Slot{{Type: dtype.F64, Out: true}}, Op: op, Arithmetic: ArithmeticOf(s, 0),
				Call: func(p *Problem) {
					switch alpha := int(real(p.Alpha)); {
					case x[0] == "takes alpha":
					case x[0] == "breaks":
						_ = make([]int, 2)[alpha]
					case x[0] == "says" && alpha != 1:
						panic("no alpha")
					case alpha != 1:
						panic(errors.New("no alpha"))
					}
					if x[0] == "idle" && threads > 1 {
						return
					}
					matrix := Get[layout.Matrix[float64]]
					a, b, out := matrix(p, A), matrix(p, B), matrix(p, 0)
					for i := range out.Rows {
						for j := range out.Cols {
							sum := s.Zero
							for k := range a.Cols {
								sum = s.Plus(sum, s.Times(a.At(i, k), b.At(k, j)))
							}
							out.Set(i, j, sum)
						}
					}
				}}
		})
		if first := strings.Join(r.Failures[:min(len(r.Failures), 1)], ""); !strings.Contains(first, x[1]) || (first == "") != (x[1] == "") {
			t.Errorf("%q: %q, want %q", x[0], first, x[1])
		}
	}
}
