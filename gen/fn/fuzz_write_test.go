package fn

import (
	"fmt"
	"go/token"
	"math/rand/v2"
	"strings"
)

// writer writes Go functions that compile, from bytes that make its choices; when
// they run out, choices are random, or the simplest if nothing is.
type writer struct {
	in     []byte
	rnd    *rand.Rand      // nil: nothing is
	vars   []variable      // visible scalars
	fixed  []variable      // visible, with a value that never changes
	mine   map[string]bool // names declared in the block being written
	arrays []array
	loops  []loop
	funcs  []signature // that may be called
	next   int
	size   int    // what may still be written
	out    []Type // of the function being written
	named  bool
	labels []*label
}

type array struct {
	name string
	t    Type
	n    int
}

type loop struct {
	name string // of an int that is known when the loop is unrolled
	n    int    // it is less
}

type label struct {
	name string
	used bool
}

type signature struct {
	name    string
	in, out []Type
}

var writtenTypes = []Type{Float32, Float64, Float32, Int32, Float32, Float64, Float32, Bool, Int64, Uint8, Int16, Uint32, Int8, Uint64, Uint16}

// writerPrelude stands before what a writer wrote.
const writerPrelude = `package fuzzed

import (
	"math"
	"math/bits"
)

const (
	third  = 1.0 / 3
	tiny   = 1e-40
	huge   = 1 << 62
	bits7  = 1<<7 - 1
	eighth float32 = 0.125
)

var (
	codes   = [16]float32{1, -2, 0.5, 3e38, 0, -7, 100, 1e-40, 4, 5, 6, 7, 8, 9, 10, 11}
	offsets = [...]int32{-5, 1 << 30, 7, 0, -1 << 31, 12, 3, 2, 1, 99}
	narrow  = [5]uint8{255, 0, 3, 7, 128}
	far     = [8]float64{1e300, -1, 0, 2.5, 1.0 / 3, 4, 5, -1e-300}
)

type pair struct {
	a float32
	b int32
	c [2]float64
}

func number[T float32 | float64](x T) T {
	if x != x {
		return 0
	}
	return x
}

func clip[T float32 | float64 | int32 | int64](x, lo, hi T) T {
	switch {
	case x < lo:
		return lo
	case x > hi:
		return hi
	}
	return x
}

func pick[T any](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}

func ordered[T float32 | float64 | int32 | uint8](x, y T) (lo, hi T) {
	lo, hi = x, y
	if x > y {
		lo, hi = hi, lo
	}
	return
}

func scale[T float32 | float64](x T) T {
	switch x := any(x).(type) {
	case float32:
		return T(x * eighth)
	case float64:
		return T(x * third)
	}
	return x
}

func lerp[T float32 | float64](x, y, w T) T { return x + w*(y-x) }

func dot3(a, b [3]float32) (s float32) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

var _, _ = math.Pi, bits.UintSize

`

func (w *writer) byte() int {
	switch {
	case len(w.in) > 0:
	case w.rnd != nil:
		return w.rnd.IntN(256)
	default:
		return 0
	}
	b := w.in[0]
	w.in = w.in[1:]
	return int(b)
}

// newWriter takes seed for what follows the bytes, 0 for nothing random.
func newWriter(in []byte, seed uint64) *writer {
	if seed == 0 {
		return &writer{in: in}
	}
	return &writer{in: in, rnd: rand.New(rand.NewPCG(seed, 0))}
}

// n returns a number below n.
func (w *writer) n(n int) int { return w.byte() % n }

func (w *writer) oneOf(list ...string) string { return list[w.n(len(list))] }

func (w *writer) typ() Type { return writtenTypes[w.n(len(writtenTypes))] }

func (w *writer) floatType() Type { return []Type{Float32, Float64}[w.n(2)] }

// file writes some functions, f the last, which may call the others.
func (w *writer) file() string {
	text := writerPrelude
	for i := range w.n(3) {
		text += w.function(fmt.Sprintf("h%d", i), 14)
	}
	return text + w.function("f", []int{50, 20, 150}[w.n(3)])
}

