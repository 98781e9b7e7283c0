package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// EquationStep is one operator of an equation, on its own. The oracle computes all elements of
// each step before the next, and rounds them to its type.
type EquationStep struct {
	Name string
	Kind EquationKind
	Has  EquationShape
	Type dtype.Type
	Args []int // steps before this one
	// Space says which width of an equation with products its columns have. Factor says that it is the
	// second factor of a product; its rows then have the width Rows.
	Space, Rows int
	Factor      bool
	// F is the operator's function, of numbers of the types of its arguments. ULP is its error in
	// units of the result's last place, and Strict says that it has exactly Go's bits.
	F      func(x []float64) float64
	ULP    float64
	Strict bool
}

// EquationKind says what a step does.
type EquationKind uint8

// The kinds.
const (
	EquationOperand EquationKind = iota
	EquationMap                  // also a conversion, whose function rounds
	EquationRowSum
	EquationRowMax
	EquationRowMin
	EquationColSum
	EquationColMax
	EquationColMin
	EquationRowProd
	EquationColProd
	EquationWords // random words of a stream
	EquationRows
	EquationCols
	EquationColumn  // the number of the column
	EquationRow     // of the row
	EquationBit     // 1 where its argument is not 0, else 0
	EquationMatMul  // of its arguments
	EquationMatMulT // by the transpose
)

// EquationShape says what a step has elements for.
type EquationShape uint8

// The shapes.
const (
	EquationFull EquationShape = iota
	EquationPerRow
	EquationPerColumn
	EquationScalar
)

// EquationCase is a generated equation under test. Outs are the steps that it stores.
type EquationCase struct {
	Name  string
	Steps []EquationStep
	Outs  []int
	// Call runs the equation on p. It takes p's operands by step from [EquationMatrix],
	// [EquationSlice] and [EquationValue], and its outputs by -1 for the first, -2, ...
	Call func(p *EquationProblem)
}

// EquationProblem is one call of an equation.
type EquationProblem struct {
	M, N    int
	Stream  [3]uint64 // seed, number and first word of the random ones
	c       *EquationCase
	number  int // of the problem
	rng     *rand.Rand
	draw    func(r *rand.Rand) float64
	pad     int
	cols    int // stride along columns
	right   bool
	numbers map[int][]float64        // of operands, by step
	have    map[int]func() []float64 // of outputs, by step -1-i
	intact  []func() error
	closers []func() error
	inexact bool // some sum is not of small integers
}

// equationWords are Philox's, written once more for the oracle: by the round, of 64 bits.
func equationWords(stream [3]uint64, i uint64) float64 {
	block := (stream[2] + i) / 4
	c := [4]uint32{uint32(block), uint32(block >> 32), uint32(stream[1]), uint32(stream[1] >> 32)}
	k := [2]uint32{uint32(stream[0]), uint32(stream[0] >> 32)}
	for range 10 {
		p, q := uint64(0xd2511f53)*uint64(c[0]), uint64(0xcd9e8d57)*uint64(c[2])
		c = [4]uint32{uint32(q>>32) ^ c[1] ^ k[0], uint32(q), uint32(p>>32) ^ c[3] ^ k[1], uint32(p)}
		k[0], k[1] = k[0]+0x9e3779b9, k[1]+0xbb67ae85
	}
	return float64(int32(c[i%4]))
}

// width is how many columns matrices of a space have.
func (p *EquationProblem) width(space int) int {
	if space == 0 {
		return p.N
	}
	return equationShapes[(p.number+5*space)%len(equationShapes)][1]
}

// step is a step by the number that the functions below have: of outputs it is negative.
func (p *EquationProblem) step(s int) *EquationStep {
	if s < 0 {
		s = p.c.Outs[-1-s]
	}
	return &p.c.Steps[s]
}

// size is how many rows and columns what a step computes has.
func (p *EquationProblem) size(s *EquationStep) (rows, cols int) {
	rows, cols = p.M, p.width(s.Space)
	if s.Factor {
		rows = p.width(s.Rows)
	}
	return rows, cols
}

