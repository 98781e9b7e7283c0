package check

import "math"

// Operands whose range a spec states. Their elements are of it, and so is what the oracle tries instead.

// ranged reports whether the slot has a range.
func (s *Slot) ranged() bool { return s.Low != s.High }

// clamp returns x, or the end of the range beyond which it is.
func (s *Slot) clamp(x float64) float64 {
	if !s.ranged() {
		return x
	}
	return max(s.Low, min(s.High, x))
}

// has reports whether x is in the range.
func (s *Slot) has(x float64) bool { return s.Low <= x && x <= s.High }

// drawWithin replaces the elements of an operand by some of its range: an end, a number next to it, zeros and ones,
// what other operands have, and numbers of all sizes between.
func (p *Problem) drawWithin(s *Slot, o *operand) {
	hard := s.hard(p.c.Flushes)
	usual := p.draws(s.Type)
	for i := range o.elems.size() {
		x := roundTo(s.Type, usual())
		switch kind := p.rng.IntN(4); {
		case kind == 0:
			x = hard[p.rng.IntN(len(hard))]
		case kind == 1 || !s.has(x):
			x = roundTo(s.Type, s.clamp(s.between(p.rng.Float64(), p.rng.IntN(2) == 0)))
		}
		if x-x != 0 { // rounded beyond the largest number of a narrow type, where the range is open
			x = hard[0]
		}
		o.store(i, x)
	}
}

// hard are the numbers of the range at which functions change: its ends first, their neighbours, and small integers. There is
// one at least. Denormal ones are left out where kernels flush them.
func (s *Slot) hard(flushes bool) (list []float64) {
	add := func(x float64) {
		if x = roundTo(s.Type, x); s.has(x) && !math.IsInf(x, 0) {
			list = append(list, x)
		}
	}
	for _, n := range []float64{0, -1, 1} {
		for _, end := range []float64{s.Low, s.High} {
			if x := end + n*ulpOf(s.Type, end); !flushes || !denormal(s.Type, x) {
				add(x)
			}
		}
	}
	for _, x := range []float64{0, 1, -1} {
		add(x)
	}
	return list
}

// between is a number of the range for a fraction u of it: by size, if all of the range is on one side of 0 and sizes wants it.
func (s *Slot) between(u float64, sizes bool) float64 {
	low, high := s.Low, s.High
	const far = 1 << 10 // beyond the end of a range with an open side
	switch {
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		low, high = -far, far
	case math.IsInf(high, 0):
		high = min(max(low+far, low+math.Abs(low)), math.MaxFloat64)
	case math.IsInf(low, 0):
		low = max(min(high-far, high-math.Abs(high)), -math.MaxFloat64)
	}
	switch least := smallNormalOf(s.Type); {
	case sizes && low > 0:
		low = max(low, min(least, high))
		return low * math.Pow(high/low, u)
	case sizes && high < 0:
		high = min(high, max(-least, low))
		return high * math.Pow(low/high, u)
	}
	return low*(1-u) + high*u
}
