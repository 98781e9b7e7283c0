package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tilesmith/tilesmith/internal/testenv"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Equation is the operation of operators that are computed together. Outs are the steps that it stores. The
// oracle computes all elements of each step before the next, and rounds them to its type.
//
// On small integers it wants the bits of the steps, if all are strict. On random numbers the result must lie in the hull of
// what the steps give if each is off by what it may. It also tries NaN and infinities, gaps and
// strides along columns. A call takes operands by step, and outputs by -1 for the first, -2, ...
type Equation struct {
	Steps []Step
	Outs  []int
}

// A Step is one operator of an equation, on its own. Ops are
//
//   - Operand
//   - Map, also a conversion, whose function rounds
//   - RowSum, RowMax, RowMin, RowProd and ColSum, ColMax, ColMin, ColProd
//   - Words, the random words of a stream
//   - Rows and Cols, how many there are; Row and Column, the number of each
//   - Bit, 1 where its argument is not 0, else 0
//   - MatMul of its arguments, and MatMulT by the transpose of the second
type Step struct {
	Name     string
	Op       string
	Row, Col bool // there is an element for each row, for each column
	Bits     bool // an operand that is stored with a bit for each element
	Type     dtype.Type
	Args     []int // steps before this one
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

// equation is one problem of an equation.
type equation struct {
	*Problem
	Equation
	number  int // of the problem
	draw    func(r *rand.Rand) float64
	step    int               // along columns
	numbers map[int][]float64 // of operands, by step
	inexact bool              // some sum is not of small integers
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
func (p *equation) width(space int) int {
	if space == 0 {
		return p.N
	}
	return equationShapes[(p.number+5*space)%len(equationShapes)][1]
}

// size is how many rows and columns what a step computes has.
func (p *equation) size(s *Step) (rows, cols int) {
	rows, cols = p.M, p.width(s.Space)
	if s.Factor {
		rows = p.width(s.Rows)
	}
	return rows, cols
}

// count is how many elements a step has.
func (p *equation) count(s *Step) int {
	rows, cols := p.size(s)
	switch {
	case s.Row && s.Col:
		return rows * cols
	case s.Row:
		return rows
	case s.Col:
		return cols
	}
	return 1
}

// operand makes the memory of an operand, whose numbers it draws, or of an output.
func (p *equation) operand(slot int) *operand {
	at := slot
	if slot < 0 {
		at = p.Outs[-1-slot]
	}
	s := &p.Steps[at]
	rows, width := p.size(s)
	var o *operand
	switch n := p.count(s); {
	case s.Bits || s.Op == "Bit":
		width = (width + 7) / 8
		o = p.memory(dtype.U8, rows, width, width*p.step+p.pad, p.step)
	case s.Row && s.Col:
		o = p.memory(s.Type, rows, width, width*p.step+p.pad, p.step)
	default:
		o = p.memory(s.Type, 1, n, n, 1)
	}
	switch {
	case slot < 0 && s.Op == "Bit":
		p.bitsEnd(slot, p.result(-slot, o), p.width(s.Space))
	case slot < 0:
		p.result(-slot, o)
	default:
		for i := range o.elems.size() { // and gaps
			o.store(i, 77)
		}
		x := make([]float64, p.count(s))
		if s.Bits {
			p.bits(o, p.width(s.Space), x)
		} else {
			for e := range x {
				o.set(e/o.cols, e%o.cols, p.draw(p.rng))
				x[e] = o.at(e/o.cols, e%o.cols)
			}
		}
		p.numbers[slot] = x
	}
	return o
}

// bits draws an operand of bits. Bits are set that belong to no element.
func (p *equation) bits(o *operand, width int, x []float64) {
	for i := range o.rows {
		for j := range o.cols {
			b := 0xff
			for k := range min(8, width-8*j) {
				if p.rng.IntN(2) == 1 {
					x[i*width+8*j+k] = 1
				} else {
					b &^= 1 << k
				}
			}
			o.set(i, j, float64(b))
		}
	}
}

// bitsEnd wants an output of bits to have none that belong to no element.
func (p *equation) bitsEnd(slot int, o *operand, width int) {
	if width%8 == 0 {
		return
	}
	p.intact = append(p.intact, func() error {
		for i := range o.rows {
			if v := uint8(o.at(i, o.cols-1)); v>>(width%8) != 0 {
				return fmt.Errorf("output %d: row %d ends with byte %08b, whose bits beyond %d columns are to be 0", -slot, i, v, width)
			}
		}
		return nil
	})
}

// left is what a call left in an output.
func (p *equation) left(slot int, s *Step) []float64 {
	o, x := p.slot(slot), make([]float64, p.count(s))
	for e := range x {
		if s.Op == "Bit" {
			width := p.width(s.Space)
			i, j := e/width, e%width
			x[e] = float64(uint8(o.at(i, j/8)) >> (j % 8) & 1)
		} else {
			x[e] = o.at(e/o.cols, e%o.cols)
		}
	}
	return x
}

// roundSum rounds to a type that sums have.
func roundSum(t dtype.Type, x float64) float64 {
	if t == dtype.F32 {
		return float64(float32(x))
	}
	return x
}

// evaluate computes all steps, one after the other. shift moves what a step may be off by:
// -1, 0 or 1 of it.
func (p *equation) evaluate(exact bool, shift func(step, e int) float64) [][]float64 {
	v := make([][]float64, len(p.Steps))
	for s, st := range p.Steps {
		x := make([]float64, p.count(&st))
		width := p.width(st.Space)
		arg := func(a, e int) float64 {
			of := p.Steps[a]
			i, j := e, 0
			switch {
			case st.Row && st.Col:
				i, j = e/width, e%width
			case st.Col:
				i, j = 0, e
			}
			switch {
			case of.Row && of.Col:
				return v[a][i*width+j]
			case of.Row:
				return v[a][i]
			case of.Col:
				return v[a][j]
			}
			return v[a][0]
		}
		switch st.Op {
		case "Operand":
			x = p.numbers[s]
		case "Rows":
			x[0] = roundSum(st.Type, float64(p.M))
		case "Cols":
			x[0] = roundSum(st.Type, float64(width))
		case "Words":
			ld := (width + 3) / 4 * 4
			for e := range x {
				x[e] = equationWords(p.Stream, uint64(e/width*ld+e%width))
			}
		case "Column", "Row":
			for e := range x {
				x[e] = float64(e)
			}
		case "Bit":
			for e, a := range v[st.Args[0]] {
				if a != 0 {
					x[e] = 1
				}
			}
		case "Map":
			args := make([]float64, len(st.Args))
			for e := range x {
				for i, a := range st.Args {
					args[i] = arg(a, e)
					if t := p.Steps[a].Type; !exact && !st.Strict && ulpOf(t, 1) < 1 { // as if some products within it were not rounded
						args[i] += shift(s, e) * 4 * ulpOf(t, args[i])
					}
				}
				x[e] = st.F(args)
				if off := st.ULP; !exact && !st.Strict {
					x[e] += shift(s, e) * (off + 1) * ulpOf(st.Type, x[e])
				}
			}
		case "MatMul", "MatMulT":
			p.multiply(st, v[st.Args[0]], v[st.Args[1]], x, exact, func(e int) float64 { return shift(s, e) })
		default:
			p.reduce(st, v[st.Args[0]], x, exact, func(e int) float64 { return shift(s, e) })
		}
		v[s] = x
	}
	return v
}

// foldOf is the arithmetic of a reduction. The largest or smallest of numbers with a NaN is NaN.
func foldOf(st Step) Arithmetic {
	switch st.Op[len("Row"):] {
	case "Max":
		return Arithmetic{Zero: -inf, Plus: func(x, y float64) float64 { return max(x, y) }}
	case "Min":
		most := inf
		if st.Type == dtype.I32 {
			most = math.MaxInt32
		}
		return Arithmetic{Zero: most, Plus: func(x, y float64) float64 { return min(x, y) }}
	case "Prod":
		return Arithmetic{Zero: 1, Plus: func(x, y float64) float64 { return x * y }}
	}
	return Arithmetic{}
}

// reduce computes a reduction of all of a step.
func (p *equation) reduce(st Step, of, x []float64, exact bool, shift func(e int) float64) {
	width := p.width(p.Steps[st.Args[0]].Space)
	groups, along, stride, next := p.M, width, 1, width // of a matrix by rows
	if st.Op[:len("Row")] == "Col" {
		groups, along, stride, next = width, p.M, width, 1
	}
	if !st.Row && !st.Col {
		groups, along, stride = 1, len(of), 1
	}
	fold, y := foldOf(st), make([]float64, along)
	for g := range groups {
		for k := range y {
			y[k] = of[g*next+k*stride]
		}
		t := fold.fold(nil, y)
		if fold.Plus != nil {
			if t.abs = 0; fold.Zero == 1 { // others are exact
				t.abs = math.Abs(t.sum)
			}
		}
		x[g] = p.rounded(st, t, wholeNumbers(y), exact, func() float64 { return shift(g) })
	}
}

// multiply computes a product of a, by rows of k numbers, and b or its transpose.
func (p *equation) multiply(st Step, a, b, x []float64, exact bool, shift func(e int) float64) {
	k, n := p.width(p.Steps[st.Args[0]].Space), p.width(st.Space)
	atK, atN := n, 1
	if st.Op == "MatMulT" {
		atK, atN = 1, k
	}
	fold, y := Arithmetic{}, make([]float64, k)
	for e := range x {
		i, j := e/n, e%n
		for l := range y {
			y[l] = b[l*atK+j*atN]
		}
		row := a[i*k:][:k]
		t := fold.fold(row, y)
		if st.Type == dtype.I32 {
			x[e] = toSum(st.Type, t.sum) // wraps around
			continue
		}
		x[e] = p.rounded(st, t, wholeNumbers(row) && wholeNumbers(y), exact, func() float64 { return shift(e) })
	}
}

// rounded is a sum as a step has it. It may be off by a unit for each addition, in whatever order its terms are added, unless
// it is a small whole number.
func (p *equation) rounded(st Step, t total, whole, exact bool, shift func() float64) float64 {
	p.inexact = p.inexact || t.abs > 0 && !(whole && t.abs < 1<<23)
	if t.abs > 0 && !math.IsInf(t.abs, 0) && !exact {
		t.sum += shift() * float64(t.roundings) * ulpOf(st.Type, 1) / 2 * t.abs
	}
	return roundSum(st.Type, t.sum)
}

// wholeNumbers reports whether all of x are, which infinities count as.
func wholeNumbers(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != math.Trunc(v) })
}