// count is how many elements a step has.
func (p *EquationProblem) count(s *EquationStep) int {
	rows, cols := p.size(s)
	switch s.Has {
	case EquationFull:
		return rows * cols
	case EquationPerRow:
		return rows
	case EquationPerColumn:
		return cols
	}
	return 1
}

// EquationMatrix returns a matrix of p: an operand by its step, an output by -1 and on.
func EquationMatrix[T dtype.Elem](p *EquationProblem, step int) layout.Matrix[T] {
	rows, width := p.size(p.step(step))
	cols := p.cols
	ld := width*cols + p.pad
	n := 0
	if rows > 0 && width > 0 {
		n = (rows-1)*ld + (width-1)*cols + 1
	}
	m := layout.Matrix[T]{Data: equationMemory[T](p, n), Rows: rows, Cols: width, RowStride: ld, ColStride: cols}
	equationFill(p, step, m.Data, func(e int) int { return e/width*ld + e%width*cols }, rows*width)
	return m
}

// EquationSlice is EquationMatrix for a step with one element for each row or column.
func EquationSlice[T dtype.Elem](p *EquationProblem, step int, perRow bool) []T {
	n := p.M
	if !perRow {
		_, n = p.size(p.step(step))
	}
	s := equationMemory[T](p, n)
	equationFill(p, step, s, func(e int) int { return e }, n)
	return s
}

// EquationValue is EquationMatrix for a step with one element.
func EquationValue[T dtype.Elem](p *EquationProblem, step int) *T {
	s := equationMemory[T](p, 1)
	equationFill(p, step, s, func(e int) int { return e }, 1)
	return &s[0]
}

// equationMemory are n elements beside an inaccessible page.
func equationMemory[T dtype.Elem](p *EquationProblem, n int) []T {
	g, err := NewGuard[T](max(n, 1))
	if err != nil {
		return make([]T, n)
	}
	p.intact, p.closers = append(p.intact, g.Check), append(p.closers, g.Close)
	if p.right {
		return g.Right(n)
	}
	return g.Left(n)
}

// equationFill draws the numbers of an operand, or makes an output ready: its gaps must stay as they are.
func equationFill[T dtype.Elem](p *EquationProblem, step int, data []T, at func(e int) int, n int) {
	for i := range data {
		data[i] = toElem[T](77) // in gaps, and in outputs
	}
	if step >= 0 {
		x := make([]float64, n)
		for e := range n {
			v := toElem[T](p.draw(p.rng))
			data[at(e)], x[e] = v, Float64(v)
		}
		p.numbers[step] = x
		return
	}
	in := map[int]bool{}
	for e := range n {
		in[at(e)] = true
	}
	p.intact = append(p.intact, func() error {
		for i, v := range data {
			if !in[i] && Float64(v) != 77 {
				return fmt.Errorf("output %d: element %d of its memory, in a gap, was written", -step, i)
			}
		}
		return nil
	})
	p.have[step] = func() []float64 {
		x := make([]float64, n)
		for e := range n {
			x[e] = Float64(data[at(e)])
		}
		return x
	}
}

// EquationElem is x as a T: what an oracle's function hands to a Go function.
func EquationElem[T dtype.Elem](x float64) T { return toElem[T](x) }

// ulpOf is Ulp of a type that is a value.
func ulpOf(t dtype.Type, x float64) float64 {
	bits, least := numberFormat(t)
	return ulpIn(bits, least, x)
}

// roundTo rounds to a type that sums have.
func roundTo(t dtype.Type, x float64) float64 {
	if t == dtype.F32 {
		return float64(float32(x))
	}
	return x
}

