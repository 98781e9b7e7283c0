package gpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestSmemTile: every element has a place of its own, and places are linear in the
// bits of the coordinates.
func TestSmemTile(t *testing.T) {
	for _, tile := range []smemTile{{128, 32, 2, true}, {128, 32, 2, false}, {64, 64, 2, true}, {32, 16, 2, true}, {32, 16, 2, false}, {128, 16, 4, true}, {128, 16, 4, false}, {32, 8, 4, true}} {
		seen := make([]bool, tile.bytes())
		for mn := range tile.mn {
			for k := range tile.k {
				x := tile.at(mn, k)
				if x%tile.size != 0 || x < 0 || x >= len(seen) || seen[x] {
					t.Fatalf("%+v: (%d, %d) is at %d, which is taken or outside", tile, mn, k, x)
				}
				seen[x] = true
			}
		}
		r := rand.New(level.PCG(uint64(tile.mn), uint64(tile.k)))
		for range 1000 {
			m1, m2, k1, k2 := r.IntN(tile.mn), r.IntN(tile.mn), r.IntN(tile.k), r.IntN(tile.k)
			if tile.at(m1^m2, k1^k2) != tile.at(m1, k1)^tile.at(m2, k2) {
				t.Fatalf("%+v is not linear at (%d, %d) and (%d, %d)", tile, m1, k1, m2, k2)
			}
		}
		l, err := tile.layout()
		if err != nil {
			t.Fatal(err)
		}
		for mn := range tile.mn {
			for k := range tile.k {
				if have, want := tile.at(mn, k), l.At(mn, k)*tile.size; have != want {
					t.Fatalf("%+v, %v: (%d, %d) is at %d, the layout says %d", tile, l, mn, k, have, want)
				}
			}
		}
		// 16 bytes stay together.
		for c := 0; c < tile.line(); c += 16 / tile.size {
			for i := range 16 / tile.size {
				a, b := tile.at(0, c), tile.at(0, c+i)
				if !tile.kMajor {
					a, b = tile.at(c, 0), tile.at(c+i, 0)
				}
				if b-a != i*tile.size {
					t.Fatalf("%+v: chunk %d is torn", tile, c)
				}
			}
		}
	}
}

