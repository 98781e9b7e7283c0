package emu

import (
	"fmt"
	"math"
	"sync"
)

// mma.sync (ISA 9.7.14.5). The ISA leaves the order and the rounding of sums open.
// Here d = c + a·b is summed with k ascending. Each product is exact, and each sum is
// rounded to the type of the accumulator. If that is .f16, sums are in single precision
// and the last is rounded once. A GPU gives other last bits.

// An mmaShape is m x n x k and how its operands lie in registers.
type mmaShape struct {
	m, n, k int
	per     int // elements of A and B in a register
	// a, b and d are where the elements of a lane lie: row*k+col, k*n+col, row*n+col.
	a, b, d [32][]uint16
}

// newMMAShape derives the fragments from the pattern that all shapes share. Let g =
// lane/4 and t = lane%4. Register r of A has row g+8(r&1) and columns from t*per +
// 4*per*(r>>1). Register r of B has rows from t*per + 4*per*r and column g. Elements 2r
// and 2r+1 of D are in row g+8r, columns 2t and 2t+1.
func newMMAShape(m, n, k, per int) *mmaShape {
	s := &mmaShape{m: m, n: n, k: k, per: per}
	for lane := range 32 {
		g, t := lane>>2, lane&3
		for i := range m * k / 32 {
			r, e := i/per, i%per
			row, col := g+8*(r&1), t*per+e+4*per*(r>>1)
			if m == 8 {
				row, col = g, t*per+e+4*per*r
			}
			s.a[lane] = append(s.a[lane], uint16(row*k+col))
		}
		for i := range n * k / 32 {
			r, e := i/per, i%per
			s.b[lane] = append(s.b[lane], uint16((t*per+e+4*per*r)*n+g))
		}
		for i := range m * n / 32 {
			s.d[lane] = append(s.d[lane], uint16((g+8*(i>>1))*n+2*t+i&1))
		}
	}
	return s
}