// evaluate computes all steps, one after the other. shift moves what a step may be off by:
// -1, 0 or 1 of it.
func (p *EquationProblem) evaluate(exact bool, shift func(step, e int) float64) [][]float64 {
	v := make([][]float64, len(p.c.Steps))
	for s, st := range p.c.Steps {
		x := make([]float64, p.count(&st))
		width := p.width(st.Space)
		arg := func(a, e int) float64 {
			of := p.c.Steps[a].Has
			i, j := e, 0
			switch st.Has {
			case EquationFull:
				i, j = e/width, e%width
			case EquationPerColumn:
				i, j = 0, e
			}
			switch of {
			case EquationFull:
				return v[a][i*width+j]
			case EquationPerRow:
				return v[a][i]
			case EquationPerColumn:
				return v[a][j]
			}
			return v[a][0]
		}
		switch st.Kind {
		case EquationOperand:
			x = p.numbers[s]
		case EquationRows:
			x[0] = roundTo(st.Type, float64(p.M))
		case EquationCols:
			x[0] = roundTo(st.Type, float64(width))
		case EquationWords:
			ld := (width + 3) / 4 * 4
			for e := range x {
				x[e] = equationWords(p.Stream, uint64(e/width*ld+e%width))
			}
		case EquationColumn, EquationRow:
			for e := range x {
				x[e] = float64(e)
			}
		case EquationBit:
			for e, a := range v[st.Args[0]] {
				if a != 0 {
					x[e] = 1
				}
			}
		case EquationMap:
			args := make([]float64, len(st.Args))
			for e := range x {
				for i, a := range st.Args {
					args[i] = arg(a, e)
					if t := p.c.Steps[a].Type; !exact && !st.Strict && ulpOf(t, 1) < 1 { // as if some products within it were not rounded
						args[i] += shift(s, e) * 4 * ulpOf(t, args[i])
					}
				}
				x[e] = st.F(args)
				if off := st.ULP; !exact && !st.Strict {
					x[e] += shift(s, e) * (off + 1) * ulpOf(st.Type, x[e])
				}
			}
		case EquationMatMul, EquationMatMulT:
			p.multiply(st, v[st.Args[0]], v[st.Args[1]], x, exact, func(e int) float64 { return shift(s, e) })
		default:
			p.reduce(st, v[st.Args[0]], x, exact, func(e int) float64 { return shift(s, e) })
		}
		v[s] = x
	}
	return v
}

// reduce computes a reduction of x.
func (p *EquationProblem) reduce(st EquationStep, of, x []float64, exact bool, shift func(e int) float64) {
	row := st.Kind == EquationRowSum || st.Kind == EquationRowMax || st.Kind == EquationRowMin || st.Kind == EquationRowProd
	width := p.width(p.c.Steps[st.Args[0]].Space)
	groups, along, stride, next := p.M, width, 1, width // of a matrix by rows
	if !row {
		groups, along, stride, next = width, p.M, width, 1
	}
	if st.Has == EquationScalar {
		groups, along, stride = 1, len(of), 1
	}
	for g := range groups {
		sum, abs, whole := 0.0, 0.0, true
		switch st.Kind {
		case EquationRowMax, EquationColMax:
			sum = math.Inf(-1)
		case EquationRowMin, EquationColMin:
			sum = math.Inf(1)
			if st.Type == dtype.I32 {
				sum = math.MaxInt32
			}
		case EquationRowProd, EquationColProd:
			sum = 1
		}
		for k := range along {
			v := of[g*next+k*stride]
			switch st.Kind {
			case EquationRowSum, EquationColSum:
				sum, abs = sum+v, abs+math.Abs(v)
				whole = whole && v == math.Trunc(v) && abs < 1<<23
			case EquationRowProd, EquationColProd:
				sum *= v
				abs = math.Abs(sum)
				whole = whole && v == math.Trunc(v) && abs < 1<<23
			case EquationRowMax, EquationColMax:
				sum = max(sum, v)
			default:
				sum = min(sum, v)
			}
		}
		p.inexact = p.inexact || abs > 0 && !whole
		if abs > 0 && !exact {
			sum += shift(g) * float64(along) * ulpOf(st.Type, 1) / 2 * abs
		}
		x[g] = roundTo(st.Type, sum)
	}
}

// equationShapes are of rows and columns: none, one, and around what kernels do at once.
var equationShapes = [][2]int{{0, 3}, {3, 0}, {1, 1}, {2, 2}, {3, 3}, {1, 4}, {2, 7}, {5, 8}, {3, 9}, {2, 15}, {4, 16}, {2, 17}, {3, 31}, {1, 32}, {2, 33}, {2, 63}, {2, 64}, {3, 65}, {1, 127}, {2, 128}, {1, 129}, {70, 3}, {131, 40}, {2, 1000}, {310, 3}}

