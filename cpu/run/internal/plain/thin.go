package plain

import (
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// thinOut is Multiply for few rows or few columns. It computes the transpose
// where that makes the rows few or, if they are anyway, those of b contiguous.
func thinOut[T dtype.AnySum](alpha T, a, b Operand[T], beta T, out layout.Matrix[T], buf *Buf[T]) {
	turn := out.Rows > thin
	if out.Rows <= thin && out.Cols <= thin {
		turn = b.ColStride != 1 && a.RowStride == 1
	}
	if turn {
		a, b, out = b.T(), a.T(), out.T()
	}
	switch {
	case a.Narrow() || b.Narrow():
		thinNarrow(alpha, a, b, beta, out, buf)
	case b.ColStride == 1:
		axpy(alpha, a.Matrix(), b.Matrix(), beta, out, buf)
	default:
		dot(alpha, a.Matrix(), b.Matrix(), beta, out, buf)
	}
}

// thinNarrow is thinOut, for few rows, of operands that have to be converted:
// a block of b once for all rows.
func thinNarrow[T dtype.AnySum](alpha T, a, b Operand[T], beta T, out layout.Matrix[T], buf *Buf[T]) {
	m, n, k := out.Rows, out.Cols, a.Cols
	width := min(n, NarrowNC)
	buf.row = grow(buf.row, (m+1)*width)
	for jc := 0; jc < n; jc += width {
		jEnd := min(jc+width, n)
		sums := layout.RowMajor(buf.row[:m*(jEnd-jc)], m, jEnd-jc)
		clear(sums.Data)
		for pc := 0; pc < k; pc += KC {
			pEnd := min(pc+KC, k)
			x, y := a.rows(&buf.wideA, 0, m, pc, pEnd), b.rows(&buf.wideB, pc, pEnd, jc, jEnd)
			for i := range m {
				sum := sums.Data[i*sums.Cols:][:sums.Cols]
				addBlock(sum, buf.row[m*width:], pc == 0, x.Data[i*x.RowStride:], 1, y.Data, y.RowStride, 0, pEnd-pc)
			}
		}
		for i := range m {
			storeRow(alpha, sums.Data[i*sums.Cols:][:sums.Cols], beta, out, i, jc)
		}
	}
}

// axpy adds multiples of rows of b to a row of sums. It first copies the
// rows where they are not contiguous; then k may not exceed short.
func axpy[T dtype.AnySum](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *Buf[T]) {
	k, rs, cs := a.Cols, a.RowStride, a.ColStride
	width := min(out.Cols, Row)
	switch {
	case b.ColStride != 1:
		buf.row = grow(buf.row, (1+k)*width)
	case k > KC:
		buf.row = grow(buf.row, 2*width)
	default:
		buf.row = grow(buf.row, width)
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
			x := a.Data[i*rs:]
			if k < 4 {
				x0, y0 := x[0], y[:len(sum)]
				for j := range sum {
					var s T
					s += T(x0 * y0[j])
					sum[j] = s
				}
				addRows(sum, x, cs, y, ys, 1, k)
			} else {
				for p := 0; p < k; p += KC {
					addBlock(sum, buf.row[width:], p == 0, x, cs, y, ys, p, min(p+KC, k))
				}
			}
			storeRow(alpha, sum, beta, out, i, jc)
		}
	}
}

// addBlock sums rows p to k of y from 0, as addRows does, and adds the sums to a row of others, unless they are
// the first. part is as long and of no other use.
func addBlock[T dtype.AnySum](sum, part []T, first bool, x []T, cs int, y []T, ys, p, k int) {
	block := sum
	if !first {
		block = part[:len(sum)]
	}
	clear(block)
	addRows(block, x, cs, y, ys, p, k)
	if !first {
		for j, s := range block {
			sum[j] += s
		}
	}
}

// addRows adds rows p to k of y, which are ys apart, to a row of sums. Each is
// multiplied by the element of x that belongs to it.
func addRows[T dtype.AnySum](sum, x []T, cs int, y []T, ys, p, k int) {
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
}

// dot multiplies a row of a by four columns of b at a time. A last group
// that is smaller repeats its last column: four sums take as long as one. A row that is
// not contiguous is copied first, once, or a piece at a time if it is long.
func dot[T dtype.AnySum](alpha T, a, b layout.Matrix[T], beta T, out layout.Matrix[T], buf *Buf[T]) {
	k, n, rs, cs := a.Cols, out.Cols, b.RowStride, b.ColStride
	step := k
	if a.ColStride != 1 {
		step = min(k, piece)
		buf.row = grow(buf.row, step)
	}
	for i := range out.Rows {
		x := a.Data[i*a.RowStride:]
		copied := a.ColStride != 1 && step == k
		if copied {
			x = gather(buf.row, x, k, a.ColStride)
		}
		for j := 0; j < n; j += 4 {
			y0, y1 := b.Data[j*cs:], b.Data[min(j+1, n-1)*cs:]
			y2, y3 := b.Data[min(j+2, n-1)*cs:], b.Data[min(j+3, n-1)*cs:]
			var sum [4]T
			for p := 0; p < k; p += KC {
				block := x
				switch {
				case a.ColStride == 1 || copied:
					block = x[p:]
				case p%step == 0:
					gather(buf.row, x[p*a.ColStride:], min(step, k-p), a.ColStride)
					fallthrough
				default:
					block = buf.row[p%step:]
				}
				var part [4]T
				block = block[:min(KC, k-p)]
				if rs == 1 {
					dot4(&part, block, y0[p:], y1[p:], y2[p:], y3[p:])
				} else {
					at := p * rs
					for _, x := range block {
						part[0] += T(x * y0[at])
						part[1] += T(x * y1[at])
						part[2] += T(x * y2[at])
						part[3] += T(x * y3[at])
						at += rs
					}
				}
				for i, s := range part {
					sum[i] += s
				}
			}
			storeRow(alpha, sum[:min(4, n-j)], beta, out, i, j)
		}
	}
}

// gather copies n elements of x, stride apart, to row.
func gather[T dtype.AnySum](row, x []T, n, stride int) []T {
	row = row[:n]
	for p := range row {
		row[p] = x[p*stride]
	}
	return row
}

// dot4 adds the products of x with four columns to sum.
func dot4[T dtype.AnySum](sum *[4]T, x, y0, y1, y2, y3 []T) {
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
