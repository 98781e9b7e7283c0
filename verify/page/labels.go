package page

import "math"

// spread moves labels apart. want are the places they would like, in ascending order,
// and gap is what two need. All must lie between from and to. Labels that would overlap
// form a block around the mean of their wishes, which moves them least in the sense of
// squares. If there is no room for all gaps, they shrink.
func spread(want []float64, gap, from, to float64) []float64 {
	n := len(want)
	if n == 0 {
		return nil
	}
	if n > 1 {
		gap = min(gap, (to-from)/float64(n-1))
	}
	type block struct {
		first, n int
		sum      float64 // of want[i] - i*gap: where the block would start were i = 0 its first
	}
	var blocks []block
	for i, w := range want {
		b := block{i, 1, w - float64(i)*gap}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.sum/float64(last.n) <= b.sum/float64(b.n) {
				break
			}
			b = block{last.first, last.n + b.n, last.sum + b.sum}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	at := make([]float64, 0, n)
	for _, b := range blocks {
		// Within these bounds the labels before and after have room.
		base := min(max(b.sum/float64(b.n), from), to-float64(n-1)*gap)
		for i := range b.n {
			at = append(at, base+float64(b.first+i)*gap)
		}
	}
	return at
}

// box is a rectangle by its corners.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) meets(c box) bool { return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 }

func (b box) within(c box) bool { return b.x0 >= c.x0 && b.x1 <= c.x1 && b.y0 >= c.y0 && b.y1 <= c.y1 }

func (b box) grown(by float64) box { return box{b.x0 - by, b.y0 - by, b.x1 + by, b.y1 + by} }

// around is a square around a point.
func around(x, y, r float64) box { return box{x - r, y - r, x + r, y + r} }

// slide finds the place for a label of the given width and height along a line from
// u0 to u1, at one of the heights vs. It is the first, nearest to u0, that meets the least of what is in the
// way. Marks count more than lines, and a label is never on another, nor where inside says no. It returns
// false if there is no place. All lengths are along and across the line.
func slide(u0, u1 float64, vs []float64, w, h float64, inside func(box) bool, marks, lines, labels []box) (box, bool) {
	const step = 6
	best, least := box{}, math.MaxInt
	for _, v := range vs {
		for u := u0; u+w <= u1; u += step {
			b := box{u, v, u + w, v + h}
			if !inside(b) || meets(b, labels) > 0 {
				continue
			}
			if cost := 3*meets(b, marks) + meets(b, lines); cost < least {
				best, least = b, cost
			}
		}
	}
	return best, least < math.MaxInt
}

// meets counts the others that b overlaps.
func meets(b box, others []box) (n int) {
	for _, o := range others {
		if b.meets(o) {
			n++
		}
	}
	return n
}
