package lower

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gemmtest"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// TestMask interprets the kernels of every target: they give the bits of package rand, whose counters, streams and seeds
// are beyond 32 bits, and touch nothing else.
func TestMask(t *testing.T) {
	for _, target := range gemmtest.Targets(t, gemm.CPUTargets()) {
		t.Run("isa="+target.Name, func(t *testing.T) { mask(t, target) })
	}
}

func mask(t *testing.T, target emit.Target) {
	fs, k, err := Mask{}.Lower(target)
	if err != nil {
		t.Fatal(err)
	}
	drop := k.Op("Drop")
	if fs[0].Name != drop.F || target.Lanes(emit.I64) != k.VL {
		t.Fatalf("kernel %s of %d lanes stands for %s of %d", drop.F, k.VL, fs[0].Name, target.Lanes(emit.I64))
	}
	for steps := range 4 {
		for _, first := range []uint64{0, 1<<32 - 3} {
			s, p := rand.Stream{Seed: 5<<40 | 3, Number: 9<<35 | 1}, .6
			n := drop.NV * steps
			x, want := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = float32(i) - 20
			}
			rand.Drop(s, 4*first, want, x, p)
			out := &emit.Memory{Name: "Out", Data: make([]byte, 4*n)}
			m := &emit.Machine{MaxSteps: 100_000}
			bind(m, s, first, k.VL, p)
			m.Bind("a", emit.PtrTo(emit.MemoryOf("X", emit.Generic, x), 0))
			m.Bind("out", emit.PtrTo(out, 0))
			m.Bind("n", emit.IntWord(int64(n)))
			if err := m.Run(fs[0]); err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if have := math.Float32frombits(binary.LittleEndian.Uint32(out.Data[4*i:])); math.Float32bits(have) != math.Float32bits(w) {
					t.Fatalf("%s, %d steps from block %d: number %d is %v, want %v", fs[0].Name, steps, first, i, have, w)
				}
			}
		}
	}
}

// bind sets what a kernel reads besides its operands, as package masks does.
func bind(m *emit.Machine, s rand.Stream, first uint64, lanes int, p float64) {
	var d kernel.Dropout
	for i := range lanes / 2 {
		d.Counters[2*i], d.Counters[2*i+1] = first+uint64(i), first+uint64(lanes/2+i)
	}
	d.Low, d.High = int64(uint32(s.Number)), int64(s.Number>>32)
	for r, k := range rand.Keys([2]uint32{uint32(s.Seed), uint32(s.Seed >> 32)}) {
		for i, key := range k {
			d.Keys[2*r+i] = int64(key)
		}
	}
	limit, scale := rand.Threshold("", p)
	turned := int64(uint32(limit) ^ 1<<31)
	d.Limit, d.Scale = turned<<32|turned, uint64(math.Float32bits(float32(scale)))
	var words bytes.Buffer
	if err := binary.Write(&words, binary.LittleEndian, d); err != nil {
		panic(err)
	}
	m.Bind("s", emit.PtrTo(&emit.Memory{Name: "Dropout", Data: words.Bytes(), ReadOnly: true}, 0))
}
