package gpu

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
)

// simt is any [Operator] on f32 without tensor cores: each thread has a block of
// sums of its own. A warp is 4 lanes down and 8 across. A lane has wm/4 rows and wn/8
// columns, spread so that lanes that read together read neighbours:
//
//	rows     4*lane + 16*i + {0, 1, 2, 3}
//	columns  4*lane + 32*j + {0, 1, 2, 3}  from a tile contiguous along N: 16 bytes
//	columns    lane +  8*j                 from one contiguous along K: 16 bytes are
//	                                       four steps of K of one column
//
// Lanes side by side share their rows, so A is broadcast and never in conflict.
type simt struct{ op gemm.Operator }

func (o simt) String() string { return "simt." + o.op.String() }

// Sum returns f32.
func (o simt) Sum() emit.Elem { return emit.F32 }

// Pad asks the operator; most are products, in which zeros count for nothing.
func (o simt) Pad() float64 {
	if p, ok := o.op.(interface{ Pad() float64 }); ok {
		return p.Pad()
	}
	return 0
}

// Join is the operator's.
func (o simt) Join(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return o.op.(gemm.Joiner).Join(b, x, y)
}

// Joins reports whether it has one.
func (o simt) Joins() bool {
	_, ok := o.op.(gemm.Joiner)
	return ok
}

// depth is the step of K: 16 bytes along K if one of the operands is read so.
func (o simt) depth(aK, bK bool) int {
	if aK || bK {
		return 4
	}
	return 1
}

func (o simt) Fragment(aK, bK bool) tiling.Fragment {
	k, each := o.depth(aK, bK), 2
	if _, ok := o.op.(gemm.FMA); ok {
		each = 1
	}
	return tiling.Fragment{M: 16, N: 32, K: k, Sum: 4, Each: each, Registers: func(wm, wn int) int {
		return wm*wn/32 + 2*k*(wm/4+wn/8)
	}}
}

func (o simt) Fragments(wm, wn int, aK, bK bool) fragments {
	f32 := emit.Scalar(emit.F32)
	depth, tall, broad := o.depth(aK, bK), wm/4, wn/8
	row := func(r int) int { return r/4*16 + r%4 }
	col := func(c int) int {
		if bK {
			return 8 * c
		}
		return c/4*32 + c%4
	}
	down := func(b *emit.Builder, lane *emit.Value) *emit.Value { return times(b, b.Shr(lane, b.Int(3)), 4) }
	across := func(b *emit.Builder, lane *emit.Value) *emit.Value {
		c := b.And(lane, b.Int(7))
		if bK {
			return c
		}
		return times(b, c, 4)
	}
	read4 := func(b *emit.Builder, a emit.Addr) []*emit.Value {
		return lanesOf(b, b.Load(emit.Vector(emit.F32, 4), a))
	}
	// loads lists the loads for n rows or columns; get finds element (i, k) in what
	// they gave.
	loads := func(n int, kMajor bool, where func(int) int) (at []coordinate, get func(x []*emit.Value, i, k int) *emit.Value) {
		if kMajor {
			for i := range n {
				at = append(at, coordinate{where(i), 0})
			}
			return at, func(x []*emit.Value, i, k int) *emit.Value { return x[4*i+k] }
		}
		for k := range depth {
			for i := 0; i < n; i += 4 {
				at = append(at, coordinate{where(i), k})
			}
		}
		return at, func(x []*emit.Value, i, k int) *emit.Value { return x[k*n+i] }
	}
	atA, getA := loads(tall, aK, row)
	atB, getB := loads(broad, bK, col)
	inRegisters := registers{
		operands: []reads{
			{k: depth, at: atA, align: 16, load: read4, lane: func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) { return down(b, lane), b.Int(0) }},
			{k: depth, at: atB, align: 16, load: read4, lane: func(b *emit.Builder, lane *emit.Value) (mn, k *emit.Value) { return across(b, lane), b.Int(0) }},
		},
		identity: func(b *emit.Builder) []*emit.Value {
			acc := make([]*emit.Value, tall*broad)
			for i := range acc {
				acc[i] = o.op.Identity(b, f32)
			}
			return acc
		},
		step: func(b *emit.Builder, acc []*emit.Value, operands [][]*emit.Value) []*emit.Value {
			x, y := operands[0], operands[1]
			next := append([]*emit.Value(nil), acc...)
			for k := range depth {
				for i := range tall {
					for j := range broad {
						next[i*broad+j] = o.op.Step(b, next[i*broad+j], getA(x, i, k), getB(y, j, k))
					}
				}
			}
			return next
		},
	}
	return fragments{
		multiplier: inRegisters,
		lane:       func(b *emit.Builder, lane *emit.Value) (row, col *emit.Value) { return down(b, lane), across(b, lane) },
		runs: func(b *emit.Builder, acc []*emit.Value) (runs []accRun) {
			n := 4
			if bK {
				n = 1
			}
			for i := 0; i < len(acc); i += n {
				runs = append(runs, accRun{row(i / broad), col(i % broad), acc[i : i+n]})
			}
			return runs
		},
	}
}

// ptxSemiring is a semiring of f32 where max and min with Go's NaN and zeros are one
// instruction each.
type ptxSemiring struct{ gemm.Semiring }

// Step is that of the semiring.
func (o ptxSemiring) Step(b *emit.Builder, acc, x, y *emit.Value) *emit.Value {
	return o.Join(b, acc, o.Product(b, x, y))
}

// Join is that of the semiring.
func (o ptxSemiring) Join(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return maxMin(b, o.PlusBy, o.Semiring.Join, x, y)
}

// Product is that of the semiring.
func (o ptxSemiring) Product(b *emit.Builder, x, y *emit.Value) *emit.Value {
	return maxMin(b, o.TimesBy, o.Semiring.Product, x, y)
}

// maxMin returns what f does of x and y, by one instruction if it is max or min.
func maxMin(b *emit.Builder, by semiring.Instruction, f func(b *emit.Builder, x, y *emit.Value) *emit.Value, x, y *emit.Value) *emit.Value {
	switch by {
	case semiring.MaxBy:
		return b.Inst(inst.MaxNaN, 0, x, y)[0]
	case semiring.MinBy:
		return b.Inst(inst.MinNaN, 0, x, y)[0]
	}
	return f(b, x, y)
}

// lanesOf returns the lanes of a vector as scalars.
func lanesOf(b *emit.Builder, v *emit.Value) []*emit.Value {
	if v.Type.Lanes == 1 {
		return []*emit.Value{v}
	}
	x := make([]*emit.Value, v.Type.Lanes)
	for i := range x {
		x[i] = b.Shuffle([]int{i}, v)
	}
	return x
}

// lanesFrom returns n lanes of v from the first on.
func lanesFrom(b *emit.Builder, v *emit.Value, first, n int) *emit.Value {
	if n == v.Type.Lanes {
		return v
	}
	perm := make([]int, n)
	for i := range perm {
		perm[i] = first + i
	}
	return b.Shuffle(perm, v)
}

// vectorOf returns scalars side by side as one vector; their number is a power of
// two.
func vectorOf(b *emit.Builder, x []*emit.Value) *emit.Value {
	for len(x) > 1 {
		var pairs []*emit.Value
		for i := 0; i < len(x); i += 2 {
			perm := make([]int, 2*x[i].Type.Lanes)
			for j := range perm {
				perm[j] = j
			}
			pairs = append(pairs, b.Shuffle(perm, x[i], x[i+1]))
		}
		x = pairs
	}
	return x[0]
}
