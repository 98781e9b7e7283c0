package conv

import "slices"

// limits are what kernels and caches ask of a plan.
type limits struct {
	size  int // bytes of an element
	most  int // columns of a block
	pairs int // a block's columns are a whole number of these,
	tile  int // and of these, or fewer
	width int // columns of a panel of weights
	rows  int // pixels that a kernel does at once
}

const (
	// cached is how many bytes of a source are gone through again for each panel of weights: part of the second cache.
	cached = 768 << 10
	copied = 160 << 10
	// scratch is how many bytes of sums wait to be rounded,
	scratch = 128 << 10
	// resident is how many bytes of weights stay in the second cache, if they are gone through again for every few pixels,
	resident = 1280 << 10
	// near and how many bytes of these pixels stay in the first one.
	near = 32 << 10
)

// plan decides how kernels see the source. If images have zeros around them it is a copy, made row by row as
// rows are needed:
//
//	rows            . . . . . .   of the padded image: a pixel's taps lie at offsets that are the same for all pixels
//	                . x x x x .   of a row, and those of a row of the filter side by side
//	                . y y y y .
//
//	planes          . x x x   x x x x   x x x .     one for each column of the filter, with the pixels that it meets: all rows
//	                . y y y   y y y y   y y y .     of a result are as one, so that they need not fill tiles one by one
//
// Planes are more to copy, and for results with narrow rows, or with strides between the pixels of a filter with one row.
func (w *window) plan(l limits) {
	fits := func(cols int) bool { return cols%l.pairs == 0 && (cols < l.tile || cols%l.tile == 0) && cols <= l.most }
	c := w.src[2]
	pieces := (c + l.most - 1) / l.most
	piece, up := (c+pieces-1)/pieces, l.pairs
	if piece > l.tile {
		up = l.tile
	}
	piece = (piece + up - 1) / up * up
	w.channels = piece * pieces
	w.copied = w.pad != [4]int{} || w.channels != c
	w.plane(l)
	w.flat = w.flat || w.planes != nil
	w.divide(l)
	for i := range w.passes {
		p := &w.passes[i]
		p.cols, p.run = piece, 1
		if n := runs(p.taps); l.rows > 1 && w.planes == nil && fits(n*w.channels) {
			p.cols, p.run = n*w.channels, n
		}
		for t := 0; t < len(p.taps); t += p.run {
			for k := 0; k < p.run*w.channels; k += p.cols {
				p.at, p.rows = append(p.at, w.offset(p.taps[t])+k), append(p.rows, p.taps[t].row)
			}
		}
	}
}

// plane decides whether the copy has planes, and whether rows are as one.
func (w *window) plane(l limits) {
	p := &w.passes[0]
	if len(w.passes) > 1 || p.every != [2]int{1, 1} || l.rows == 1 { // rows of a depthwise convolution are done one by one
		return
	}
	oneRow := !slices.ContainsFunc(p.taps, func(t tap) bool { return t.row != p.taps[0].row })
	rows, images := w.mergeable()
	w.flat = rows && !w.copied
	switch {
	case w.flat && images:
		w.src[0], w.dst[0], p.count[0], w.images = w.images*w.src[0], w.images*w.dst[0], w.images*p.count[0], 1
	case w.flat || w.step[0] > 1 && !oneRow:
	case p.count[1]%l.rows != 0 && p.count[1] < 4*l.rows && (w.copied || w.step != [2]int{1, 1}):
		w.copied = true
		for _, t := range p.taps {
			if !slices.Contains(w.planes, t.col) {
				w.planes = append(w.planes, t.col)
			}
		}
	}
}

