package conv

// A window is what a convolution and its derivative by the images both are. Each pixel of a result is a sum
// over taps, pixels of a source times blocks of weights. Pixels of the result are done in passes, which have
// their taps. A convolution has one pass. Its derivative has one for each place of a pixel between those
// that the filter is put on.
type window struct {
	images   int
	src, dst [3]int // rows, columns and channels of an image
	step     [2]int // pixels of the source from a pixel of the result to the next
	pad      [4]int // zeros around the source: rows above and below, columns on the left and on the right
	passes   []pass

	// How kernels see the source; see plan.
	channels int   // of a pixel: those of the source, or more with zeros
	copied   bool  // in a copy, with all zeros
	planes   []int // columns of the padded source that planes of the copy begin with; nil: the copy has rows as they are
	flat     bool  // rows of the result follow each other as pixels of a row do
	rows     int   // of the result that are done together
	inner    int   // pixels of those that are done for all panels before the next ones
}

// A pass is some pixels of the result: count of them from first on, every so many.
type pass struct {
	first, every, count [2]int
	taps                []tap

	// Blocks of what kernels see: where they begin from a pixel's place on, and how many elements of rows they
	// have. Neighbouring taps are one.
	at   []int
	rows []int // of the padded source, counted as a tap's is; they ascend
	cols int
	run  int // taps of a block
}

// A tap is a pixel of the padded source, counted from a pixel's first one, and the tap of the filter that it
// is multiplied by.
type tap struct{ row, col, r, s int }

// forward is the convolution itself.
func forward(s Shape) *window {
	w := &window{images: s.N, src: [3]int{s.H, s.W, s.C}, dst: [3]int{s.OutH(), s.OutW(), s.K}, step: s.Stride}
	w.pad = [4]int{s.Pad[0], s.Pad[0], s.Pad[1], s.Pad[1]}
	p := pass{every: [2]int{1, 1}, count: [2]int{s.OutH(), s.OutW()}}
	for r := range s.R {
		for c := range s.S {
			p.taps = append(p.taps, tap{r * s.Dilation[0], c * s.Dilation[1], r, c})
		}
	}
	w.passes = []pass{p}
	return w
}

// backward is the derivative by the images: the source is that by the result. A pixel at y has those taps r for which y + Pad -
// r*Dilation is a multiple of the stride.
func backward(s Shape) *window {
	w := &window{images: s.N, src: [3]int{s.OutH(), s.OutW(), s.K}, dst: [3]int{s.H, s.W, s.C}, step: [2]int{1, 1}}
	type line struct{ at, tap int }
	var lines [2][][]line // of rows and of columns, for each place between
	sizes, spans := [2]int{s.H, s.W}, [2]int{s.R, s.S}
	for d := range 2 {
		stride, least, most := s.Stride[d], 0, 0
		lines[d] = make([][]line, min(stride, sizes[d]))
		for first := range lines[d] {
			for t := spans[d] - 1; t >= 0; t-- { // the last tap is at the first pixel
				if x := first + s.Pad[d] - t*s.Dilation[d]; x%stride == 0 {
					lines[d][first] = append(lines[d][first], line{x / stride, t})
					least, most = min(least, x/stride), max(most, x/stride+(sizes[d]-first-1)/stride)
				}
			}
		}
		for first := range lines[d] {
			for i := range lines[d][first] {
				lines[d][first][i].at -= least
			}
		}
		w.pad[2*d], w.pad[2*d+1] = -least, max(0, most+1-w.src[d])
	}
	for y, rows := range lines[0] {
		for x, cols := range lines[1] {
			p := pass{first: [2]int{y, x}, every: s.Stride, count: [2]int{(s.H-y-1)/s.Stride[0] + 1, (s.W-x-1)/s.Stride[1] + 1}}
			for _, r := range rows {
				for _, c := range cols {
					p.taps = append(p.taps, tap{r.at, c.at, r.tap, c.tap})
				}
			}
			w.passes = append(w.passes, p)
		}
	}
	return w
}
