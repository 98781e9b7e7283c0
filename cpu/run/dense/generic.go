package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The portable kernel. All numbers were chosen by measurement on amd64.
const (
	// The register tile. The Go compiler has 15 SSE registers. 8 sums with their products
	// fit; the 16 of a 4x4 tile are spilled and run at a third of the speed.
	genericMR = 4
	genericNR = 2

	// A packed panel of A (MR x KC) stays in the L1 cache while it meets every
	// panel of a packed block of B (KC x NC), which stays in the L2 cache.
	genericKC = 256
	genericNC = 256

	// Rows of a block where k exceeds KC: this bounds the buffer of partial
	// sums to MC x NC. B is packed once per MC rows.
	genericMC = 256

	// With no more rows, columns or steps of k than these, packing costs more
	// than it saves.
	genericThin  = 6
	genericShort = 8

	// Sums of a row that are kept at a time where nothing is packed: 4 KB of
	// float64.
	genericRow = 512

	// Elements of a long row of A that are copied at a time.
	genericPiece = 1 << 14

	// Columns of a block of KC rows of a narrow B that is converted where nothing is
	// packed. In float32 it is half of a small second cache.
	genericNarrowNC = 128
)

// genericTile is the sums of one tile, row by row.
type genericTile[T dtype.AnySum] = [genericMR * genericNR]T

// genericBuf is what generic packs into. The zero value is ready for use, by one
// goroutine at a time. A call allocates only where it needs more than every call
// before it with the same buffer.
type genericBuf[T dtype.AnySum] struct {
	a    [][genericMR]T   // a panel of A: element p holds its column p
	b    [][genericNR]T   // panels of B one after another: element p of each holds its row p
	sums []genericTile[T] // of the tiles of a block, where k exceeds KC
	row  []T              // unpacked: the sums of a row and short rows of B, or a row of A

	wideA, wideB []T // blocks of narrow operands, converted
	out          []T // a block of a narrow result
}

// generic computes out = alpha*a*b + beta*out in plain Go, for any strides. The
// caller has checked shapes and bounds. If beta is 0, it does not read out. If alpha or
// k is 0, it scales out by beta and reads neither a nor b. It skips no product, so that
// NaN, Inf and 0*Inf give what IEEE arithmetic says.
//
// Every element is alpha*s + beta*c. s is the sum from 0 in the order of k, whatever
// the shape, the strides and the blocks. So computing out in parts gives the same bits
// as computing it whole. For the same reason every product below is converted, T(x*y):
// Go then rounds it and may not fuse it into an FMA. Without that it does so in some
// loops and not in others (GOAMD64=v3 did, at a gain of a seventh). So the bits are
// also the same on every machine.
func generic[T dtype.AnySum](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
	genericOf(alpha, unconverted(a), unconverted(b), beta, out, buf)
}