// Equation checks an equation against its steps one by one. On small integers it wants the
// bits of the steps, if all are strict. On random numbers the result must lie in the hull of
// what the steps give if each is off by what it may. It also tries NaN and infinities, gaps,
// strides along columns, and inaccessible pages around all operands. It wants the same bits
// for any number of threads, with which it calls of.
func Equation(t TB, of func(threads int) EquationCase) {
	t.Helper()
	c := of(1)
	strict := !slices.ContainsFunc(c.Steps, func(s EquationStep) bool { return s.Kind == EquationMap && !s.Strict })
	draws := []struct {
		name string
		draw func(r *rand.Rand) float64
	}{
		{"integers", func(r *rand.Rand) float64 { return float64(r.IntN(9) - 3) }},
		{"random", func(r *rand.Rand) float64 { return r.NormFloat64() }},
		{"nonfinite", func(r *rand.Rand) float64 {
			switch r.IntN(24) {
			case 0:
				return math.NaN()
			case 1:
				return math.Inf(1)
			case 2:
				return math.Inf(-1)
			}
			return r.NormFloat64()
		}},
	}
	failures := 0
	for k, shape := range equationShapes {
		if brief() && k%3 != 0 {
			continue
		}
		for d, draw := range draws {
			p := func(threads int) *EquationProblem {
				case1 := of(threads)
				return &EquationProblem{M: shape[0], N: shape[1], c: &case1, number: k, rng: rand.New(testenv.PCG(uint64(k), uint64(d))), draw: draw.draw,
					pad: []int{0, 5}[k%2], cols: 1 + (k+d)%7/6, right: k%3 != 0, numbers: map[int][]float64{}, have: map[int]func() []float64{},
					Stream: [3]uint64{uint64(k) << 31, uint64(d) + 7, uint64(4*k) + 1<<34 - 16}}
			}
			one, err := p(1).judge(strict && d == 0)
			if err == nil && k%5 == 0 {
				many, err2 := p(3).judge(strict && d == 0)
				if err = err2; err == nil && !equalBits(one, many) {
					err = fmt.Errorf("three threads give other bits than one")
				}
			}
			if err != nil {
				t.Errorf("%s: %d x %d, %s: %v", c.Name, shape[0], shape[1], draw.name, err)
				if failures++; failures == maxFailures {
					return
				}
			}
		}
	}
}

func equalBits(x, y [][]float64) bool {
	return slices.EqualFunc(x, y, func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(x, y float64) bool { return x == y || x != x && y != y })
	})
}

// judge calls the equation and compares what it left.
func (p *EquationProblem) judge(exact bool) (have [][]float64, err error) {
	defer func() {
		for _, c := range p.closers {
			c()
		}
	}()
	p.c.Call(p)
	for _, f := range p.intact {
		if err := f(); err != nil {
			return nil, err
		}
	}
	want := p.evaluate(exact, func(int, int) float64 { return 0 })
	trials := [][][]float64{want}
	exact = exact && !p.inexact
	if !exact {
		r := rand.New(testenv.PCG(5, 6))
		for trial := range 8 {
			by := func(int, int) float64 { return float64(2*trial - 1) }
			if trial > 1 {
				by = func(step, e int) float64 { return float64(r.IntN(3) - 1) }
			}
			trials = append(trials, p.evaluate(false, by))
		}
	}
	for o, s := range p.c.Outs {
		x := p.have[-1-o]()
		have = append(have, x)
		for e, h := range x {
			lo, hi, odd := math.Inf(1), math.Inf(-1), false
			for _, tr := range trials {
				v := tr[s][e]
				if math.IsNaN(v) || math.IsInf(v, 0) {
					odd = odd || v == h || v != v && h != h
					continue
				}
				lo, hi = min(lo, v), max(hi, v)
			}
			w := want[s][e]
			if odd {
				continue
			}
			wide := 0.0
			if !exact {
				wide = (hi-lo)/2 + ulpOf(p.c.Steps[s].Type, w)
			}
			if !(lo-wide <= h && h <= hi+wide) {
				return have, fmt.Errorf("output %d, element %d is %v, want %v, or from %v to %v", o+1, e, h, w, lo-wide, hi+wide)
			}
		}
	}
	return have, nil
}