func (w *writer) function(name string, size int) string {
	*w = writer{in: w.in, rnd: w.rnd, funcs: w.funcs, size: size, mine: map[string]bool{}}
	s := signature{name: name}
	var params, results []string
	for i := range 1 + w.n(5) {
		t := w.typ()
		if i > 0 && i < 3 && s.in[0].Float() { // so that they can meet
			t = s.in[0]
		}
		s.in = append(s.in, t)
		w.vars, w.mine[fmt.Sprintf("p%d", i)] = append(w.vars, variable{fmt.Sprintf("p%d", i), t}), true
		params = append(params, fmt.Sprintf("p%d %v", i, t))
	}
	w.named = w.n(4) == 3
	for i := range 1 + w.n(6)/4 {
		t := w.typ()
		s.out = append(s.out, t)
		if w.named {
			w.vars = append(w.vars, variable{fmt.Sprintf("r%d", i), t})
			results = append(results, fmt.Sprintf("r%d %v", i, t))
		} else {
			results = append(results, t.String())
		}
	}
	w.out = s.out
	body := w.block(3, "\t")
	w.funcs = append(w.funcs, s)
	return fmt.Sprintf("func %s(%s) (%s) {\n%s}\n\n", name, strings.Join(params, ", "), strings.Join(results, ", "), body)
}

func (w *writer) ret(indent string) string {
	if w.named && w.n(3) == 2 {
		return indent + "return\n"
	}
	for _, s := range w.funcs { // return g()
		if len(w.out) > 1 && fmt.Sprint(s.out) == fmt.Sprint(w.out) && w.n(4) == 3 {
			return fmt.Sprintf("%sreturn %s\n", indent, w.callOf(s, 1))
		}
	}
	var list []string
	for _, t := range w.out {
		list = append(list, w.result(t))
	}
	return fmt.Sprintf("%sreturn %s\n", indent, strings.Join(list, ", "))
}

// result is an expression whose last step may be inexact.
func (w *writer) result(t Type) string {
	if t.Float() && w.n(10) == 9 {
		f := w.oneOf("Exp", "Exp2", "Expm1", "Log", "Log1p", "Log2", "Tanh", "Erf", "Erfc")
		return fmt.Sprintf("%v(math.%s(float64(%s)))", t, f, w.expr(t, 3))
	}
	return w.expr(t, 4)
}

// block writes statements; what they declare is visible to its end.
func (w *writer) block(depth int, indent string) string {
	vars, fixed, arrays, loops := len(w.vars), len(w.fixed), len(w.arrays), len(w.loops)
	defer func() {
		w.vars, w.fixed, w.arrays, w.loops = w.vars[:vars], w.fixed[:fixed], w.arrays[:arrays], w.loops[:loops]
	}()
	var b strings.Builder
	for range w.n(5) + depth/3*w.n(6) { // more at the top
		if w.size <= 0 {
			break
		}
		b.WriteString(w.stmt(depth, indent))
	}
	if depth == 3 { // the result is written where everything is visible
		b.WriteString(w.ret(indent))
	}
	return b.String()
}

// fresh returns a name for a variable; it may shadow one from outside of the block.
func (w *writer) fresh() string {
	w.next++
	name := fmt.Sprintf("v%d", w.next)
	if w.n(4) == 3 && len(w.vars) > 0 {
		if v := w.vars[w.n(len(w.vars))].name; !w.mine[v] && token.IsIdentifier(v) && v[0] != 'r' {
			name = v
		}
	}
	return name
}

// declared makes a scalar visible, in place of one that it shadows, and uses it, as
// Go demands.
func (w *writer) declared(name string, t Type, indent string) string {
	for i := range w.vars {
		if w.vars[i].name == name {
			w.vars[i].t = Invalid
		}
	}
	w.vars, w.mine[name] = append(w.vars, variable{name, t}), true
	return fmt.Sprintf("%s_ = %s\n", indent, name)
}

// scope writes a block, after which all variables are as before it: one that was
// shadowed comes back.
func (w *writer) scope(depth int, indent string) string {
	vars, mine := append([]variable(nil), w.vars...), w.mine
	defer func() { w.vars, w.mine = vars, mine }()
	w.mine = map[string]bool{}
	return w.block(depth-1, indent)
}

func (w *writer) callOf(s signature, depth int) string {
	var args []string
	for _, t := range s.in {
		args = append(args, w.right(t, depth))
	}
	return fmt.Sprintf("%s(%s)", s.name, strings.Join(args, ", "))
}

// settable returns what a value of type t may be assigned to, "" if nothing.
func (w *writer) settable(t Type) string {
	if w.n(3) == 2 {
		for _, a := range w.arrays {
			if a.t == t {
				return fmt.Sprintf("%s[%s]", a.name, w.index(a.n))
			}
		}
	}
	var list []string
	for _, v := range w.vars {
		if v.t == t {
			list = append(list, v.name)
		}
	}
	if list == nil {
		return "_"
	}
	return w.oneOf(list...)
}

// index returns an index below n that is known when loops are unrolled.
func (w *writer) index(n int) string {
	for _, l := range w.loops {
		if l.n <= n && w.n(2) == 1 {
			return l.name
		}
	}
	return fmt.Sprint(w.n(n))
}
