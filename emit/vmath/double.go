package vmath

import "github.com/tilesmith/tilesmith/emit"

// double is hi + lo, a number of about twice the precision: lo is what the
// rounding of hi lost, or a little more. Muller et al., Handbook of
// Floating-Point Arithmetic, 2nd ed., chapters 4 and 14.
type double struct{ hi, lo *emit.Value }

// twoSum is x + y, exactly (Knuth): 6 operations.
func (k *kit) twoSum(x, y *emit.Value) double {
	b := k.b
	s := b.Add(x, y)
	v := b.Sub(s, x)
	return double{s, b.Add(b.Sub(x, b.Sub(s, v)), b.Sub(y, v))}
}

// fastSum is x + y, exactly if |x| >= |y| or x is zero (Dekker): 3 operations.
func (k *kit) fastSum(x, y *emit.Value) double {
	s := k.b.Add(x, y)
	return double{s, k.b.Sub(y, k.b.Sub(s, x))}
}

// twoProd is x * y, exactly unless the low part is denormal: 3 operations, one of
// which changes a sign.
func (k *kit) twoProd(x, y *emit.Value) double {
	p := k.b.Mul(x, y)
	return double{p, k.b.FMA(k.b.NegF(p), x, y)}
}

// parts returns a constant given by the parts of its f32 and of its f64 form.
func (k *kit) parts(hi32, lo32, hi64, lo64 float64) double {
	return double{k.c(k.of(hi32, hi64)), k.c(k.of(lo32, lo64))}
}
