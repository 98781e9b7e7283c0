package vmath

import (
	"math"

	"github.com/tilesmith/tilesmith/emit"
)

// rcbrtPoly is about (1+m)^(-1/3) for sqrt(1/2) <= 1+m <= sqrt(2): minimax in the
// relative error, made as expPoly. Degree 5, error 2^-17.4.
var rcbrtPoly = poly{
	f32: []float64{0x1.00004p0, -0x1.554168p-2, 0x1.c5e318p-3, -0x1.683892p-3, 0x1.481e36p-3, -0x1.b89cb8p-4},
	f64: []float64{0x1.0000408b1579p0, -0x1.554263d712c3ap-2, 0x1.c5d8af63ee35dp-3, -0x1.6812b718443dep-3, 0x1.488b0c6c0f819p-3,
		-0x1.baacdc691d455p-4},
}

// Cbrt returns the cube root of x. Let |x| = 2^(3n)*z with z from 0.35 to 2.83. Then y
// is about z^(-1/3), and better after one step of Newton's method in f64. z*y^2 is
// about the root of z, and a second step makes it as good as it gets. That step needs
// no division, as y^2 is about the inverse of the root's square.
//
// f32: at most 1 ulp for all inputs, 45 operations. f64: 1 ulp, 51.
func Cbrt(b *emit.Builder, x *emit.Value) *emit.Value {
	k := newKit(b, x)
	a, sign := k.abs(x)
	e, m := k.split(a)
	t, n := k.near(e, 1.0/3)
	rest := b.FMA(e, n, k.c(-3)) // -1, 0 or 1
	up, down := b.Cmp("gt", rest, k.c(0)), b.Cmp("lt", rest, k.c(0))
	pick := func(low, mid, high float64) *emit.Value {
		return b.Select(up, k.c(high), b.Select(down, k.c(low), k.c(mid)))
	}
	z := b.Mul(b.Add(m, k.c(1)), pick(0.5, 1, 2))
	y := b.Mul(k.horner(rcbrtPoly, m), pick(math.Cbrt(2), 1, math.Cbrt(0.5)))
	third := k.c(1.0 / 3)
	if k.bits == 64 {
		left := b.FMA(k.c(1), b.NegF(b.Mul(y, y)), b.Mul(z, y)) // 1 - z*y^3
		y = b.FMA(y, b.Mul(y, third), left)
	}
	sq := b.Mul(y, y)
	root := b.Mul(z, sq)
	left := b.FMA(z, b.NegF(b.Mul(root, root)), root)
	root = b.FMA(root, b.Mul(sq, third), left)
	root = k.withSign(b.Mul(root, k.pow2(t, 0)), sign)
	root = b.Select(b.Cmp("lt", a, k.c(math.Inf(1))), root, x)
	return b.Select(b.Cmp("eq", x, k.c(0)), x, root)
}