// mergeable reports whether all rows of a result can be computed as one long row, and all images as one high image.
//
// With no zeros around images, pixel x of row y of image n starts at source pixel n*H*W + y*step[0]*W +
// x*step[1]. Taps have the same offsets from there for every pixel. Rows merge if the next row starts one
// step after the last pixel of the row before. Images merge if the next image starts one step after the last
// row of the image before. Both must hold in the source and in the result.
func (w *window) mergeable() (rows, images bool) {
	if w.pad != [4]int{} || len(w.passes) > 1 {
		return false, false
	}
	p := &w.passes[0]
	contiguous := func(distance, count, step int) bool { return distance == count*step }
	rows = contiguous(w.step[0]*w.src[1], p.count[1], w.step[1]) && contiguous(p.every[0]*w.dst[1], p.count[1], p.every[1]) // in pixels
	images = contiguous(w.src[0], p.count[0], w.step[0]) && contiguous(w.dst[0], p.count[0], p.every[0])                    // in rows
	return rows, images
}

// divide chooses how much is done together.
func (w *window) divide(l limits) {
	weights := 0
	for _, p := range w.passes {
		weights += len(p.taps) * w.channels * w.dst[2] * l.size
	}
	bytes, some := cached, l.rows*max(2, near/(l.rows*w.channels*l.size))
	if weights <= resident {
		bytes = copied
	}
	w.rows = min(w.most(), max(2, bytes/max(1, w.step[0]*w.wide()*max(1, len(w.planes))*l.size)&^1))
	if w.inner = w.rows * w.dst[1]; weights <= resident {
		w.inner = some
		if l.tile > 1 { // sums that are rounded lie in memory meanwhile
			w.inner = l.rows * max(1, min(scratch/(l.rows*w.dst[2]*4), near/(l.rows*w.channels*l.size)))
		}
	}
}

// offset is where a tap's first pixel lies.
func (w *window) offset(t tap) int {
	if w.planes == nil {
		return t.row*w.wide() + t.col*w.channels
	}
	row := t.row
	if w.step[0] > 1 { // the copy has nothing but rows that are met
		row = 0
	}
	return (slices.Index(w.planes, t.col)*w.reach(w.rows) + row) * w.wide()
}

// width is how many pixels a row has that kernels see, and wide how many elements.
func (w *window) width() int {
	if w.planes != nil {
		return w.passes[0].count[1]
	}
	return w.pad[2] + w.src[1] + w.pad[3]
}

func (w *window) wide() int { return w.width() * w.channels }

// steps is how many pixels of what kernels see one pixel of the result is from the next, of a column and of a row.
func (w *window) steps() (down, right int) {
	if w.planes != nil {
		return 1, 1
	}
	return w.step[0], w.step[1]
}

// reach is how many rows kernels see for n rows of the result, of all passes.
func (w *window) reach(n int) int {
	if w.planes != nil && w.step[0] > 1 {
		return n
	}
	most := 0
	for _, p := range w.passes {
		for _, t := range p.taps {
			most = max(most, t.row)
		}
	}
	return (n-1)*w.step[0] + most + 1
}

// most is how many rows the pass has that has most.
func (w *window) most() int {
	n := 0
	for _, p := range w.passes {
		n = max(n, p.count[0])
	}
	return n
}

// inside is which blocks of a pass a row of the result meets in the image, above and below which there are
// zeros. It is all of them if there are no zeros.
func (w *window) inside(p *pass, row int) (from, to int) {
	top := row*w.step[0] - w.pad[0]
	to = len(p.rows)
	if w.planes != nil {
		return 0, to
	}
	for from < to && top+p.rows[from] < 0 {
		from++
	}
	for to > from && top+p.rows[to-1] >= w.src[0] {
		to--
	}
	if from == to {
		return 0, len(p.rows)
	}
	return from, to
}

// runs is how many taps are neighbours in a row, the same for all taps; 1 if there are no
// such runs.
func runs(taps []tap) int {
	n := 0
	for n < len(taps) && taps[n].row == taps[0].row && taps[n].col == taps[0].col+n {
		n++
	}
	if n == 0 || len(taps)%n != 0 {
		return 1
	}
	for i, t := range taps {
		if first := taps[i-i%n]; t.row != first.row || t.col != first.col+i%n {
			return 1
		}
	}
	return n
}
