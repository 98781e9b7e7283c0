package simd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Kernels that take several k a step read and write words, of which these tests have their
// own idea: element q of a word are its bits from q*32/depth on.

// unsigned says of operators of 8 bits whether they take elements of A without a sign, and
// those of B.
var unsigned = map[gemm.Operator][2]bool{gemm.U8I8Dot: {true, false}, gemm.I8U8Dot: {false, true},
	gemm.U8I8Tiles: {true, false}, gemm.I8U8Tiles: {false, true}, gemm.U8U8Tiles: {true, true}, u8Dot: {true, true}, u8Square: {true, true}}

// elements appends those of a word, as kernels of an operator multiply them.
func elements(xs []float64, op gemm.Operator, ofA bool, word uint32) []float64 {
	of, depth := unsigned[op], gemm.DepthOf(op).K
	for q := range depth {
		x := word >> (32 / depth * q)
		switch {
		case op == gemm.BF16Dot, op == gemm.BF16Tiles, op == bf16Square:
			xs = append(xs, float64(math.Float32frombits(x<<16)))
		case depth == 2:
			xs = append(xs, float64(int16(x)))
		case ofA && of[0], !ofA && of[1]:
			xs = append(xs, float64(uint8(x)))
		default:
			xs = append(xs, float64(int8(x)))
		}
	}
	return xs
}

// narrow is the bits of a number of its own for each place, as an element of type t.
func narrow(t dtype.Type, seed, i, j int) uint32 {
	if t == dtype.TypeBF16 {
		return uint32(dtype.ToBF16(number(seed, i, j)).Bits())
	}
	h := uint32(seed)*0x9e3779b1 ^ uint32(i)*0x85ebca6b ^ uint32(j)*0xc2b2ae35
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>13) | 1 // no product vanishes
	return h & (1<<(8*t.Size()) - 1)
}

// words is a matrix of them, in a memory whose ends are exact.
type wordArray struct{ array }

func newWords(name string, lead, rows, cols, rs, cs int64) wordArray {
	return wordArray{newArray(name, emit.I32, lead, rows, cols, rs, cs)}
}

func (a wordArray) put(i, j int, x uint32) {
	if err := a.mem.Write(a.at(i, j), binary.LittleEndian.AppendUint32(nil, x)); err != nil {
		panic(err)
	}
}

func (a wordArray) fill(rows, cols int, f func(i, j int) uint32) {
	for i := range rows {
		for j := range cols {
			a.put(i, j, f(i, j))
		}
	}
}

// wants checks that exactly rows x cols words were written, or were there before, and are
// those of f.
func (a wordArray) wants(rows, cols int, f func(i, j int) uint32) error {
	inside := make([]bool, len(a.mem.Data))
	for i := range rows {
		for j := range cols {
			b, err := a.mem.Read(a.at(i, j), 4)
			if err != nil {
				return fmt.Errorf("word (%d, %d): %w", i, j, err)
			}
			if have, want := binary.LittleEndian.Uint32(b), f(i, j); have != want {
				return fmt.Errorf("%s(%d, %d) = %#x, want %#x", a.mem.Name, i, j, have, want)
			}
			for b := range int64(4) {
				inside[a.at(i, j)+b] = true
			}
		}
	}
	for b := range int64(len(a.mem.Data)) {
		if !inside[b] && a.mem.Undef[b/64]>>(b%64)&1 == 0 {
			return fmt.Errorf("byte %d of %s, outside the result, was written", b, a.mem.Name)
		}
	}
	return nil
}

// flipped is XORed with words of A: another number for each element.
const flipped = 0x80c05031

