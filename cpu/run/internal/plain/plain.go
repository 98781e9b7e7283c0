package plain

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The portable kernel. All numbers were chosen by measurement on amd64.
const (
	// The register tile. The Go compiler has 15 SSE registers. 8 sums with their products
	// fit; the 16 of a 4x4 tile are spilled and run at a third of the speed.
	mr = 4
	nr = 2

	// A packed panel of A (MR x KC) stays in the L1 cache while it meets every
	// panel of a packed block of B (KC x NC), which stays in the L2 cache.
	KC = 256
	NC = 256

	// Rows of a block where k exceeds KC: this bounds the buffer of partial
	// sums to MC x NC. B is packed once per MC rows.
	MC = 256

	// With no more rows, columns or steps of k than these, packing costs more
	// than it saves.
	thin  = 6
	short = 8

	// Sums of a row that are kept at a time where nothing is packed: 4 KB of
	// float64.
	Row = 512

	// Elements of a long row of A that are copied at a time: a multiple of KC.
	piece = 64 * KC

	// Columns of a block of KC rows of a narrow B that is converted where nothing is
	// packed. In float32 it is half of a small second cache.
	NarrowNC = 128
)

// tile is the sums of one tile, row by row.
type tile[T dtype.AnySum] = [mr * nr]T

// Buf is what Multiply packs into. The zero value is ready for use, by one
// goroutine at a time. A call allocates only where it needs more than every call
// before it with the same buffer.
type Buf[T dtype.AnySum] struct {
	a    [][mr]T   // a panel of A: element p holds its column p
	b    [][nr]T   // panels of B one after another: element p of each holds its row p
	sums []tile[T] // of the tiles of a block, where k exceeds KC
	row  []T       // unpacked: the sums of a row and short rows of B, or a row of A

	wideA, wideB []T // blocks of narrow operands, converted
	out          []T // a block of a narrow result
}

// Multiply computes out = alpha*a*b + beta*out, for any strides. Narrow operands are converted as
// they are packed. The caller has checked shapes and bounds. If beta is 0, it does not read out. If alpha or
// k is 0, it scales out by beta and reads neither a nor b. It skips no product, so that
// NaN, Inf and 0*Inf give what IEEE arithmetic says.
//
// Every element is alpha*s + beta*c. s is the sum of the blocks of KC products, each block
// summed from 0 in the order of k, and so are the blocks: whatever the shape and the strides.
// So computing out in parts gives the same bits as computing it whole, and rounding errors
// grow with KC + k/KC and not with k. (Higham, Accuracy and Stability of Numerical Algorithms,
// section 4.2.) For the same reason every product below is converted, T(x*y):
// Go then rounds it and may not fuse it into an FMA. Without that it does so in some
// loops and not in others (GOAMD64=v3 did, at a gain of a seventh). So the bits are
// also the same on every machine. The products that a complex128 product is made of are
// out of its reach: on arm64 one of two is fused, in thin results not always the same one
// as in others. There parts of out and other machines may differ in last bits.
func Multiply[T dtype.AnySum](alpha T, a, b Operand[T], beta T, out layout.Matrix[T], buf *Buf[T]) {
	switch m, n, k := out.Rows, out.Cols, a.Cols; {
	case m == 0 || n == 0:
	case k == 0 || alpha == 0:
		mem.Scale(out, beta)
	case m <= thin || n <= thin:
		thinOut(alpha, a, b, beta, out, buf)
	case k <= short && !a.Narrow() && !b.Narrow():
		if out.ColStride != 1 && out.RowStride == 1 {
			a, b, out = b.T(), a.T(), out.T()
		}
		axpy(alpha, a.Matrix(), b.Matrix(), beta, out, buf)
	default:
		multiplyPacked(alpha, a, b, beta, out, buf)
	}
}

// multiplyPacked goes through columns in blocks of NC, rows in blocks of MC and k
// in blocks of KC. In there it packs a block of B, then panel after panel of A.
func multiplyPacked[T dtype.AnySum](alpha T, a, b Operand[T], beta T, out layout.Matrix[T], buf *Buf[T]) {
	m, n, k := out.Rows, out.Cols, a.Cols
	kc, panels := min(k, KC), mem.Ceil(min(n, NC), nr)
	buf.a = grow(buf.a, kc)
	buf.b = grow(buf.b, kc*panels)
	mc := m // with one block of k, pack B once for all rows
	if k > KC {
		mc = min(m, MC)
		buf.sums = grow(buf.sums, mem.Ceil(mc, mr)*panels)
	}

	for jc := 0; jc < n; jc += NC {
		jEnd := min(jc+NC, n)
		for ic := 0; ic < m; ic += mc {
			iEnd := min(ic+mc, m)
			for pc := 0; pc < k; pc += KC {
				pEnd := min(pc+KC, k)
				pa, pb, sums := buf.a[:pEnd-pc], buf.b, buf.sums
				packB(pb, b.wide(&buf.wideB, pc, pEnd, jc, jEnd))
				for i := ic; i < iEnd; i += mr {
					rows := min(i+mr, iEnd)
					packA(pa, a.wide(&buf.wideA, i, rows, pc, pEnd))
					multiplyPanel(alpha, pa, pb, sums, beta, out.Slice(i, rows, jc, jEnd), pc == 0, pEnd == k)
					if k > KC {
						sums = sums[mem.Ceil(jEnd-jc, nr):]
					}
				}
			}
		}
	}
}

