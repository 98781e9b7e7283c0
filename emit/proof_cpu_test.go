package emit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

var f32x16 = emit.Vector(emit.F32, 16)

// gemm6x64 is the AVX-512 micro-kernel: 6 rows by 4 vectors of accumulators, A by
// broadcast loads from 6 rows, B from a panel of 64 columns.
func gemm6x64(t testing.TB) *emit.Func {
	args := block("a", emit.Ptr, "b", emit.Ptr, "c", emit.Ptr, "k", emit.Int64, "lda", emit.Int64, "ldc", emit.Int64)
	return build(t, "gemm6x64", args, func(b *emit.Builder) {
		row := b.Param("a", emit.Ptr)
		lda := b.Param("lda", emit.Int64)
		var a []*emit.Value
		for range 6 {
			a = append(a, row)
			row = b.AddP(row, lda)
		}
		zero := b.Const(f32x16, 0)
		carried := append(slices.Repeat([]*emit.Value{zero}, 24), b.Param("b", emit.Ptr))
		panel := b.Int(4 * 64)
		out := b.For(b.Int(0), b.Param("k", emit.Int64), 1, carried, func(k *emit.Value, x []*emit.Value) []*emit.Value {
			acc, p := slices.Clone(x[:24]), x[24]
			var v [4]*emit.Value
			for j := range v {
				v[j] = b.Load(f32x16, emit.At(p, int64(64*j)))
			}
			b.Comment("columns %d to %d", 48, 63)
			for i := range 6 {
				s := b.LoadSplat(f32x16, emit.Addr{Ptr: a[i], Index: k, Scale: 4})
				for j := range v {
					acc[4*i+j] = b.FMA(acc[4*i+j], s, v[j])
				}
			}
			return append(acc, b.AddP(p, panel))
		})
		c, ldc := b.Param("c", emit.Ptr), b.Param("ldc", emit.Int64)
		for i := range 6 {
			for j := range 4 {
				b.Store(out[4*i+j], emit.At(c, int64(64*j)))
			}
			c = b.AddP(c, ldc)
		}
	})
}

// run6x64 runs the kernel on small integers and compares with a plain loop.
func run6x64(f *emit.Func, k int) error {
	const lda, ldc = 77, 70
	a, p := make([]float32, 6*lda), make([]float32, 64*k)
	for i := range a {
		a[i] = float32(i*7%11 - 5)
	}
	for i := range p {
		p[i] = float32(i*5%13 - 6)
	}
	c := emit.NewMemory("C", emit.Generic, 4*(5*ldc+64))
	m := &emit.Machine{}
	m.Bind("a", emit.PtrTo(emit.MemoryOf("A", emit.Generic, a), 0))
	m.Bind("b", emit.PtrTo(emit.MemoryOf("B", emit.Generic, p), 0))
	m.Bind("c", emit.PtrTo(c, 0))
	m.Bind("k", emit.IntWord(int64(k)))
	m.Bind("lda", emit.IntWord(4*lda))
	m.Bind("ldc", emit.IntWord(4*ldc))
	if err := m.Run(f); err != nil {
		return err
	}
	got := make([]float32, len(c.Data)/4)
	c.Decode(got)
	for i := range 6 {
		for j := range 64 {
			var want float32
			for l := range k {
				want += a[i*lda+l] * p[l*64+j]
			}
			if got[i*ldc+j] != want {
				return fmt.Errorf("C[%d, %d] = %g, want %g", i, j, got[i*ldc+j], want)
			}
		}
	}
	return nil
}

func TestProofGemm(t *testing.T) {
	f := gemm6x64(t)
	for _, k := range []int{0, 1, 5, 70} {
		if err := run6x64(f, k); err != nil {
			t.Errorf("k = %d: %v", k, err)
		}
	}
}

func BenchmarkInterpretGemm(b *testing.B) {
	f := gemm6x64(b)
	for b.Loop() {
		if err := run6x64(f, 70); err != nil {
			b.Fatal(err)
		}
	}
}

// within repeats p, which permutes 4 lanes of x and 4 of y, in each of the four
// 128-bit blocks: what AVX-512 unpacks do.
func within(p [4]int) []int {
	var perm []int
	for at := 0; at < 16; at += 4 {
		for _, l := range p {
			perm = append(perm, l/4*16+at+l%4)
		}
	}
	return perm
}

// blocks takes four 128-bit blocks of x, 0 to 3, and y, 4 to 7.
func blocks(p [4]int) []int {
	var perm []int
	for _, l := range p {
		perm = append(perm, 4*l, 4*l+1, 4*l+2, 4*l+3)
	}
	return perm
}

// The transpose that packing needs: 16 rows of 16 in four rounds of shuffles that
// are one instruction each, 32-bit and 64-bit unpacks, then moves of 128 bits.
func TestProofTranspose(t *testing.T) {
	args := block("dst", emit.Ptr, "src", emit.Ptr)
	f := build(t, "transpose16", args, func(b *emit.Builder) {
		src, dst := b.Param("src", emit.Ptr), b.Param("dst", emit.Ptr)
		r := make([]*emit.Value, 16)
		for i := range r {
			r[i] = b.Load(f32x16, emit.At(src, int64(64*i)))
		}
		// round replaces r[i] and r[i+d] by two shuffles of them.
		round := func(d int, lo, hi []int) {
			for i := range r {
				if i&d == 0 {
					r[i], r[i+d] = b.Shuffle(lo, r[i], r[i+d]), b.Shuffle(hi, r[i], r[i+d])
				}
			}
		}
		round(1, within([4]int{0, 4, 1, 5}), within([4]int{2, 6, 3, 7}))
		round(2, within([4]int{0, 1, 4, 5}), within([4]int{2, 3, 6, 7}))
		round(4, blocks([4]int{0, 2, 4, 6}), blocks([4]int{1, 3, 5, 7}))
		round(8, blocks([4]int{0, 2, 4, 6}), blocks([4]int{1, 3, 5, 7}))
		// What is now in r[i] is column: the two low bits of i were exchanged by the
		// unpacks, the two high ones by the moves.
		for i := range r {
			col := i&1<<1 | i&2>>1 | i&4 | i&8
			b.Store(r[i], emit.At(dst, int64(64*col)))
		}
	})
	x := make([]float32, 256)
	for i := range x {
		x[i] = float32(i)
	}
	dst := emit.NewMemory("dst", emit.Generic, 4*256)
	m := &emit.Machine{}
	m.Bind("src", emit.PtrTo(emit.MemoryOf("src", emit.Generic, x), 0))
	m.Bind("dst", emit.PtrTo(dst, 0))
	if err := m.Run(f); err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 256)
	dst.Decode(got)
	for i := range 16 {
		for j := range 16 {
			if got[j*16+i] != x[i*16+j] {
				t.Fatalf("dst[%d, %d] = %g, want %g; all %v", j, i, got[j*16+i], x[i*16+j], got)
			}
		}
	}
}