// wordMicro runs a micro-kernel and compares it with a plain loop.
func (m *Module) wordMicro(c call, f *emit.Func) error {
	op := m.Op
	rows, cols, head := c.mr*c.tiles, (c.nv-1)*c.vl+c.n, m.Head
	rsa, csa := int64(c.k+3)*4, int64(4)
	if c.aByColumns {
		rsa, csa = 4, int64(rows+2)*4
	}
	steps := c.k // of A, where it has more than one
	if c.aOnce {
		rsa, csa, steps = 8, 0, 1
	}
	wide := int64(c.nv * c.vl)
	a, b := newWords("A", 8, int64(rows), int64(steps), rsa, csa), newWords("B", 4, int64(head+c.k), wide, (wide+5)*4, 4)
	out := newWords("C", 12, int64(rows), int64(cols), int64(cols+c.vl+3)*4, 4)
	if c.mode == kernel.ModeStream {
		out = newWords("C", 0, int64(rows), int64(cols), int64(cols+c.vl)*4, 4)
	}
	word := func(t dtype.Type, seed, i, j int) (w uint32) {
		for q := range m.Depth {
			w |= narrow(t, seed, i, j*m.Depth+q) << (q * 32 / m.Depth)
		}
		return w
	}
	a.fill(rows, steps, func(i, s int) uint32 {
		if first := i / c.mr * c.mr; len(m.Of(kernel.ZipRows)) > 0 && (i-first)^1 < c.mr { // in pairs, but for a last row
			return word(m.A, 1, first+(i-first)/2*2+s%4/2, s/4*4+(i-first)%2*2+s%2)
		}
		return word(m.A, 1, i, s)
	})
	b.fill(head+c.k, int(wide), func(s, j int) uint32 {
		if s < head {
			return narrow(dtype.I32, 4, j, 0)
		}
		if s, j := s-head, j; len(m.Of(kernel.Zip)) > 0 {
			return word(m.B, 2, j/c.vl*c.vl+s%2*c.vl/2+j%c.vl/2, s/2*2+j%2)
		}
		return word(m.B, 2, j, s-head)
	})
	was := func(i, j int) uint32 {
		if m.Elem == dtype.F32 {
			return math.Float32bits(float32(number(3, i, j)))
		}
		return narrow(dtype.I32, 3, i, j)
	}
	if c.mode == kernel.ModeUpdate {
		out.fill(rows, cols, was)
	}
	machine := c.machine(a.array, b.array, out.array)
	if m.Elem == dtype.I32 {
		machine.Bind("alpha", emit.Word{Lane: []uint64{flipped}})
		machine.Bind("beta", emit.Word{Lane: []uint64{77}})
	}
	if err := machine.Run(f); err != nil {
		return err
	}
	if inst.TilesInUse(machine) {
		return errors.New("tiles are in use at the end")
	}
	xs, ys := make([][]float64, rows), make([][]float64, cols)
	for s := range c.k {
		for i := range xs {
			x := word(m.A, 1, i, min(s, steps-1))
			if flipsWords(op) {
				x ^= flipped
			}
			xs[i] = elements(xs[i], op, true, x)
		}
		for j := range ys {
			ys[j] = elements(ys[j], op, false, word(m.B, 2, j, s))
		}
	}
	return out.wants(rows, cols, func(i, j int) uint32 {
		sum := 0.0 // of a few products of 16 bits: exact
		for at, x := range xs[i] {
			sum += x * ys[j][at]
		}
		if m.Elem == dtype.I32 {
			bits := uint32(int64(sum))
			if head > 0 {
				bits += narrow(dtype.I32, 4, j, 0)
			}
			if c.mode == kernel.ModeUpdate {
				bits += was(i, j)
			}
			return bits
		}
		switch c.mode {
		case kernel.ModeScale:
			sum *= c.alpha
		case kernel.ModeUpdate:
			sum = sum*c.alpha + number(3, i, j)*c.beta
		}
		return math.Float32bits(float32(sum))
	})
}

// source is a matrix of narrow elements that is packed, in a memory whose ends are exact: rows
// x cols, element (i, j) of it narrow(t, 5, i, j), stride bytes from row to row.
func source(t dtype.Type, lead, rows, cols int, stride int64) array {
	e := map[int]emit.Elem{1: emit.I8, 2: emit.I16}[t.Size()]
	a := newArray("B", e, int64(lead), int64(rows), int64(cols), stride, int64(t.Size()))
	for i := range rows {
		for j := range cols {
			b := binary.LittleEndian.AppendUint32(nil, narrow(t, 5, i, j))
			if err := a.mem.Write(a.at(i, j), b[:t.Size()]); err != nil {
				panic(err)
			}
		}
	}
	return a
}

// made is the word of elements at(0), at(1) and so on of type t, widened with their sign, or
// without.
func (m *Module) made(t dtype.Type, at func(q int) uint32) (w uint32) {
	bits := 32 / m.Depth
	for q := range m.Depth {
		x := at(q)
		if t == dtype.I8 {
			x = uint32(int8(x))
		}
		w |= x & (1<<bits - 1) << (q * bits)
	}
	return w
}

// nothing is an operand that a kernel does not read.
func (c call) nothing() array { return newArray("A", emit.I32, 0, 0, 0, 1<<20, 1<<21) }

// wordRows runs a kernel that makes rows of words of rows of elements.
func (m *Module) wordRows(t dtype.Type, c call, f *emit.Func) error {
	cols, last := c.nv*c.vl, c.n
	if last < c.vl {
		cols = last
	}
	b := source(t, t.Size(), c.k*m.Depth, cols, int64((cols+7)*t.Size()))
	out := newWords("C", 0, int64(c.k), int64(c.nv*c.vl), int64(c.nv*c.vl+3)*4, 4)
	if err := c.machine(c.nothing(), b, out.array).Run(f); err != nil {
		return err
	}
	return out.wants(c.k, c.nv*c.vl, func(s, j int) uint32 {
		if j >= cols {
			return 0
		}
		return m.made(t, func(q int) uint32 { return narrow(t, 5, s*m.Depth+q, j) })
	})
}

