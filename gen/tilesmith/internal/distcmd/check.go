package distcmd

import (
	"math"

	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// denseAt is the dense matrix, which any rank can work out anywhere.
func denseAt[T dtype.Float](row int64, f int) T {
	x := uint64(row)*0x9e3779b97f4a7c15 + uint64(f)*0xbf58476d1ce4e5b9
	x ^= x >> 29
	x *= 0x94d049bb133111eb
	return T(float64(int64(x>>40)-1<<23) / (1 << 23))
}

// distError is the largest error of the rank's rows, as a part of the bound that sums of as
// many products have.
func distError[T dtype.Float](p parts.Part[T], y layout.Matrix[T], features int) (worst float64) {
	unit, largest := math.Ldexp(1, -24), math.MaxFloat32
	if dtype.Of[T]() == dtype.F64 {
		unit, largest = math.Ldexp(1, -53), math.MaxFloat64
	}
	own := len(p.OwnCols)
	sum, size, count := make([]float64, y.Rows*features), make([]float64, y.Rows*features), make([]float64, y.Rows)
	for e, v := range p.A.All() {
		id := int64(0)
		if e.J < own {
			id = p.OwnCols[e.J]
		} else {
			id = p.Halo[e.J-own]
		}
		count[e.I]++
		for f := range features {
			x := float64(v) * float64(denseAt[T](id, f))
			sum[e.I*features+f] += x
			size[e.I*features+f] += math.Abs(x)
		}
	}
	for i := range y.Rows {
		for f := range features {
			at := i*features + f
			bound := (count[i] + 2) * unit * size[at]
			got := float64(y.At(i, f))
			switch d := math.Abs(got - sum[at]); {
			case got == sum[at], got != got && sum[at] != sum[at]: // infinite or NaN, both of them
			case size[at] > largest && !math.IsInf(size[at], 1): // sums on the way may be infinite: there is no bound
			case d != d:
				return math.Inf(1)
			case d > 0:
				worst = max(worst, d/bound)
			}
		}
	}
	return worst
}