// mmaKinds are the shapes of each type of A.
var mmaKinds = map[string][]string{
	"f16": {"m16n8k8", "m16n8k16"}, "bf16": {"m16n8k8", "m16n8k16"}, "tf32": {"m16n8k4", "m16n8k8"},
	"s8": {"m16n8k16", "m16n8k32"}, "u8": {"m16n8k16", "m16n8k32"}, "e4m3": {"m16n8k16", "m16n8k32"}, "e5m2": {"m16n8k16", "m16n8k32"},
	"f64": {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"},
}

var mmaShapes struct {
	sync.Mutex
	m map[string]*mmaShape
}

func shapeOf(name string, per int) *mmaShape {
	mmaShapes.Lock()
	defer mmaShapes.Unlock()
	key := fmt.Sprint(name, per)
	if s := mmaShapes.m[key]; s != nil {
		return s
	}
	var m, n, k int
	fmt.Sscanf(name, "m%dn%dk%d", &m, &n, &k)
	s := newMMAShape(m, n, k, per)
	if mmaShapes.m == nil {
		mmaShapes.m = map[string]*mmaShape{}
	}
	mmaShapes.m[key] = s
	return s
}

func (c *compiler) mma() {
	sparse, kinds, operands := c.take(".sp", ".sp::ordered_metadata"), mmaKinds, 4
	if sparse != "" {
		kinds, operands = sparseKinds, 6
	}
	c.sync()
	c.ins.aligned = c.has(".aligned")
	if n := len(c.mods); !c.ins.aligned || n < 3 || c.mods[1] != ".row" || c.mods[2] != ".col" {
		c.fail("wants .sync.aligned, a shape, .row and .col")
	}
	c.take(".row")
	c.take(".col")
	satfinite := c.has(".satfinite")
	if len(c.mods) == 0 {
		c.fail("a shape such as .m16n8k16 is missing")
	}
	shape := c.mods[0][1:]
	c.mods = c.mods[1:]
	round := roundings[c.take(".rn", ".rz", ".rm", ".rp")]
	td, ta, tb, tc := c.typ(), c.typ(), c.typ(), c.typ()
	known := false
	for _, s := range kinds[ta.name] {
		known = known || s == shape
	}
	mixed := ta.name == tb.name || ta.size == 1 && tb.size == 1 && ta.integer() == tb.integer()
	acc := "f32"
	switch {
	case ta.integer():
		acc = "s32"
	case ta.name == "f64":
		acc = "f64"
	}
	if !known || !mixed || td.name != tc.name || td.name != acc && !(td.name == "f16" && (ta.name == "f16" || ta.size == 1 && sparse == "")) {
		c.fail(".%s with these types is not executed", shape)
	}
	c.arity(operands, operands)
	reg := types["b32"]
	size := 4
	if acc == "f64" {
		reg, size = types["f64"], 8
	}
	per := size / ta.size
	s := shapeOf(shape, per)
	sa := s // of A
	if sparse != "" {
		sa = shapeOf(fmt.Sprintf("m%dn%dk%d", s.m, s.n, s.k/2), per)
	}
	regD := types[acc]
	perD := 1
	if td.name == "f16" {
		regD, perD = types["b32"], 2
	}
	d := c.dests(0, len(s.d[0])/perD, regD)
	sources := func(arg, n int, t typ) []int {
		for _, a := range c.vector(arg, n) {
			if v := c.register(&a); v != nil && t.class == classBits && v.typ.class == classFloat && !v.typ.is("f16x2") {
				c.failAt(&a, "%s is a %v, a .b32 of packed numbers is wanted", clip(a.name), v.typ)
			}
		}
		return c.sources(arg, n, t)
	}
	a, b, cc := sources(1, len(sa.a[0])/per, reg), sources(2, len(s.b[0])/per, reg), sources(3, len(s.d[0])/perD, regD)
	flops := int64(2 * s.m * s.n * s.k)
	var run func(w *warp)
	var meta *sparseMeta
	if sparse != "" {
		meta = c.sparseMeta(sparse == ".sp::ordered_metadata", s, ta)
	}
	switch {
	case acc == "f64":
		run = mmaDouble(s, d, a, b, cc, round)
	case acc == "s32":
		run = mmaRun(sa, s, operandInts(ta), operandInts(tb), a, b, cc, d, meta, intSums(satfinite))
	default:
		run = mmaRun(sa, s, operandFloats(ta), operandFloats(tb), a, b, cc, d, meta, floatSums(td))
	}
	c.ins.run = func(w *warp, _ uint32) {
		w.fullWarp()
		w.cta.counts[w.pc].Flops += flops
		run(w)
	}
}

// operandFloats returns how elements of a type are read from registers: all that a
// register holds, to out.
func operandFloats(t typ) func(x uint32) (v [4]float32) {
	switch t.name {
	case "bf16":
		return func(x uint32) (v [4]float32) {
			v[0], v[1] = math.Float32frombits(x<<16), math.Float32frombits(x&0xffff0000)
			return v
		}
	case "f16":
		table := floats16()
		return func(x uint32) (v [4]float32) {
			v[0], v[1] = table[x&0xffff], table[x>>16]
			return v
		}
	case "tf32": // the low 13 bits are not looked at
		return func(x uint32) (v [4]float32) {
			v[0] = math.Float32frombits(x &^ 0x1fff)
			return v
		}
	}
	var table [256]float32
	for i := range table {
		table[i] = float32(formats[t.name].decode(uint64(i)))
	}
	return func(x uint32) (v [4]float32) {
		for i := range v {
			v[i] = table[x>>(8*i)&255]
		}
		return v
	}
}

// mmaSums are how sums lie in registers. Integers are added to the last bit, and wrapped or
// saturated at the end.
type mmaSums[T float32 | int64] struct {
	load  func(x uint64) T
	store func(x T) uint64
}

func floatSums(t typ) mmaSums[float32] {
	if !t.is("f16") {
		return mmaSums[float32]{f32, bits32}
	}
	f16, table := formats["f16"], floats16()
	return mmaSums[float32]{
		func(x uint64) float32 { return table[x&0xffff] },
		func(x float32) uint64 { return f16.encode(float64(x), roundNear, false) },
	}
}

func intSums(sat bool) mmaSums[int64] {
	return mmaSums[int64]{
		func(x uint64) int64 { return int64(int32(x)) },
		func(x int64) uint64 {
			if sat {
				x = min(max(x, math.MinInt32), math.MaxInt32)
			}
			return uint64(uint32(x))
		},
	}
}

// mmaRun is how an instruction runs: a's fragments are those of shape sa, b's and d's of s. Without meta
// a has all elements.
func mmaRun[T float32 | int64](sa, s *mmaShape, readA, readB func(x uint32) [4]T, a, b, c, d []int, meta *sparseMeta, sums mmaSums[T]) func(w *warp) {
	return func(w *warp) {
		var A [16 * 32]T
		var B [64 * 8]T
		var C [16 * 8]T
		for j, r := range a {
			for lane, x := range &w.r[r] {
				v := readA(uint32(x))
				for e, at := range sa.a[lane][j*s.per : (j+1)*s.per] {
					A[at&511] = v[e&3]
				}
			}
		}
		for j, r := range b {
			for lane, x := range &w.r[r] {
				v := readB(uint32(x))
				for e, at := range s.b[lane][j*s.per : (j+1)*s.per] {
					B[at&511] = v[e&3]
				}
			}
		}
		per := len(s.d[0]) / len(d) // sums in a register
		for j, r := range c {
			for lane, x := range &w.r[r] {
				for i, at := range s.d[lane][j*per : (j+1)*per] {
					C[at&127] = sums.load(x >> (16 * i))
				}
			}
		}
		if meta == nil {
			multiply(&A, &B, &C, s.k)
		} else {
			multiplySparse(w, meta, &A, &B, &C, sa.k)
		}
		for j, r := range d {
			for lane := range 32 {
				var x uint64
				for i, at := range s.d[lane][j*per : (j+1)*per] {
					x |= sums.store(C[at&127]) << (16 * i)
				}
				w.r[r][lane] = x
			}
		}
	}
}

// multiply adds the 16 x k matrix A times the k x 8 matrix B to C. All products of
// narrow floats are exact in single precision, so that fusing changes nothing.
func multiply[T float32 | int64](A *[16 * 32]T, B *[64 * 8]T, C *[16 * 8]T, k int) {
	for i := range 16 {
		c := (*[8]T)(C[8*i:])
		c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
		row := A[i*k : i*k+k]
		for l, x := range row {
			b := (*[8]T)(B[8*l:])
			c0 += x * b[0]
			c1 += x * b[1]
			c2 += x * b[2]
			c3 += x * b[3]
			c4 += x * b[4]
			c5 += x * b[5]
			c6 += x * b[6]
			c7 += x * b[7]
		}
		*c = [8]T{c0, c1, c2, c3, c4, c5, c6, c7}
	}
}

// operandInts is operandFloats for integers of 8 bits.
func operandInts(t typ) func(x uint32) [4]int64 {
	return func(x uint32) (v [4]int64) {
		for i := range v {
			v[i] = byteOf(uint64(x), i, t.signed())
		}
		return v
	}
}

func mmaDouble(s *mmaShape, d, a, b, c []int, round rounding) func(w *warp) {
	return func(w *warp) {
		var A [16 * 16]float64
		var B [16 * 8]float64
		var D [4][32]uint64
		for lane := range 32 {
			for i, at := range s.a[lane] {
				A[at] = f64(w.r[a[i]][lane])
			}
			for i, at := range s.b[lane] {
				B[at] = f64(w.r[b[i]][lane])
			}
		}
		for lane := range 32 {
			for i, at := range s.d[lane] {
				row, col := int(at)/s.n, int(at)%s.n
				sum := f64(w.r[c[i]][lane])
				for k := range s.k {
					sum = fma64(A[row*s.k+k], B[k*s.n+col], sum, round)
				}
				D[i][lane] = math.Float64bits(sum)
			}
		}
		for i := range d {
			w.r[d[i]] = D[i]
		}
	}
}