// wordCols runs a kernel that transposes words of columns.
func (m *Module) wordCols(t dtype.Type, c call, f *emit.Func) error {
	b := source(t, t.Size(), c.n, c.k*m.Depth, int64((c.k*m.Depth+c.vl+1)*t.Size()))
	out := newWords("C", 4, int64(c.k), int64(c.vl), int64(c.vl+3)*4, 4)
	if err := c.machine(c.nothing(), b, out.array).Run(f); err != nil {
		return err
	}
	return out.wants(c.k, c.vl, func(s, j int) uint32 {
		return m.made(t, func(q int) uint32 { return narrow(t, 5, min(j, c.n-1), s*m.Depth+q) })
	})
}

// wordCopies runs a kernel that copies rows of words.
func (m *Module) wordCopies(t dtype.Type, c call, f *emit.Func) error {
	cols := (c.nv-1)*c.vl + c.n
	b := source(t, t.Size(), c.k, cols*m.Depth, int64((cols*m.Depth+5)*t.Size()))
	out := newWords("C", 0, int64(c.k), int64(c.nv*c.vl), int64(c.nv*c.vl+3)*4, 4)
	if err := c.machine(c.nothing(), b, out.array).Run(f); err != nil {
		return err
	}
	return out.wants(c.k, c.nv*c.vl, func(i, s int) uint32 {
		if s >= cols {
			return 0
		}
		return m.made(t, func(q int) uint32 { return narrow(t, 5, i, s*m.Depth+q) })
	})
}

// wordZip runs a kernel that brings words of pairs of rows together, in place.
func (m *Module) wordZip(c call, f *emit.Func) error {
	rows, wide := 2*c.k, c.nv*c.vl
	out := newWords("C", 4, int64(rows), int64(wide), int64(wide+3)*4, 4)
	out.fill(rows, wide, func(s, j int) uint32 { return narrow(dtype.I32, 6, s, j) })
	if err := c.machine(c.nothing(), c.nothing(), out.array).Run(f); err != nil {
		return err
	}
	return out.wants(rows, wide, func(s, j int) uint32 {
		return narrow(dtype.I32, 6, s/2*2+j%2, j/c.vl*c.vl+s%2*c.vl/2+j%c.vl/2)
	})
}

// wordZipRows runs a kernel that brings rows of A together, in place.
func (m *Module) wordZipRows(c call, f *emit.Func) error {
	rows, wide := 2*c.k, 4*c.n
	out := newWords("C", 4, int64(rows), int64(wide), int64(wide+3)*4, 4)
	out.fill(rows, wide, func(i, s int) uint32 { return narrow(dtype.I32, 6, i, s) })
	if err := c.machine(c.nothing(), c.nothing(), out.array).Run(f); err != nil {
		return err
	}
	return out.wants(rows, wide, func(i, s int) uint32 { return narrow(dtype.I32, 6, i/2*2+s%4/2, s/4*4+i%2*2+s%2) })
}

