package gemm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// BatchReduce makes the result of a spec the sum of the products of many pairs of blocks,
//
//	out = alpha*(a[0]*b[0] + a[1]*b[1] + ...) + beta*out,  or  epilogue(a[0]*b[0] + ...)
//
// each of the spec's Shape, all of which is fixed. This is batch-reduce GEMM, the basis of convolutions
// and products of blocked matrices. The tile of out stays in registers from the first block to the last.
// Calls say where blocks begin by offsets, by a stride or by a list of slices.
//
// Blocks are stored by rows. Kernels of bf16 and int16 take two k a step. There B's rows are pairs of
// rows: element (k, j) is at k/2*2*LdB + 2*j + k%2.
//
// If the shape leaves both M and K open, every call gives three things: the rows and the k of blocks, and the
// distances of rows of A and of out. One kernel can then serve the rows of pixels of all convolutions. See
// [tiling.Shape.Open].
type BatchReduce struct {
	Count int // of pairs of blocks in every call, or AnyCount; 0: no sum, one product
	// LdA, LdB and LdC are the numbers of elements from one row to the next in A's blocks, B's blocks and out.
	// For paired rows LdB counts pairs. 0: K, N and N; those of A and out are for the call to say where M and K
	// are.
	LdA, LdB, LdC int
}

// AnyCount leaves the number of blocks to the run time.
const AnyCount = -1

// On reports whether there is a sum of blocks.
func (r BatchReduce) On() bool { return r != (BatchReduce{}) }

// Dense returns r with its distances filled in for blocks of s.
func (r BatchReduce) Dense(s Shape) BatchReduce {
	if s.Open() {
		r.LdB = cmp.Or(r.LdB, s.N)
		return r
	}
	for _, d := range []struct {
		ld   *int
		cols int
	}{{&r.LdA, s.K}, {&r.LdB, s.N}, {&r.LdC, s.N}} {
		if *d.ld == 0 {
			*d.ld = d.cols
		}
	}
	return r
}

// Paired reports whether two rows of B lie side by side where operands are of type t.
func Paired(t dtype.Type) bool { return t == dtype.TypeBF16 || t == dtype.I16 }

// mostLd is the most that rows of a block may be apart: what an unrolled kernel adds to an address fits
// in 31 bits then.
const mostLd = 1 << 17

// mostOpen is the most columns of blocks with any number of rows: tiles lie under one another.
const mostOpen = 128

// checkBatchReduce refuses specs that cannot be sums of blocks.
func (d Description) checkBatchReduce() error {
	r, s := d.Reduce, d.Shape
	if !r.On() {
		return nil
	}
	types := [3]dtype.Type{d.A, d.B, d.Acc}
	switch {
	case r.Count == 0 || r.Count < AnyCount:
		return fmt.Errorf("Reduce has a count of %d; want how many blocks there are in every call, or AnyCount", r.Count)
	case !s.All() && !s.Open():
		return fmt.Errorf("Reduce sums products of blocks of one shape, and %v leaves some of it open; fix M, N and K, or N alone", s)
	case s.Open() && r.LdA|r.LdC != 0:
		return fmt.Errorf("LdA is %d and LdC %d, and calls give these where they give M and K; leave both out", r.LdA, r.LdC)
	case s.Open() && s.N > mostOpen:
		return fmt.Errorf("blocks of b are %d columns wide, and of %v at most %d are; cut them into panels", s.N, s, mostOpen)
	case d.Operator != nil || d.Tile != (tiling.Micro{}):
		return errors.New("Reduce chooses operator and tile by itself; leave both out")
	case d.Grouped || d.Structure != (Structure{}) || d.Sparse != 0:
		return errors.New("Reduce takes whole blocks, one sum a call; leave Grouped, Structure and Sparse out")
	case types != [3]dtype.Type{dtype.F32, dtype.F32, dtype.F32} && types != [3]dtype.Type{dtype.F64, dtype.F64, dtype.F64} &&
		types != [3]dtype.Type{dtype.TypeBF16, dtype.TypeBF16, dtype.F32} && types != [3]dtype.Type{dtype.I16, dtype.I16, dtype.I32}:
		return fmt.Errorf("Reduce of %v and %v with sums of %v is not known; there are f32 and f64 throughout, bf16 with sums of f32 and i16 with sums of i32", d.A, d.B, d.Acc)
	case Paired(d.B) && s.K%2 != 0:
		return fmt.Errorf("Reduce of %v takes two k a step, and K is %d; fill blocks up with zeros to an even K", d.B, s.K)
	case float64(s.M)*float64(s.N)*float64(s.K) > tiling.FixedWork:
		return fmt.Errorf("blocks of %v are more than %d multiply-adds, and a call into assembly ends with a block at the earliest; cut them into smaller ones", s, tiling.FixedWork)
	}
	for _, ld := range []struct {
		name        string
		have, least int
	}{{"LdA", r.LdA, s.K}, {"LdB", r.LdB, s.N}, {"LdC", r.LdC, s.N}} {
		if ld.have != 0 && (ld.have < ld.least || ld.have > mostLd) {
			return fmt.Errorf("%s is %d, and rows have %d elements; want 0, or at least that and at most %d", ld.name, ld.have, ld.least, mostLd)
		}
	}
	if (d.Fusion != nil || d.Out != d.Acc) && r.LdC != 0 && r.LdC != s.N {
		return fmt.Errorf("LdC is %d, and an epilogue stores at any strides, which a call gives; leave it out", r.LdC)
	}
	if d.Fusion != nil && d.Fusion.Zeros != (Zeros{}) {
		return errors.New("Reduce has no zero points; leave them out")
	}
	return nil
}

// Targets are [TargetsFor] of a sum over blocks of s: those that multiply whole tiles only if blocks are such, and of
// arm64 the plain one, since blocks lie as no instruction on narrow elements takes them there.
func (r BatchReduce) Targets(a, b, acc dtype.Type, s Shape) []emit.Target {
	if !r.On() {
		return TargetsFor(a, b, acc)
	}
	return slices.DeleteFunc(TargetsFor(a, b, acc), func(t emit.Target) bool {
		return t.Name == amd64.AMXBF16.Name && !WholeTiles(s) || t.Arch == arm64.NEON.Arch && t.Name != arm64.NEON.Name
	})
}

// WholeTiles reports whether blocks of bf16 are whole tiles, 16 rows of 16 sums. If so, one configuration of
// the tiles serves all of a call. Blocks with any number of rows end in a tile with fewer, by a configuration
// of its own.
func WholeTiles(s Shape) bool {
	const rows, k = 16, 32 // of a tile
	return s.M%rows == 0 && s.N%rows == 0 && (s.K < k || s.K%k == 0)
}
