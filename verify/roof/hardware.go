package roof

import (
	"math"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// Hardware measures what predictions need to know of this machine, with kernels for
// isa, one of [run.ISAs]. It takes about thirty times d.
func Hardware(isa string, d time.Duration) tiling.Hardware {
	return hardware(isa, tiling.MachineCaches(), d)
}

func hardware(isa string, caches tiling.Caches, d time.Duration) tiling.Hardware {
	h := tiling.Hardware{
		Name: "this machine, " + isa, Caches: caches, Cores: runtime.GOMAXPROCS(0),
		FMA32: FMA(isa, dtype.F32, d), FMA64: FMA(isa, dtype.F64, d),
		Vector: 4,
	}
	if i := kernel.ByName(isa); i != nil {
		h.Vector = i.Bits / 8
	}
	h.Clock = 4 / Latency(isa, d)
	for i, l := range bandwidths(isa, caches, d) {
		b := tiling.Bandwidth{Read: l.Read, Write: l.Write, ReadPieces: l.ReadPieces, WritePieces: l.WritePieces,
			ReadAliased: l.ReadAliased, WriteAliased: l.WriteAliased}
		if i == 0 { // few pages: a piece is as good as another
			b.ReadPieces, b.WritePieces, b.ReadAliased, b.WriteAliased = b.Read, b.Write, b.Read, b.Write
		}
		*[]*tiling.Bandwidth{&h.L1, &h.L2, &h.L3, &h.Memory}[i] = b
	}
	// Half of it is ours: that is what its bandwidth was measured with.
	h.Caches.L3 = min(caches.L3, max(caches.L3/2, ours(isa, &h, d)))
	h.Together = together(isa, min(4*caches.L3, mostMemory), d)
	return h
}

// Latency returns the seconds until the result of a multiply-add can be added to.
func Latency(isa string, d time.Duration) float64 {
	const rounds = 100_000
	f := kernels[isa]["latency"]
	if f == nil {
		x, y := float32(0.999), float32(1.001)
		sec := fastest(d, func() {
			s := float32(0)
			for range rounds {
				s = s*x + y
			}
			sink.Store(math.Float64bits(float64(s)))
		})
		return sec / rounds
	}
	args := &run.Args{K: rounds, C: unsafe.Pointer(new([8]float64))}
	return fastest(d, func() { f(args) }) / rounds
}

// together returns the bytes/s that all cores read at once, each its own part of so
// many bytes.
func together(isa string, size int, d time.Duration) float64 {
	n := runtime.GOMAXPROCS(0)
	size = roundUp(size / n)
	areas := make([]*area, n)
	for i := range areas {
		areas[i] = newArea(isa, size)
	}
	sec := fastest(2*d, func() {
		var all sync.WaitGroup
		for _, a := range areas {
			all.Go(func() { a.read(size, 1) })
		}
		all.Wait()
	})
	return float64(n) * float64(size) / sec
}

// ours is what a core has of the last cache, whose other cores and guests take their
// part: of so many bytes read again and again the cache keeps some, and the rest comes
// from memory.
func ours(isa string, h *tiling.Hardware, d time.Duration) int {
	size := h.Caches.L3
	read := Read(isa, size, d)
	near, far := 1/h.L3.Read, 1/h.Memory.Read
	if far <= near {
		return size
	}
	return int(float64(size) * (far - 1/read) / (far - near))
}