// wordKernels lists the functions of a module of words with their calls.
func (m *Module) wordKernels() []checked {
	byName := map[string]*emit.Func{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	base := call{elem: gemm.ElemOf(m.Elem), vl: m.VL}
	var out []checked
	for _, t := range m.Of(kernel.Tail) {
		c := base
		c.mr, c.nv = t.MR, t.NV
		if panel := m.Tile(kernel.Panel, t.MR, t.NV); panel != t.F {
			calls := microCalls(c, []int{m.VL})
			if m.Elem == dtype.F32 {
				c.n, c.k, c.tiles, c.mode = m.VL, 3, 2, kernel.ModeStream
				calls = append(calls, c)
			}
			out = append(out, checked{byName[panel], m.wordMicro, calls})
		}
		if m.Heights > 1 {
			out = append(out, checked{byName[t.F], m.wordMicro, tileCalls(c, m.Heights, m.VL)})
			continue
		}
		calls := microCalls(c, edges(m.VL))
		if vector.Lanewise(m.Target) { // whole vectors go another way in the kernel
			calls = append(calls, microCalls(c, []int{m.VL})...)
		}
		if m.AtOnce > 1 {
			for i := range calls {
				calls[i].k, calls[i].aByColumns = calls[i].k*m.AtOnce, false
			}
		}
		if _, ok := m.Op.(armDot); ok { // one word for all steps, as start values have it
			c.n, c.k, c.tiles, c.aOnce = m.VL, 5, 1, true
			calls = append(calls, c)
		}
		out = append(out, checked{byName[t.F], m.wordMicro, calls})
	}
	for _, z := range m.Of(kernel.Zip) {
		c := base
		c.mr, c.nv = 1, z.NV
		k := checked{f: byName[z.F], check: m.wordZip}
		for _, c.k = range []int{0, 1, 2, 5} {
			k.calls = append(k.calls, c)
		}
		out = append(out, k)
	}
	for _, z := range m.Of(kernel.ZipRows) {
		k := checked{f: byName[z.F], check: m.wordZipRows}
		for i := range 9 {
			c := base
			c.mr, c.nv, c.k, c.n = 1, 1, i/3*2, i%3
			k.calls = append(k.calls, c)
		}
		out = append(out, k)
	}
	pack := func(t dtype.Type, p *kernel.Table[string]) {
		of := func(check func(dtype.Type, call, *emit.Func) error) func(call, *emit.Func) error {
			return func(c call, f *emit.Func) error { return check(t, c, f) }
		}
		rows := p.Of(kernel.Panel)
		for j, row := range rows {
			c := base
			widest := len(rows) - 1
			c.nv = j%widest + 1
			ns := []int{m.VL}
			if j == widest {
				ns = edges(m.VL)
			}
			k := checked{f: byName[row.F], check: of(m.wordRows)}
			for _, c.n = range ns {
				for _, c.k = range []int{0, 1, 2, 5} {
					k.calls = append(k.calls, c)
				}
			}
			out = append(out, k)
		}
		for j, row := range p.Of(kernel.Copy) {
			c := base
			c.nv = j + 1
			k := checked{f: byName[row.F], check: of(m.wordCopies)}
			for _, c.n = range edges(m.VL) {
				for _, c.k = range []int{0, 1, 2, 5} {
					k.calls = append(k.calls, c)
				}
			}
			out = append(out, k)
		}
		k := checked{f: byName[p.One(kernel.Columns)], check: of(m.wordCols)}
		c := base
		for _, c.n = range upTo(m.VL) {
			for _, c.k = range packDepths(m.VL, c.n) {
				k.calls = append(k.calls, c)
			}
		}
		out = append(out, k)
	}
	pack(m.B, &m.Pack)
	if m.PackA != nil {
		pack(m.A, m.PackA)
	}
	return out
}

// tileCalls are calls of a kernel on tiles: each height that it is for, all widths, and steps
// of 16 words, in all modes.
func tileCalls(c call, heights, vl int) (calls []call) {
	most := c.mr
	first := (most-1)/heights*heights + 1
	add := func(i int) {
		c.k, c.tiles = []int{16, 32, 0, 48}[i%4], 1+i/2%2
		c.mode = []int{kernel.ModeStore, kernel.ModeUpdate, kernel.ModeScale}[i%3]
		if c.elem == emit.I32 && c.mode == kernel.ModeScale {
			c.mode = kernel.ModeUpdate
		}
		c.alpha, c.beta = 1.5, -0.25
		calls = append(calls, c)
	}
	for c.mr = first; c.mr <= most; c.mr++ {
		if !level.Long() && c.mr != first && c.mr != most && c.mr != first+6 {
			continue
		}
		for _, c.n = range edges(vl) {
			for i := range 12 {
				if level.Long() || (c.mr*7+c.n*5+i)%4 == 0 && i < 8 {
					add(i)
				}
			}
		}
	}
	return calls
}

// wordSpecs are all products that read words.
var wordSpecs = []spec{
	gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "BF16", Targets: []emit.Target{amd64.AMXBF16, amd64.AVX512BF16, arm64.NEONBF16}},
	gemm.Spec[uint8, int8, int32, int32]{Name: "U8I8"}, // AMXINT8 is one of its targets
	gemm.Spec[int8, uint8, int32, int32]{Name: "I8U8"},
	gemm.Spec[int8, int16, int32, int32]{Name: "I8I16"},
	gemm.Spec[int16, uint8, int32, int32]{Name: "I16U8"},
	gemm.Spec[int8, int8, int32, int32]{Name: "I8", Targets: []emit.Target{amd64.AMXINT8}},
	gemm.Spec[uint8, uint8, int32, int32]{Name: "U8", Targets: []emit.Target{amd64.AMXINT8}},
}

// Every function of the modules against plain loops, on every target.
func TestWords(t *testing.T) {
	for i, s := range wordSpecs {
		if level.Of(i >= 1, false, false) { // the others differ in what packs, and in one instruction
			continue
		}
		for _, target := range gemmtest.Targets(t, s.Describe().Targets) {
			t.Run(s.Describe().Name+"/"+target.Name, func(t *testing.T) {
				t.Parallel()
				m := lower(t, s, target)
				ks := m.wordKernels()
				if len(ks) != len(m.Funcs) {
					t.Errorf("the module has %d functions, and %d are listed in its tables", len(m.Funcs), len(ks))
				}
				for _, k := range ks {
					k.calls = some(k.calls)
					if err := k.run(k.f); err != nil {
						t.Errorf("%s: %v", k.f.Name, err)
					}
				}
			})
		}
	}
}
