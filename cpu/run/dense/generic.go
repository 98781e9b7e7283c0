package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// The portable kernel. All numbers were chosen by measurement on amd64.
const (
	// The register tile. The Go compiler has 15 SSE registers; 8 sums with their
	// products fit, the 16 of a 4x4 tile are spilled and run at a third of the
	// speed.
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
)

// genericTile is the sums of one tile, row by row.
type genericTile[T dtype.Float] = [genericMR * genericNR]T

// genericBuf is what generic packs into. The zero value is ready for use, by one
// goroutine at a time. A call allocates only where it needs more than every call
// before it with the same buffer.
type genericBuf[T dtype.Float] struct {
	a    [][genericMR]T   // a panel of A: element p holds its column p
	b    [][genericNR]T   // panels of B one after another: element p of each holds its row p
	sums []genericTile[T] // of the tiles of a block, where k exceeds KC
	row  []T              // unpacked: the sums of a row and short rows of B, or a row of A
}

// generic computes out = alpha*a*b + beta*out in plain Go, for any strides. The
// caller has checked shapes and bounds. Where beta is 0 it does not read out;
// where alpha or k is 0 it scales out by beta and reads neither a nor b. It skips
// no product, so that NaN, Inf and 0*Inf give what IEEE arithmetic says.
//
// Every element is alpha*s + beta*c, where s is the sum from 0 in the order of k,
// whatever the shape, the strides and the blocks. So computing out in parts gives
// the same bits as computing it whole. For the same reason every product below is
// converted, T(x*y): Go then rounds it and may not fuse it into an FMA. Where it
// may, it does so in some loops and not in others (GOAMD64=v3 did, at a gain of a
// seventh). So the bits are also the same on every machine.
func generic[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
	switch m, n, k := out.Rows, out.Cols, a.Cols; {
	case m == 0 || n == 0:
	case k == 0 || alpha == 0:
		genericScale(beta, out)
	case m <= genericThin || n <= genericThin:
		genericThinOut(alpha, a, b, beta, out, buf)
	case k <= genericShort:
		if out.ColStride != 1 && out.RowStride == 1 {
			a, b, out = b.T(), a.T(), out.T()
		}
		genericAxpy(alpha, a, b, beta, out, buf)
	default:
		genericPacked(alpha, a, b, beta, out, buf)
	}
}

// genericScale computes out = beta*out.
func genericScale[T dtype.Float](beta T, out layout.Matrix[T]) {
	if beta == 1 {
		return
	}
	for i := range out.Rows {
		for j := range out.Cols {
			if c := &out.Data[i*out.RowStride+j*out.ColStride]; beta == 0 {
				*c = 0
			} else {
				*c *= beta
			}
		}
	}
}

