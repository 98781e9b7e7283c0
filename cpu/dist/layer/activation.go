package layer

import (
	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/layout"
)

// activate puts act(z + bias) into y, which may be z, and z + bias into z.
func (l *Layer[T]) activate(y, z layout.Matrix[T], bias []T) {
	if f := l.opt.Act.F; f != nil || bias != nil || !same(y, z) {
		local.Tiles(l.opt.Local.Threads, z, 0, 0, func(tile layout.Matrix[T], row, _ int) {
			for i := range tile.Rows {
				for j := range tile.Cols {
					v := tile.At(i, j)
					if bias != nil {
						v += bias[j]
						tile.Set(i, j, v)
					}
					if f != nil {
						v = f(v)
					}
					y.Set(row+i, j, v)
				}
			}
		})
	}
}

// gradient returns dy times the derivative of the activation at z.
func (l *Layer[T]) gradient(dy, z layout.Matrix[T]) layout.Matrix[T] {
	if l.opt.Act.F == nil {
		return dy
	}
	dz := l.temp(0, dy.Rows, dy.Cols)
	grad := l.opt.Act.Grad
	local.Tiles(l.opt.Local.Threads, dz, 0, 0, func(tile layout.Matrix[T], row, _ int) {
		for i := range tile.Rows {
			for j := range tile.Cols {
				tile.Set(i, j, dy.At(row+i, j)*grad(z.At(row+i, j)))
			}
		}
	})
	return dz
}

// weightGradient leaves x'*dz in DW and the sums of dz's columns in DBias.
func (l *Layer[T]) weightGradient(x, dz layout.Matrix[T]) {
	cpu.MatMulOpt(l.opt.Local, l.DW, x.T(), dz)
	if l.DBias == nil {
		return
	}
	clear(l.DBias)
	for i := range dz.Rows {
		for j := range l.DBias {
			l.DBias[j] += dz.At(i, j)
		}
	}
}

// finish is done to each sum where it was added up, before others get it. It adds the bias,
// and applies the activation unless z is kept.
func (l *Layer[T]) finish(keep bool) func(own []T, at int) {
	f := l.opt.Act.F
	if keep {
		f = nil
	}
	out := l.part.Cols.Len()
	if out == 0 || f == nil && l.Bias == nil {
		return nil
	}
	return func(own []T, at int) {
		j := at % out
		for i, v := range own {
			if l.Bias != nil {
				v += l.Bias[j]
			}
			if f != nil {
				v = f(v)
			}
			own[i] = v
			if j++; j == out {
				j = 0
			}
		}
	}
}
