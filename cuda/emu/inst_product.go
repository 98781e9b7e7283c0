package emu

import "math"

// What mma and wmma have in common. The ISA leaves the order and the rounding of sums open.
// Here d = c + a·b is summed with k ascending. Each product is exact, and each sum is
// rounded to the type of the accumulator. If that is .f16, sums are in single precision
// and the last is rounded once. A GPU gives other last bits.

// A warpMatrix is a matrix in the registers of a warp.
type warpMatrix struct {
	at    [][]uint16 // of a register: where its elements lie, row*columns + column, those of lane 0 first
	slots []int
	per   int // elements of a register of a lane
}

// placesOf tables where the n elements of each lane lie.
func placesOf(n, per int, at func(lane, i int) int) [][]uint16 {
	places := make([][]uint16, n/per)
	for lane := range 32 {
		for i := range n {
			places[i/per] = append(places[i/per], uint16(at(lane, i)))
		}
	}
	return places
}

// A warpProduct is d = c + a·b, of m x n x k.
type warpProduct struct {
	m, n, k    int
	a, b, c, d warpMatrix
	meta       *sparseMeta // where the elements of a are that are stored, nil if all are
	round      rounding    // of doubles
	sat        bool        // of integers
}

// multiplies makes the instruction the product p of matrices of these types.
func (c *compiler) multiplies(p *warpProduct, ta, tb, tc, td typ) {
	var run func(w *warp)
	switch {
	case td.is("f64"):
		run = runProduct(p, readDoubles, readDoubles, readDoubles, math.Float64bits, multiplyDoubles)
	case ta.integer():
		run = runProduct(p, readWholes(ta), readWholes(tb), readWholes(tc), storeWhole(p.sat), multiply[int64])
	default:
		run = runProduct(p, readFloats(ta), readFloats(tb), readFloats(tc), storeFloat(td), multiply[float32])
	}
	flops := int64(2 * p.m * p.n * p.k)
	c.ins.run = func(w *warp, _ uint32) {
		w.fullWarp()
		w.cta.counts[w.pc].Flops += flops
		run(w)
	}
}

// readFloats returns how elements of a type are read from registers: all that a register holds.
func readFloats(t typ) func(x uint64) (v [4]float32) {
	switch t.name {
	case "f32":
		return func(x uint64) [4]float32 { return [4]float32{f32(x)} }
	case "bf16":
		return func(x uint64) (v [4]float32) {
			v[0], v[1] = f32(x<<16), f32(x&0xffff0000)
			return v
		}
	case "f16":
		table := floats16()
		return func(x uint64) (v [4]float32) {
			v[0], v[1] = table[x&0xffff], table[x>>16&0xffff]
			return v
		}
	case "tf32": // the low 13 bits are not looked at
		return func(x uint64) [4]float32 { return [4]float32{f32(x &^ 0x1fff)} }
	}
	var table [256]float32
	for i := range table {
		table[i] = float32(formats[t.name].decode(uint64(i)))
	}
	return func(x uint64) (v [4]float32) {
		for i := range v {
			v[i] = table[x>>(8*i)&255]
		}
		return v
	}
}

// readWholes is readFloats for integers of 8 and 32 bits.
func readWholes(t typ) func(x uint64) [4]int64 {
	if t.size == 4 {
		return func(x uint64) [4]int64 { return [4]int64{int64(int32(x))} }
	}
	return func(x uint64) (v [4]int64) {
		for i := range v {
			v[i] = byteOf(x, i, t.signed())
		}
		return v
	}
}

func readDoubles(x uint64) [4]float64 { return [4]float64{f64(x)} }

// storeFloat returns how sums lie in registers.
func storeFloat(t typ) func(x float32) uint64 {
	if !t.is("f16") {
		return bits32
	}
	f16 := formats["f16"]
	return func(x float32) uint64 { return f16.encode(float64(x), roundNear, false) }
}

// storeWhole is storeFloat for integers, which are added to the last bit, and wrapped or
// saturated at the end.
func storeWhole(sat bool) func(x int64) uint64 {
	return func(x int64) uint64 {
		if sat {
			x = min(max(x, math.MinInt32), math.MaxInt32)
		}
		return uint64(uint32(x))
	}
}

// runProduct is how a product runs.
func runProduct[T float32 | float64 | int64](p *warpProduct, readA, readB, readC func(x uint64) [4]T, store func(x T) uint64,
	multiply func(w *warp, p *warpProduct, A, B, C *[512]T)) func(w *warp) {
	return func(w *warp) {
		var A, B, C [512]T
		gather(w, &p.a, &A, readA)
		gather(w, &p.b, &B, readB)
		gather(w, &p.c, &C, readC)
		multiply(w, p, &A, &B, &C)
		for j, r := range p.d.slots {
			at, to := p.d.at[j], &w.r[r]
			for lane := range to {
				var x uint64
				for i, k := range at[:p.d.per] {
					x |= store(C[k&511]) << (16 * i)
				}
				to[lane], at = x, at[p.d.per:]
			}
		}
	}
}

// gather reads a matrix from the registers of a warp, row by row. Of an element that several lanes have, it is
// that of the last.
func gather[T any](w *warp, m *warpMatrix, to *[512]T, read func(x uint64) [4]T) {
	for j, r := range m.slots {
		at := m.at[j]
		for _, x := range &w.r[r] {
			v := read(x)
			for e, k := range at[:m.per] {
				to[k&511] = v[e&3]
			}
			at = at[m.per:]
		}
	}
}

// multiply adds the m x k matrix A times the k x n matrix B to C. All products of
// narrow floats are exact in single precision, so that fusing changes nothing.
func multiply[T float32 | int64](w *warp, p *warpProduct, A, B, C *[512]T) {
	if p.meta != nil {
		multiplySparse(w, p, A, B, C)
		return
	}
	n, k := p.n, p.k
	for i := range p.m {
		row := A[i*k : i*k+k]
		for j := 0; j < n; j += 8 {
			c := (*[8]T)(C[(i*n+j)&504:])
			c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
			at := j
			for _, x := range row {
				b := (*[8]T)(B[at&504:]) // which spares a check
				at += n
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
}

// multiplyDoubles is multiply with sums that are rounded as the instruction says.
func multiplyDoubles(_ *warp, p *warpProduct, A, B, C *[512]float64) {
	for i := range p.m * p.n {
		for l := range p.k {
			C[i] = fma64(A[i/p.n*p.k+l], B[l*p.n+i%p.n], C[i], p.round)
		}
	}
}