// equationShapes are of rows and columns: none, one, and around what kernels do at once.
var equationShapes = [][2]int{{0, 3}, {3, 0}, {1, 1}, {2, 2}, {3, 3}, {1, 4}, {2, 7}, {5, 8}, {3, 9}, {2, 15}, {4, 16}, {2, 17}, {3, 31}, {1, 32}, {2, 33}, {2, 63}, {2, 64}, {3, 65}, {1, 127}, {2, 128}, {1, 129}, {70, 3}, {131, 40}, {2, 1000}, {310, 3}}

func (op Equation) problems(c *Case, yield func(name string, p *Problem, err error) bool) {
	strict := !slices.ContainsFunc(op.Steps, func(s Step) bool { return s.Op == "Map" && !s.Strict })
	draws := []struct {
		name string
		draw func(r *rand.Rand) float64
	}{
		{"integers", func(r *rand.Rand) float64 { return float64(r.IntN(9) - 3) }},
		{"random", func(r *rand.Rand) float64 { return r.NormFloat64() }},
		{"nonfinite", func(r *rand.Rand) float64 {
			if n := r.IntN(24); n < 3 {
				return []float64{nan, inf, -inf}[n]
			}
			return r.NormFloat64()
		}},
	}
	for k, shape := range equationShapes {
		if brief() && k%3 != 0 {
			continue
		}
		for d, draw := range draws {
			p := &equation{Equation: op, number: k, draw: draw.draw, step: 1 + (k+d)%7/6, numbers: map[int][]float64{}, Problem: &Problem{
				M: shape[0], N: shape[1], c: c, rng: rand.New(testenv.PCG(uint64(k), uint64(d))), slots: map[int]*operand{},
				pad: []int{0, 5}[k%2], guarded: true, turn: 3*k + d, Stream: [3]uint64{uint64(k) << 31, uint64(d) + 7, uint64(4*k) + 1<<34 - 16},
			}}
			p.make = p.operand
			p.look = func() error { return p.judge(strict && d == 0) }
			if !yield(fmt.Sprintf("%d x %d, %s", shape[0], shape[1], draw.name), p.Problem, nil) {
				return
			}
		}
	}
}

// judge compares what a call left.
func (p *equation) judge(exact bool) error {
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
	for o, s := range p.Outs {
		for e, h := range p.left(-1-o, &p.Steps[s]) {
			lo, hi, odd := inf, -inf, false
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
				wide = (hi-lo)/2 + ulpOf(p.Steps[s].Type, w)
			}
			if !(lo-wide <= h && h <= hi+wide) {
				return fmt.Errorf("output %d, element %d is %v, want %v, or from %v to %v", o+1, e, h, w, lo-wide, hi+wide)
			}
		}
	}
	return nil
}