// offsets runs body for the threads of a CTA and returns what it gives each of them:
// the same code as in the kernels, so what is counted is what is emitted.
func offsets(t *testing.T, threads int, body func(b *emit.Builder, tid *emit.Value) *emit.Value) []int {
	t.Helper()
	p := emit.Pointer(emit.Global, 8)
	f, err := emit.Build("offsets", []emit.Arg{{Name: "out", Type: p}}, func(b *emit.Builder) {
		tid := b.SReg("tid.x", emit.Int64, emit.Thread)
		b.Store(body(b, tid), emit.At(b.AddPAligned(b.Param("out", p), b.Shl(tid, b.Int(3)), 8), 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	out := emit.NewMemory("out", emit.Global, 8*threads)
	m := &emit.Machine{Threads: threads}
	m.Bind("out", emit.PtrTo(out, 0))
	if err := m.Run(f); err != nil {
		t.Fatal(err)
	}
	x := make([]int64, threads)
	out.Decode(x)
	at := make([]int, threads)
	for i := range x {
		at[i] = int(x[i])
	}
	return at
}

// conflicts counts, warp by warp, the passes that bank conflicts cost an access at
// the places of at, which an exclusive or with off moves.
func conflicts(t *testing.T, at []int, off, bytes int) int {
	t.Helper()
	n := 0
	for ; len(at) > 0; at = at[32:] {
		warp := make([]int, 32)
		for i := range warp {
			warp[i] = at[i] ^ off
		}
		b, err := layout.Wavefronts(warp, bytes)
		if err != nil {
			t.Fatal(err)
		}
		n += b.Conflicts()
	}
	return n
}

// TestBanks: in the kernels of aligned operands no access to shared memory has a
// bank conflict: copies into a stage, loads of fragments, stores of sums and their
// loads by rows.
func TestBanks(t *testing.T) {
	limits := tiling.GPUTargets["sm_80"]
	for _, o := range []struct {
		operator
		size int
		// worst is how many conflicts an access has at most: of mma of 8, 32 and 64 bits, where
		// one operand is along K and the other along M or N, a load of the second has some, for
		// k has to be the same in both; and stores of their sums, 8 or 16 bytes of each of
		// several rows.
		loads, stores int
	}{
		{mmaBF16, 2, 0, 0}, {simt{gemm.FMA{Elem: emit.F32}}, 4, 0, 0},
		{mmaTF32, 4, 4, 8}, {mmaInt8("u8", "s8"), 1, 1, 8}, {mmaF64, 8, 4, 8}, {mmaF64x16, 8, 4, 8},
	} {
		op, size, loads, stores := o.operator, o.size, o.loads, o.stores
		def := tiling.DefaultGPU(size, op.Fragment(true, true), limits)
		for _, tile := range []tiling.GPU{def.Large, def.Pair, def.Small} {
			for _, k := range variants(size, tiling.GPUTiles{Large: tile, Pair: tile, Small: tile, Narrow: tile}, tile, false, false)[:4] {
				g := &lowering{op: op, tile: tile, v: k, out: emit.F32}
				f := op.Fragments(tile.WM, tile.WN, k.A.KMajor, k.B.KMajor)
				regs := f.multiplier.(registers)
				where := fmt.Sprintf("%v %s %v", op, k.name(), tile)
				check := func(what string, at []int, off, bytes, most int) {
					t.Helper()
					if n := conflicts(t, at, off, bytes); n > most {
						t.Errorf("%s: %s at %#x: %d conflicts", where, what, off, n)
					}
				}
				tileA, tileB := smemTile{tile.BM, tile.BK, size, k.A.KMajor}, smemTile{tile.BN, tile.BK, size, k.B.KMajor}
				for _, o := range []struct {
					name string
					t    smemTile
					r    reads
				}{{"a", tileA, regs.operands[0]}, {"b", tileB, regs.operands[1]}} {
					at := offsets(t, 32, func(b *emit.Builder, lane *emit.Value) *emit.Value {
						mn, k := o.r.lane(b, lane)
						return o.t.value(b, mn, k)
					})
					for _, p := range o.r.at {
						check("load of "+o.name, at, o.t.at(p.mn, p.k), o.r.align, loads)
					}
					at = offsets(t, tile.Threads(), func(b *emit.Builder, tid *emit.Value) *emit.Value {
						mn, k := source{tile: o.t, access: Access{o.t.kMajor, 16}}.first(b, tid)
						return o.t.value(b, mn, k)
					})
					check("copy of "+o.name, at, 0, 16, 0)
				}
				at := offsets(t, 32, func(b *emit.Builder, lane *emit.Value) *emit.Value {
					row, col := f.lane(b, lane)
					return g.sumOffsetAt(b, row, col)
				})
				_, err := emit.Build("runs", nil, func(b *emit.Builder) {
					for _, r := range f.runs(b, regs.identity(b)) {
						check("store of sums", at, g.sumOffset(r.row, r.col), op.Sum().Bytes()*len(r.x), stores)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range map[int][]int{4: {4, 8}, 8: {2}}[op.Sum().Bytes()] {
					at = offsets(t, tile.Threads(), func(b *emit.Builder, tid *emit.Value) *emit.Value {
						row, c := split(b, tid, tile.BN/n)
						return g.sumOffsetAt(b, row, times(b, c, n))
					})
					check("load of sums", at, 0, 16, stores)
				}
			}
		}
	}
}

// TestStage: rows of 64 elements along K are in the 128-byte pattern that TMA and
// wgmma know too; rows along N are longer, with the same eight permutations.
func TestStage(t *testing.T) {
	m := lower(t, gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "P"})
	at, _, err := m.Stage(kernelFor(m, 16, true, false))
	if have := fmt.Sprint(at); err != nil || have != "[Sw<3,3,3> o (128,64):(64,1) Sw<3,3,5> o (256,64):(1,256)]" {
		t.Errorf("%s, %v", have, err)
	}
}

// TestNarrower: a tile that leaves few registers has more warps for narrow copies.
func TestNarrower(t *testing.T) {
	tile := tiling.GPU{BM: 128, BN: 128, BK: 32, WM: 64, WN: 64, Stages: 4}
	m := lower(t, gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "P", GPU: tile})
	for _, k := range m.Kernels {
		want := tile
		if k.A.Unit < 16 {
			want.WN = 32
		}
		if k.Tile != want {
			t.Errorf("%s has the tile %v, want %v", k.Func.Name, k.Tile, want)
		}
	}
}
