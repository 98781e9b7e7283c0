package narrowf32

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cpu/run/dense"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// TestEach: every kernel writes the bits that the loop of Go does, of NaN, infinities, numbers
// half between two, denormals and any bits at all, and nothing beside them.
func TestEach(t *testing.T) {
	for _, c := range []struct {
		each        *dense.Each
		size, zeros int // of an element of the result; bytes of a zero point
		steps       [2]int64
	}{
		{&BFloat16s, 2, 0, [2]int64{}}, {&Halves, 2, 0, [2]int64{}},
		{&I8sByRow, 1, 1, [2]int64{1, 0}}, {&U8sByRow, 1, 1, [2]int64{1, 0}}, {&I8sByColumn, 1, 1, [2]int64{0, 1}}, {&U8sByColumn, 1, 1, [2]int64{0, 1}},
	} {
		for _, v := range c.each.Variants {
			if slices.Contains(run.ISAs(), v.ISA) {
				t.Run(c.each.Name+"/"+v.ISA, func(t *testing.T) { compare(t, v.F, c.each.Portable, c.size, c.zeros, c.steps) })
			}
		}
	}
}

func compare(t *testing.T, f, want kernel.Func[kernel.EpiArgs], size, zeros int, steps [2]int64) {
	rnd := rand.New(level.PCG(uint64(size), 3))
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), math.MaxFloat32,
		-math.MaxFloat32, math.SmallestNonzeroFloat32, 1e-40, 65504, 65519, 65520, 0x1p-24, 0x1p-25, 127.5, -128.5}
	for range 400 {
		m, n := 1+rnd.IntN(4), 1+rnd.IntN(70)
		src, scale, zero := make([]float32, m*n), make([]float32, m+n), make([]byte, m+n)
		for i := range src {
			switch rnd.IntN(4) {
			case 0:
				src[i] = odd[rnd.IntN(len(odd))]
			case 1:
				src[i] = float32(rnd.IntN(600)-300) / 2
			case 2:
				src[i] = math.Float32frombits(rnd.Uint32())
			default: // half between two of bfloat16, or near it
				src[i] = math.Float32frombits(rnd.Uint32()&0xffff0000 | 0x7fff + rnd.Uint32N(3))
			}
		}
		for i := range scale {
			scale[i], zero[i] = []float32{1, 0.5, 3, 1e-30, math.SmallestNonzeroFloat32}[rnd.IntN(5)], byte(rnd.Uint32())
		}
		var out [2][]byte
		for i, f := range []kernel.Func[kernel.EpiArgs]{f, want} {
			ld := n*size + 8
			out[i] = bytes.Repeat([]byte{0xa5}, m*ld+64)
			args := &kernel.EpiArgs{Tile: unsafe.Pointer(&src[0]), TileLd: int64(4 * n), Rows: int64(m), Cols: int64(n)}
			args.Slots[0] = kernel.Slot{P: unsafe.Pointer(&out[i][0]), Rs: int64(ld), Cs: int64(size)}
			if zeros > 0 {
				args.Slots[1] = kernel.Slot{P: unsafe.Pointer(&scale[0]), Rs: 4 * steps[0], Cs: 4 * steps[1]}
				args.Slots[2] = kernel.Slot{P: unsafe.Pointer(&zero[0]), Rs: steps[0], Cs: steps[1]}
			}
			f(args)
		}
		if !bytes.Equal(out[0], out[1]) {
			t.Fatalf("%d x %d of %v, scales %v, zero points %v:\n%v\n%v in Go", m, n, src, scale, zero, out[0], out[1])
		}
	}
}
