package level12

// Products of float32 that are summed in float64.

// Dsdot returns the sum of x[i]*y[i], in float64.
func (b Float32) Dsdot(n int, x []float32, incX int, y []float32, incY int) float64 {
	if incX == 1 && incY == 1 && gainsMore(n, min(len(x), len(y)), 4) {
		return DotWide(x[:n], y[:n])
	}
	refuseWrapped(n, incX, incY)
	return b.Implementation.Dsdot(n, x, incX, y, incY)
}

// Sdsdot returns alpha and the sum of x[i]*y[i], added up in float64 and then rounded.
func (b Float32) Sdsdot(n int, alpha float32, x []float32, incX int, y []float32, incY int) float32 {
	if incX == 1 && incY == 1 && gainsMore(n, min(len(x), len(y)), 4) {
		return float32(float64(alpha) + DotWide(x[:n], y[:n]))
	}
	refuseWrapped(n, incX, incY)
	return b.Implementation.Sdsdot(n, alpha, x, incX, y, incY)
}
