package conv

import "github.com/tilesmith/tilesmith/layout/pages"

// seen returns what kernels see of an image from a row of the result on, for n rows: the image itself, or a
// copy in b.
func (x *walk[T, S]) seen(b *buffer[T], src []T, first, n int) []T {
	if !x.copied {
		return src[first*x.step[0]*x.wide():]
	}
	rows, planes := x.reach(n), max(1, len(x.planes))
	apart := x.reach(x.rows) * x.wide() // from a plane to the next
	if size := (planes-1)*apart + rows*x.wide(); len(b.rows) < size {
		b.rows = pages.Make[T](size)
	}
	for q := range planes {
		for i := range rows {
			to := b.rows[q*apart+i*x.wide():][:x.wide()]
			switch {
			case x.planes == nil:
				x.copyRow(to, src, first*x.step[0]+i-x.pad[0], x.pad[2], 1)
			case x.step[0] > 1:
				x.copyRow(to, src, (first+i)*x.step[0]+x.passes[0].taps[0].row-x.pad[0], x.pad[2]-x.planes[q], x.step[1])
			default:
				x.copyRow(to, src, first+i-x.pad[0], x.pad[2]-x.planes[q], x.step[1])
			}
		}
	}
	return b.rows
}

// copyRow sets pixels of to to those of a row of an image: the first to pixel -before, and so on, every so
// many. It sets them to 0 outside the image.
func (x *walk[T, S]) copyRow(to, src []T, row, before, every int) {
	if row < 0 || row >= x.src[0] {
		clear(to)
		return
	}
	c, n := x.src[2], len(to)/x.channels
	from := src[row*x.src[1]*c:][:x.src[1]*c]
	first := min(n, max(0, (before+every-1)/every))               // the first pixel inside
	behind := min(n, max(first, (x.src[1]+before+every-1)/every)) // and the first one behind
	clear(to[:first*x.channels])
	clear(to[behind*x.channels:])
	if first < behind && c == x.channels && every == 1 {
		copy(to[first*c:behind*c], from[(first-before)*c:])
		return
	}
	for j := first; j < behind; j++ {
		pixel := to[j*x.channels:][:x.channels]
		clear(pixel[copy(pixel, from[(j*every-before)*c:][:c]):])
	}
}
