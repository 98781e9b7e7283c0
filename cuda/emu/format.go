package emu

import (
	"math"
	"sync"
)

// A format is a float of at most 19 bits.
type format struct {
	exp, man int
	// finite: no infinities, and one NaN a sign, all ones (e4m3).
	finite bool
	nan    uint64
}

var formats = map[string]*format{
	"f16":  {exp: 5, man: 10, nan: 0x7fff},
	"bf16": {exp: 8, man: 7, nan: 0x7fff},
	"e4m3": {exp: 4, man: 3, finite: true, nan: 0x7f},
	"e5m2": {exp: 5, man: 2, nan: 0x7f},
	"tf32": {exp: 8, man: 10, nan: 0x3ffff},
}

func (f *format) bits() int { return 1 + f.exp + f.man }
func (f *format) bias() int { return 1<<(f.exp-1) - 1 }

// decode returns the number that bits mean.
func (f *format) decode(x uint64) float64 {
	e := int(x >> f.man & (1<<f.exp - 1))
	m := x & (1<<f.man - 1)
	var v float64
	switch {
	case e == 1<<f.exp-1 && !f.finite:
		if v = math.Inf(1); m != 0 {
			v = math.NaN()
		}
	case f.finite && x&f.nan == f.nan:
		v = math.NaN()
	case e == 0:
		v = math.Ldexp(float64(m), 1-f.bias()-f.man)
	default:
		v = math.Ldexp(float64(m|1<<f.man), e-f.bias()-f.man)
	}
	if x>>(f.bits()-1)&1 != 0 {
		v = -v
	}
	return v
}

// max returns the greatest finite number's bits.
func (f *format) max() uint64 {
	if f.finite {
		return f.nan - 1
	}
	return (1<<f.exp-1)<<f.man - 1
}

// encode returns the bits of v, which is exact or was rounded to odd. A number that is
// too large becomes infinite. With sat, or if the type has no infinity, it becomes the
// greatest finite number or NaN (ISA 9.7.9.22).
func (f *format) encode(v float64, mode rounding, sat bool) uint64 {
	if v != v {
		return f.nan
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = 1 << (f.bits() - 1)
		v = -v
		switch mode {
		case roundUp:
			mode = roundDown
		case roundDown:
			mode = roundUp
		}
	}
	inf := (uint64(1)<<f.exp - 1) << f.man
	over := inf
	if f.finite {
		over = f.nan
	}
	if sat {
		over = f.max()
	}
	if math.IsInf(v, 0) {
		return sign | over
	}
	if v == 0 {
		return sign
	}
	_, e := math.Frexp(v)
	least := 1 - f.bias()
	e = max(e-1, least)
	n := math.Ldexp(v, f.man-e) // exact: at most 53 bits, and far from the ends
	switch mode {
	case roundNear:
		n = math.RoundToEven(n)
	case roundAway:
		n = math.Round(n)
	case roundUp:
		n = math.Ceil(n)
	default:
		n = math.Floor(n)
	}
	bits := uint64(e-least)<<f.man + uint64(n)
	if e-least >= 1<<f.exp || bits > f.max() {
		if mode == roundZero || mode == roundDown {
			over = f.max()
		}
		return sign | over
	}
	return sign | bits
}

// floats16 has the value of every f16.
var floats16 = sync.OnceValue(func() *[1 << 16]float32 {
	t := new([1 << 16]float32)
	f := formats["f16"]
	for i := range t {
		t[i] = float32(f.decode(uint64(i)))
	}
	return t
})
