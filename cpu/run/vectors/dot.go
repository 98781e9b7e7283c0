package vectors

import "github.com/tilesmith/tilesmith/layout/dtype"

// Dot sums X*Y. Sums are in float64, of four lanes.
func Dot[T dtype.Float](a *Args[T], from, to int) (xy, none float64) {
	x, y := a.X[from:to], a.Y[from:to]
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(float64(x[0]) * float64(y[0]))
		s1 += float64(float64(x[1]) * float64(y[1]))
		s2 += float64(float64(x[2]) * float64(y[2]))
		s3 += float64(float64(x[3]) * float64(y[3]))
		x, y = x[4:], y[4:]
	}
	for i, v := range y {
		s0 += float64(float64(x[i]) * float64(v))
	}
	return (s0 + s1) + (s2 + s3), 0
}

// Dots sums X*Y and X*X, likewise.
func Dots[T dtype.Float](a *Args[T], from, to int) (xy, xx float64) {
	x, y := a.X[from:to], a.Y[from:to]
	var s0, s1, t0, t1 float64
	for len(x) >= 2 && len(y) >= 2 {
		x0, x1 := float64(x[0]), float64(x[1])
		s0 += float64(x0 * float64(y[0]))
		s1 += float64(x1 * float64(y[1]))
		t0 += float64(x0 * x0)
		t1 += float64(x1 * x1)
		x, y = x[2:], y[2:]
	}
	for i, v := range y {
		s0 += float64(float64(x[i]) * float64(v))
		t0 += float64(float64(x[i]) * float64(x[i]))
	}
	return s0 + s1, t0 + t1
}
