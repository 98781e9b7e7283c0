package main

import (
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout"
)

// The pictures are side x side pixels of 0 to 1, of one of ten classes.
const (
	side    = 28
	pixels  = side * side
	classes = 10
)

// A segment is a stroke of a digit, on a square from (-1, -1) to (1, 1) with y downwards.
type segment struct{ x0, y0, x1, y1 float64 }

// The strokes of a seven-segment display:
//
//	 --0--
//	5     1
//	 --6--
//	4     2
//	 --3--
var strokes = [7]segment{
	{-.5, -.9, .5, -.9}, {.5, -.9, .5, 0}, {.5, 0, .5, .9}, {-.5, .9, .5, .9}, {-.5, 0, -.5, .9}, {-.5, -.9, -.5, 0}, {-.5, 0, .5, 0},
}

// digits says which strokes each digit has, a bit for each.
var digits = [classes]uint8{0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f}

// A Task is pictures, one a row, and what they show.
type Task struct {
	Pictures layout.Matrix[float32]
	Labels   []uint8
}

// NewTask draws n pictures of digits: turned, slanted, scaled and moved, with strokes of some
// width that are not quite where they belong. The background has noise and a bright blot or
// two. What it draws depends on n and seed only.
func NewTask(n int, seed uint64) *Task {
	t := &Task{Pictures: layout.New[float32](n, pixels), Labels: make([]uint8, n)}
	rng := rand.New(rand.NewPCG(seed, 0x7e57))
	for i := range n {
		t.Labels[i] = uint8(rng.IntN(classes))
		draw(t.Pictures.Data[i*pixels:][:pixels], t.Labels[i], rng)
	}
	return t
}

// draw makes one picture.
func draw(picture []float32, digit uint8, rng *rand.Rand) {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	turn, slant := between(-.35, .35), between(-.3, .3)
	sx, sy := between(5, 9), between(6.5, 10.5) // pixels from the middle of a digit to its edge
	mx, my := side/2+between(-3.5, 3.5), side/2+between(-3, 3)
	sin, cos := math.Sincos(turn)
	place := func(x, y float64) (float64, float64) {
		x, y = (x+between(-.07, .07)+slant*y)*sx, (y+between(-.07, .07))*sy
		return mx + cos*x - sin*y, my + sin*x + cos*y
	}
	var lines []segment
	for s, l := range strokes {
		if digits[digit]>>s&1 != 0 {
			x0, y0 := place(l.x0, l.y0)
			x1, y1 := place(l.x1, l.y1)
			lines = append(lines, segment{x0, y0, x1, y1})
		}
	}
	for range rng.IntN(3) { // blots
		x, y := between(2, side-2), between(2, side-2)
		lines = append(lines, segment{x, y, x + between(-2, 2), y + between(-2, 2)})
	}
	width, noise := between(.8, 1.6), between(.02, .12)
	for i := range picture {
		d := math.Inf(1)
		for _, l := range lines {
			d = min(d, l.distance(float64(i%side)+.5, float64(i/side)+.5))
		}
		ink := max(0, min(1, width+.5-d)) + noise*rng.NormFloat64()
		picture[i] = float32(max(0, min(1, ink)))
	}
}

// distance is that of a point from the segment.
func (s segment) distance(x, y float64) float64 {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	at := ((x-s.x0)*dx + (y-s.y0)*dy) / max(dx*dx+dy*dy, 1e-9)
	at = max(0, min(1, at))
	return math.Hypot(x-s.x0-at*dx, y-s.y0-at*dy)
}

// Rows returns the pictures from lo to hi.
func (t *Task) Rows(lo, hi int) layout.Matrix[float32] {
	return t.Pictures.Slice(lo, hi, 0, pixels)
}
