package level12

// Level 1. Contiguous vectors, of elements enough, are for kernels; other increments, and what is wrong, are for gonum,
// which panics as it does. What is here of Float64 is of Float32 in float32.go, which is made of this file and blas2.go.

// refuseWrapped keeps gonum from increments that its checks do not see. It is inlined: most are 1.
func refuseWrapped(n, incX, incY int) {
	if incX != 1 || incY != 1 {
		refuseWraps(n, incX, incY)
	}
}

func refuseWraps(n, incX, incY int) {
	refuseWrap(n, incX, shortX)
	refuseWrap(n, incY, shortY)
}

// Ddot returns the sum of x[i]*y[i].
func (b Float64) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX == 1 && incY == 1 && gainsMore(n, min(len(x), len(y)), 8) {
		return Dot(x[:n], y[:n])
	}
	refuseWrapped(n, incX, incY)
	return b.Implementation.Ddot(n, x, incX, y, incY)
}

// Daxpy adds alpha*x to y.
func (b Float64) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if incX == 1 && incY == 1 && gainsMore(n, min(len(x), len(y)), 8) {
		if alpha != 0 {
			Axpy(alpha, x[:n], y[:n])
		}
		return
	}
	refuseWrapped(n, incX, incY)
	b.Implementation.Daxpy(n, alpha, x, incX, y, incY)
}

// Dscal multiplies x by alpha; with 0 it clears x, NaNs too.
func (b Float64) Dscal(n int, alpha float64, x []float64, incX int) {
	if incX == 1 && gainsMore(n, len(x), 8) {
		if alpha == 0 {
			clear(x[:n])
		} else {
			Scal(alpha, x[:n])
		}
		return
	}
	refuseWrapped(n, incX, 1)
	b.Implementation.Dscal(n, alpha, x, incX)
}

// Dcopy copies x to y.
func (b Float64) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	refuseWrapped(n, incX, incY)
	b.Implementation.Dcopy(n, x, incX, y, incY)
}

// Dswap exchanges x and y.
func (b Float64) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	if incX == 1 && incY == 1 && gains(n, min(len(x), len(y))) {
		Swap(x[:n], y[:n])
		return
	}
	refuseWrapped(n, incX, incY)
	b.Implementation.Dswap(n, x, incX, y, incY)
}

// Drot sets x[i] to c*x[i] + s*y[i], and y[i] to c*y[i] - s*x[i].
func (b Float64) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	if incX == 1 && incY == 1 && gains(n, min(len(x), len(y))) {
		Rot(x[:n], y[:n], c, s)
		return
	}
	refuseWrapped(n, incX, incY)
	b.Implementation.Drot(n, x, incX, y, incY, c, s)
}

// Dnrm2 returns the Euclidean norm of x, which overflows or underflows only if the norm itself does.
func (b Float64) Dnrm2(n int, x []float64, incX int) float64 {
	if incX == 1 && gains(n, len(x)) {
		return Nrm2(x[:n])
	}
	refuseWrapped(n, incX, 1)
	return b.Implementation.Dnrm2(n, x, incX)
}

// Dasum returns the sum of |x[i]|.
func (b Float64) Dasum(n int, x []float64, incX int) float64 {
	if incX == 1 && gains(n, len(x)) {
		return Asum(x[:n])
	}
	refuseWrapped(n, incX, 1)
	return b.Implementation.Dasum(n, x, incX)
}

// Idamax returns the index of the first x[i] with the greatest |x[i]|, passing over NaNs but for one in front.
func (b Float64) Idamax(n int, x []float64, incX int) int {
	if incX == 1 && n <= len(x) && gains(n/2, len(x)) {
		return Iamax(x[:n])
	}
	refuseWrapped(n, incX, 1)
	return b.Implementation.Idamax(n, x, incX)
}