// multiplyPanel multiplies one panel of A by every panel of B, for the at most MR
// rows of out. A block of k begins at 0, and all but the first add what is in sums;
// the last writes out.
func multiplyPanel[T dtype.AnySum](alpha T, a [][mr]T, b [][nr]T, sums []tile[T], beta T, out layout.Matrix[T], first, last bool) {
	for j := 0; j < out.Cols; j += nr {
		var sum tile[T]
		micro(a, b[:len(a)], &sum)
		b = b[len(a):]
		if !first {
			for i, s := range &sums[j/nr] {
				sum[i] += s
			}
		}
		if last {
			storeTile(alpha, &sum, beta, out, j)
		} else {
			sums[j/nr] = sum
		}
	}
}

// storeTile finishes the tile of out that begins at column j.
func storeTile[T dtype.AnySum](alpha T, sum *tile[T], beta T, out layout.Matrix[T], j int) {
	rs, cs := out.RowStride, out.ColStride
	if j+1 == out.Cols {
		for i := range out.Rows {
			mem.Store(alpha, sum[nr*i], beta, &out.Data[i*rs+j*cs])
		}
		return
	}
	for i := range out.Rows {
		c, s := out.Data[i*rs+j*cs:], (*[nr]T)(sum[nr*i:])
		mem.Store(alpha, s[0], beta, &c[0])
		mem.Store(alpha, s[1], beta, &c[cs])
	}
}

// storeRow finishes the elements of row i of out from column j on.
func storeRow[T dtype.AnySum](alpha T, sum []T, beta T, out layout.Matrix[T], i, j int) {
	c, cs := out.Data[i*out.RowStride+j*out.ColStride:], out.ColStride
	switch {
	case cs != 1:
		for j, s := range sum {
			mem.Store(alpha, s, beta, &c[j*cs])
		}
	case beta == 0:
		c = c[:len(sum)]
		for j, s := range sum {
			c[j] = mem.Times(alpha, s)
		}
	default:
		c = c[:len(sum)]
		for j, s := range sum {
			c[j] = mem.Times(alpha, s) + mem.Times(beta, c[j])
		}
	}
}

// micro adds the product of a panel of A and a panel of B, of the same
// length, to a tile. The compiler moves the last addition to each sum to the end
// of the loop's body, and spills the products that wait for them. So the body has four
// steps of k, and the spills are a quarter.
func micro[T dtype.AnySum](a [][mr]T, b [][nr]T, sum *tile[T]) {
	c00, c01, c10, c11 := sum[0], sum[1], sum[2], sum[3]
	c20, c21, c30, c31 := sum[4], sum[5], sum[6], sum[7]
	for len(a) >= 4 && len(b) >= 4 {
		x, y := &a[0], &b[0]
		c00 += T(x[0] * y[0])
		c01 += T(x[0] * y[1])
		c10 += T(x[1] * y[0])
		c11 += T(x[1] * y[1])
		c20 += T(x[2] * y[0])
		c21 += T(x[2] * y[1])
		c30 += T(x[3] * y[0])
		c31 += T(x[3] * y[1])
		x, y = &a[1], &b[1]
		c00 += T(x[0] * y[0])
		c01 += T(x[0] * y[1])
		c10 += T(x[1] * y[0])
		c11 += T(x[1] * y[1])
		c20 += T(x[2] * y[0])
		c21 += T(x[2] * y[1])
		c30 += T(x[3] * y[0])
		c31 += T(x[3] * y[1])
		x, y = &a[2], &b[2]
		c00 += T(x[0] * y[0])
		c01 += T(x[0] * y[1])
		c10 += T(x[1] * y[0])
		c11 += T(x[1] * y[1])
		c20 += T(x[2] * y[0])
		c21 += T(x[2] * y[1])
		c30 += T(x[3] * y[0])
		c31 += T(x[3] * y[1])
		x, y = &a[3], &b[3]
		c00 += T(x[0] * y[0])
		c01 += T(x[0] * y[1])
		c10 += T(x[1] * y[0])
		c11 += T(x[1] * y[1])
		c20 += T(x[2] * y[0])
		c21 += T(x[2] * y[1])
		c30 += T(x[3] * y[0])
		c31 += T(x[3] * y[1])
		a, b = a[4:], b[4:]
	}
	b = b[:len(a)]
	for p := range a {
		x, y := &a[p], &b[p]
		c00 += T(x[0] * y[0])
		c01 += T(x[0] * y[1])
		c10 += T(x[1] * y[0])
		c11 += T(x[1] * y[1])
		c20 += T(x[2] * y[0])
		c21 += T(x[2] * y[1])
		c30 += T(x[3] * y[0])
		c31 += T(x[3] * y[1])
	}
	sum[0], sum[1], sum[2], sum[3] = c00, c01, c10, c11
	sum[4], sum[5], sum[6], sum[7] = c20, c21, c30, c31
}

// grow returns s, or a new slice where s holds fewer than n elements.
func grow[E any](s []E, n int) []E {
	if len(s) < n {
		return make([]E, n)
	}
	return s
}

// Block is a block of a result, of any elements, in the buffer.
func (buf *Buf[T]) Block(m, n int) layout.Matrix[T] {
	buf.out = grow(buf.out, m*n)
	return layout.RowMajor(buf.out[:m*n], m, n)
}

// Bufs are the buffers of one goroutine.
type Bufs = mem.Kept

// BufOf returns those for T.
func BufOf[T dtype.AnySum](b *Bufs) *Buf[T] { return mem.KeptOf[Buf[T]](b, dtype.Of[T]()) }