// genericPacked goes through columns in blocks of NC, rows in blocks of MC and k
// in blocks of KC. In there it packs a block of B, then panel after panel of A.
func genericPacked[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
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
				genericPackB(pb, b.Slice(pc, pEnd, jc, jEnd))
				for i := ic; i < iEnd; i += genericMR {
					rows := min(i+genericMR, iEnd)
					genericPackA(pa, a.Slice(i, rows, pc, pEnd))
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
func genericPanel[T dtype.Float](alpha T, a [][genericMR]T, b [][genericNR]T, sums []genericTile[T], beta T, out layout.Matrix[T], first, last bool) {
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
func genericStoreTile[T dtype.Float](alpha T, sum *genericTile[T], beta T, out layout.Matrix[T], j int) {
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
func genericStoreRow[T dtype.Float](alpha T, sum []T, beta T, out layout.Matrix[T], i, j int) {
	c, cs := out.Data[i*out.RowStride+j*out.ColStride:], out.ColStride
	switch {
	case cs != 1:
		for j, s := range sum {
			mem.Store(alpha, s, beta, &c[j*cs])
		}
	case beta == 0:
		c = c[:len(sum)]
		for j, s := range sum {
			c[j] = alpha * s
		}
	default:
		c = c[:len(sum)]
		for j, s := range sum {
			c[j] = T(alpha*s) + T(beta*c[j])
		}
	}
}

// genericMicro adds the product of a panel of A and a panel of B, of the same
// length, to a tile. The compiler moves the last addition to each sum to the end
// of the loop's body, where the products that wait for them are spilled; so the
// body has four steps of k, and the spills are a quarter.
func genericMicro[T dtype.Float](a [][genericMR]T, b [][genericNR]T, sum *genericTile[T]) {
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

// genericPackA copies the at most MR rows of a into one panel, missing rows as 0:
// what they add lands in sums that are never stored.
func genericPackA[T dtype.Float](panel [][genericMR]T, a layout.Matrix[T]) {
	k, rs, cs := a.Cols, a.RowStride, a.ColStride
	panel = panel[:k]
	switch {
	case a.Rows < genericMR:
		clear(panel)
		for i := range a.Rows {
			for p := range panel {
				panel[p][i] = a.Data[i*rs+p*cs]
			}
		}
	case cs == 1:
		r0, r1, r2, r3 := a.Data[:k], a.Data[rs:][:k], a.Data[2*rs:][:k], a.Data[3*rs:][:k]
		for p := range panel {
			x := &panel[p]
			x[0], x[1], x[2], x[3] = r0[p], r1[p], r2[p], r3[p]
		}
	case rs == 1:
		for p := range panel {
			panel[p] = [genericMR]T(a.Data[p*cs:])
		}
	default:
		for p := range panel {
			x, y := &panel[p], a.Data[p*cs:]
			x[0], x[1], x[2], x[3] = y[0], y[rs], y[2*rs], y[3*rs]
		}
	}
}

// genericPackB copies b into panels of NR columns, missing columns as 0.
func genericPackB[T dtype.Float](panels [][genericNR]T, b layout.Matrix[T]) {
	k, rs, cs := b.Rows, b.RowStride, b.ColStride
	j := 0
	if cs == 1 { // eight columns at a time, to use whole cache lines
		for ; j+4*genericNR <= b.Cols; j += 4 * genericNR {
			p0, p1, p2, p3 := panels[:k], panels[k:][:k], panels[2*k:][:k], panels[3*k:][:k]
			for p := range p0 {
				y := (*[4 * genericNR]T)(b.Data[p*rs+j:])
				p0[p][0], p0[p][1] = y[0], y[1]
				p1[p][0], p1[p][1] = y[2], y[3]
				p2[p][0], p2[p][1] = y[4], y[5]
				p3[p][0], p3[p][1] = y[6], y[7]
			}
			panels = panels[4*k:]
		}
	}
	for ; j+genericNR <= b.Cols; j += genericNR {
		panel := panels[:k]
		if rs == 1 {
			c0, c1 := b.Data[j*cs:][:k], b.Data[(j+1)*cs:][:k]
			for p := range panel {
				panel[p][0], panel[p][1] = c0[p], c1[p]
			}
		} else {
			for p := range panel {
				panel[p][0], panel[p][1] = b.Data[p*rs+j*cs], b.Data[p*rs+(j+1)*cs]
			}
		}
		panels = panels[k:]
	}
	if j < b.Cols {
		for p := range k {
			panels[p][0], panels[p][1] = b.Data[p*rs+j*cs], 0
		}
	}
}

// genericThinOut is generic for few rows or few columns. It computes the transpose
// where that makes the rows few or, if they are anyway, those of b contiguous.
func genericThinOut[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
	turn := out.Rows > genericThin
	if out.Rows <= genericThin && out.Cols <= genericThin {
		turn = b.ColStride != 1 && a.RowStride == 1
	}
	if turn {
		a, b, out = b.T(), a.T(), out.T()
	}
	if b.ColStride == 1 {
		genericAxpy(alpha, a, b, beta, out, buf)
	} else {
		genericDot(alpha, a, b, beta, out, buf)
	}
}

// genericAxpy adds multiples of rows of b to a row of sums. It first copies the
// rows where they are not contiguous; then k may not exceed genericShort.
func genericAxpy[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
	k, rs, cs := a.Cols, a.RowStride, a.ColStride
	width := min(out.Cols, genericRow)
	if b.ColStride == 1 {
		buf.row = genericGrow(buf.row, width)
	} else {
		buf.row = genericGrow(buf.row, (1+k)*width)
	}
	for jc := 0; jc < out.Cols; jc += width {
		sum := buf.row[:min(out.Cols-jc, width)]
		y, ys := b.Data[jc*b.ColStride:], b.RowStride
		if b.ColStride != 1 {
			y, ys = buf.row[width:], width
			for p := range k {
				for j := range sum {
					y[p*ys+j] = b.Data[p*b.RowStride+(jc+j)*b.ColStride]
				}
			}
		}
		for i := range out.Rows {
			x, p := a.Data[i*rs:], 0
			if k < 4 {
				x0, y0 := x[0], y[:len(sum)]
				for j := range sum {
					var s T
					s += T(x0 * y0[j])
					sum[j] = s
				}
				p = 1
			} else {
				clear(sum)
			}
			for ; p+4 <= k; p += 4 {
				x0, x1, x2, x3 := x[p*cs], x[(p+1)*cs], x[(p+2)*cs], x[(p+3)*cs]
				y0, y1 := y[p*ys:][:len(sum)], y[(p+1)*ys:][:len(sum)]
				y2, y3 := y[(p+2)*ys:][:len(sum)], y[(p+3)*ys:][:len(sum)]
				for j, s := range sum {
					s += T(x0 * y0[j])
					s += T(x1 * y1[j])
					s += T(x2 * y2[j])
					s += T(x3 * y3[j])
					sum[j] = s
				}
			}
			for ; p < k; p++ {
				x0, y0 := x[p*cs], y[p*ys:][:len(sum)]
				for j := range sum {
					sum[j] += T(x0 * y0[j])
				}
			}
			genericStoreRow(alpha, sum, beta, out, i, jc)
		}
	}
}

// genericDot multiplies a row of a by four columns of b at a time. A last group
// that is smaller repeats its last column: four sums take as long as one. A row that is
// not contiguous is copied first, once, or a piece at a time if it is long.
func genericDot[T dtype.Float](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *genericBuf[T]) {
	k, n, rs, cs := a.Cols, out.Cols, b.RowStride, b.ColStride
	step := k
	if a.ColStride != 1 {
		step = min(k, genericPiece)
		buf.row = genericGrow(buf.row, step)
	}
	for i := range out.Rows {
		x := a.Data[i*a.RowStride:]
		copied := a.ColStride != 1 && step == k
		if copied {
			x = genericGather(buf.row, x, k, a.ColStride)
		}
		for j := 0; j < n; j += 4 {
			y0, y1 := b.Data[j*cs:], b.Data[min(j+1, n-1)*cs:]
			y2, y3 := b.Data[min(j+2, n-1)*cs:], b.Data[min(j+3, n-1)*cs:]
			var sum [4]T
			for p := 0; p < k; p += step {
				piece := x
				if a.ColStride != 1 && !copied {
					piece = genericGather(buf.row, x[p*a.ColStride:], min(step, k-p), a.ColStride)
				}
				piece = piece[:min(step, k-p)]
				if rs == 1 {
					genericDot4(&sum, piece, y0[p:], y1[p:], y2[p:], y3[p:])
				} else {
					at := p * rs
					for _, x := range piece {
						sum[0] += T(x * y0[at])
						sum[1] += T(x * y1[at])
						sum[2] += T(x * y2[at])
						sum[3] += T(x * y3[at])
						at += rs
					}
				}
			}
			genericStoreRow(alpha, sum[:min(4, n-j)], beta, out, i, j)
		}
	}
}

// genericGather copies n elements of x, stride apart, to row.
func genericGather[T dtype.Float](row, x []T, n, stride int) []T {
	row = row[:n]
	for p := range row {
		row[p] = x[p*stride]
	}
	return row
}

// genericDot4 adds the products of x with four columns to sum.
func genericDot4[T dtype.Float](sum *[4]T, x, y0, y1, y2, y3 []T) {
	s0, s1, s2, s3 := sum[0], sum[1], sum[2], sum[3]
	y0, y1, y2, y3 = y0[:len(x)], y1[:len(x)], y2[:len(x)], y3[:len(x)]
	for p, x := range x {
		s0 += T(x * y0[p])
		s1 += T(x * y1[p])
		s2 += T(x * y2[p])
		s3 += T(x * y3[p])
	}
	sum[0], sum[1], sum[2], sum[3] = s0, s1, s2, s3
}

// genericGrow returns s, or a new slice where s holds fewer than n elements.
func genericGrow[E any](s []E, n int) []E {
	if len(s) < n {
		return make([]E, n)
	}
	return s
}