// genericOf is generic for operands of any type: narrow ones are converted as they are
// packed.
func genericOf[T dtype.AnySum](alpha T, a, b operand[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
	switch m, n, k := out.Rows, out.Cols, a.Cols; {
	case m == 0 || n == 0:
	case k == 0 || alpha == 0:
		genericScale(beta, out)
	case m <= genericThin || n <= genericThin:
		genericThinOut(alpha, a, b, beta, out, buf)
	case k <= genericShort && !a.narrow() && !b.narrow():
		if out.ColStride != 1 && out.RowStride == 1 {
			a, b, out = b.T(), a.T(), out.T()
		}
		genericAxpy(alpha, a.matrix(), b.matrix(), beta, out, buf)
	default:
		genericPacked(alpha, a, b, beta, out, buf)
	}
}

// genericScale computes out = beta*out.
func genericScale[T dtype.AnySum](beta T, out layout.Matrix[T]) {
	if beta == 1 {
		return
	}
	for i := range out.Rows {
		for j := range out.Cols {
			if c := &out.Data[i*out.RowStride+j*out.ColStride]; beta == 0 {
				*c = 0
			} else {
				*c = mem.Times(beta, *c)
			}
		}
	}
}

// genericPacked goes through columns in blocks of NC, rows in blocks of MC and k
// in blocks of KC. In there it packs a block of B, then panel after panel of A.
func genericPacked[T dtype.AnySum](alpha T, a, b operand[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
	m, n, k := out.Rows, out.Cols, a.Cols
	kc, panels := min(k, genericKC), mem.Ceil(min(n, genericNC), genericNR)
	buf.a = genericGrow(buf.a, kc)
	buf.b = genericGrow(buf.b, kc*panels)
	mc := m // with one block of k, pack B once for all rows
	if k > genericKC {
		mc = min(m, genericMC)
		buf.sums = genericGrow(buf.sums, mem.Ceil(mc, genericMR)*panels)
	}

	for jc := 0; jc < n; jc += genericNC {
		jEnd := min(jc+genericNC, n)
		for ic := 0; ic < m; ic += mc {
			iEnd := min(ic+mc, m)
			for pc := 0; pc < k; pc += genericKC {
				pEnd := min(pc+genericKC, k)
				pa, pb, sums := buf.a[:pEnd-pc], buf.b, buf.sums
				genericPackB(pb, b.wide(&buf.wideB, pc, pEnd, jc, jEnd))
				for i := ic; i < iEnd; i += genericMR {
					rows := min(i+genericMR, iEnd)
					genericPackA(pa, a.wide(&buf.wideA, i, rows, pc, pEnd))
					genericPanel(alpha, pa, pb, sums, beta, out.Slice(i, rows, jc, jEnd), pc == 0, pEnd == k)
					if k > genericKC {
						sums = sums[mem.Ceil(jEnd-jc, genericNR):]
					}
				}
			}
		}
	}
}

// genericPanel multiplies one panel of A by every panel of B, for the at most MR
// rows of out. The first block of k begins its sums at 0, others with those in
// sums; the last block writes out.
func genericPanel[T dtype.AnySum](alpha T, a [][genericMR]T, b [][genericNR]T, sums []genericTile[T], beta T, out layout.Matrix[T], first, last bool) {
	var local genericTile[T]
	for j := 0; j < out.Cols; j += genericNR {
		sum := &local
		if !first || !last {
			sum = &sums[j/genericNR]
		}
		if first {
			*sum = genericTile[T]{}
		}
		genericMicro(a, b[:len(a)], sum)
		b = b[len(a):]
		if last {
			genericStoreTile(alpha, sum, beta, out, j)
		}
	}
}

// genericStoreTile finishes the tile of out that begins at column j.
func genericStoreTile[T dtype.AnySum](alpha T, sum *genericTile[T], beta T, out layout.Matrix[T], j int) {
	rs, cs := out.RowStride, out.ColStride
	if j+1 == out.Cols {
		for i := range out.Rows {
			mem.Store(alpha, sum[genericNR*i], beta, &out.Data[i*rs+j*cs])
		}
		return
	}
	for i := range out.Rows {
		c, s := out.Data[i*rs+j*cs:], (*[genericNR]T)(sum[genericNR*i:])
		mem.Store(alpha, s[0], beta, &c[0])
		mem.Store(alpha, s[1], beta, &c[cs])
	}
}

// genericStoreRow finishes the elements of row i of out from column j on.
func genericStoreRow[T dtype.AnySum](alpha T, sum []T, beta T, out layout.Matrix[T], i, j int) {
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

// genericMicro adds the product of a panel of A and a panel of B, of the same
// length, to a tile. The compiler moves the last addition to each sum to the end
// of the loop's body, and spills the products that wait for them. So the body has four
// steps of k, and the spills are a quarter.
func genericMicro[T dtype.AnySum](a [][genericMR]T, b [][genericNR]T, sum *genericTile[T]) {
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

// genericGrow returns s, or a new slice where s holds fewer than n elements.
func genericGrow[E any](s []E, n int) []E {
	if len(s) < n {
		return make([]E, n)
	}
	return s
}
