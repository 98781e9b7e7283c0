package page

import (
	"math"
	"strconv"
	"strings"
)

// axis maps values to pixels, logarithmically: lo and hi are powers of ten, at from
// and to.
type axis struct {
	lo, hi   float64
	from, to float64
}

// at is the pixel of 10^l.
func (a axis) at(l float64) float64 { return a.from + (l-a.lo)/(a.hi-a.lo)*(a.to-a.from) }

// scale is the pixels of a decade, always positive.
func (a axis) scale() float64 { return math.Abs(a.to-a.from) / (a.hi - a.lo) }

// spanning is the range from the least to the greatest of logs with pad decades
// around, and at least one decade wide.
func spanning(logs []float64, pad float64) (lo, hi float64) {
	if len(logs) == 0 {
		return -0.5, 2
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range logs {
		lo, hi = min(lo, l), max(hi, l)
	}
	lo, hi = lo-pad, hi+pad
	if wide := 1 - (hi - lo); wide > 0 {
		lo, hi = lo-wide/2, hi+wide/2
	}
	return lo, hi
}

// tick is a line of the grid; without text it is a fine one.
type tick struct {
	log  float64
	text string
}

// octaves are ticks at powers of two, every one or every second, third, …, so that
// gap pixels are between two.
func (a axis) octaves(gap float64) []tick {
	step := 1
	for float64(step)*math.Log10(2)*a.scale() < gap {
		step++
	}
	if step > 4 || a.hi > 5 || a.lo < -3.5 { // numbers that nobody knows by heart
		return a.decades(gap)
	}
	var t []tick
	first, last := int(math.Ceil(a.lo/math.Log10(2))), int(math.Floor(a.hi/math.Log10(2)))
	for e := first; e <= last; e++ {
		s := ""
		if e%step == 0 {
			s = plain(math.Ldexp(1, e))
		}
		t = append(t, tick{float64(e) * math.Log10(2), s})
	}
	return t
}

// decades are ticks at 1, 2 and 5 in each decade, or at powers of ten, or at fewer.
func (a axis) decades(gap float64) []tick {
	step := 1
	for float64(step)*a.scale() < gap {
		step++
	}
	var t []tick
	for e := int(math.Floor(a.lo)); e <= int(math.Ceil(a.hi)); e++ {
		for _, m := range []float64{1, 2, 5} {
			l := float64(e) + math.Log10(m)
			within := l >= a.lo && l <= a.hi
			switch {
			case !within:
			case m == 1 && e%step == 0:
				t = append(t, tick{l, plain(math.Pow10(e))})
			case m == 1:
				t = append(t, tick{l, ""})
			case math.Log10(2)*a.scale() >= gap: // from 1 to 2 and from 5 to 10 is the same
				t = append(t, tick{l, plain(m * math.Pow10(e))})
			case step == 1:
				t = append(t, tick{l, ""})
			}
		}
	}
	return t
}

// plain writes a tick as people do: 0.125, 64, 1e9.
func plain(v float64) string {
	if v >= 0.99e5 || v < 0.99e-3 {
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		n, _ := strconv.Atoi(exp)
		return mantissa + "e" + strconv.Itoa(n)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
