package roof

import (
	"math"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// few are caches small enough for a test.
var few = func() *machine.Machine {
	m := *machine.Reference("avx512")
	m.Caches[machine.L1].Size, m.Caches[machine.L2].Size, m.Caches[machine.L3].Size = 16<<10, 64<<10, 256<<10
	return &m
}()

// TestBandwidths asks for no more than that there are numbers: how large they are is
// the machine's business.
func TestBandwidths(t *testing.T) {
	for _, isa := range run.ISAs() {
		levels := bandwidths(isa, few, 100*time.Microsecond)
		if len(levels) != 4 {
			t.Fatalf("%s: %d levels, want 4", isa, len(levels))
		}
		for i, l := range levels {
			if want := []string{"L1", "L2", "L3", "memory"}[i]; l.Name != want {
				t.Errorf("%s: level %d is %s, want %s", isa, i, l.Name, want)
			}
			rates := []float64{l.Read, l.Write, l.Copy}
			if i > 0 {
				rates = append(rates, l.ReadPieces, l.WritePieces, l.ReadAliased, l.WriteAliased)
			}
			for _, x := range rates {
				if !(x > 1e6) || math.IsInf(x, 0) {
					t.Errorf("%s: %+v", isa, l)
				}
			}
			if i > 0 && l.Size <= levels[i-1].Size {
				t.Errorf("%s: %s is measured with %d bytes, %s with %d", isa, l.Name, l.Size, levels[i-1].Name, levels[i-1].Size)
			}
		}
		if levels[0].Size > 16<<10 || levels[3].Size != 8*256<<10 {
			t.Errorf("%s: %+v for caches of %+v", isa, levels, few)
		}
	}
}

// TestRateLong: of what takes long, calls are timed one by one.
func TestRateLong(t *testing.T) {
	for _, isa := range run.ISAs() {
		a := newArea(isa, long)
		for name, f := range map[string]func(size, passes int){"read": a.read, "write": a.write, "copy": a.copy} {
			if x := a.rate(long, time.Millisecond, f); !(x > 1e6) || math.IsInf(x, 0) || a.recording {
				t.Errorf("%s, %s: %v", isa, name, x)
			}
			if want := 4; a.kernels != nil && name != "copy" && len(a.rates) < want {
				t.Errorf("%s, %s: %d calls were timed, want at least %d", isa, name, len(a.rates), want)
			}
		}
	}
}

// TestArea: every way to go over memory touches all of it and nothing else.
func TestArea(t *testing.T) {
	for _, isa := range run.ISAs() {
		for _, size := range []int{1024, 5 << 10, 1<<20 + 1024, 3 << 20} {
			a := newArea(isa, size)
			fill := func() {
				for i := range a.data {
					a.data[i] = 1
				}
			}
			fill()
			reads := []func(size, passes int){a.read}
			if a.kernels != nil {
				a.args.Next = 4096 // beyond the end, too
				reads = append(reads, func(size, passes int) { a.reads("read_ahead", size, passes) })
			}
			for way, read := range reads {
				clear(a.sum[:])
				read(size, 1)
				sum := float32(0)
				for _, x := range a.sum {
					sum += x
				}
				// The kernel leaves the sum of its last piece.
				if want := float32((size-1)%(1<<20)+1) / 4; a.kernels == nil && sum != float32(size/4) || a.kernels != nil && sum != want {
					t.Errorf("%s, %d bytes, way %d: read %v elements", isa, size, way, sum)
				}
			}
			for _, w := range []struct {
				name  string
				write func(size, passes int)
			}{{"write", a.write}, {"stream", a.stream}} {
				fill()
				w.write(size, 3)
				for i, x := range a.data {
					if (x == 0) != (i < size/4) {
						t.Fatalf("%s, %d bytes: after a %s element %d is %v", isa, size, w.name, i, x)
					}
				}
			}
			for i := range a.data {
				a.data[i] = float32(i)
			}
			a.copy(size, 2)
			half := size / 8
			for i, x := range a.data {
				want := float32(i)
				if j := i - half - apart/4; j >= 0 && j < half {
					want = float32(j)
				}
				if x != want {
					t.Fatalf("%s, %d bytes: after a copy element %d is %v, want %v", isa, size, i, x, want)
				}
			}
		}
	}
}

// TestMasked: what goes over memory with masks leaves out the last lane of each vector.
func TestMasked(t *testing.T) {
	for _, isa := range run.ISAs() {
		const size = 4 << 10
		a := newArea(isa, size)
		if a.kernels == nil {
			continue
		}
		lanes := isaset.ByName(isa).Bits / 32
		for i := range a.data {
			a.data[i] = 1
		}
		a.reads("read_masked", size, 1)
		sum := float32(0)
		for _, x := range a.sum {
			sum += x
		}
		if want := float32(size / 4 / lanes * (lanes - 1)); sum != want {
			t.Errorf("%s: read %v elements, want %v", isa, sum, want)
		}
		a.writes("write_masked", size, 1)
		for i, x := range a.data {
			if (x == 0) != (i < size/4 && i%lanes != lanes-1) {
				t.Fatalf("%s: after a write element %d is %v", isa, i, x)
			}
		}
	}
}

// TestPieces: going down in pieces touches every byte of whole rows, and none beyond.
func TestPieces(t *testing.T) {
	for _, isa := range run.ISAs() {
		a := newArea(isa, 16*wide+100)
		for i := range a.data {
			a.data[i] = 1
		}
		a.writePieces(16*wide+100, 1, wide)
		for i, x := range a.data {
			if (x == 0) != (i < 16*wide/4) {
				t.Fatalf("%s: after a write element %d is %v", isa, i, x)
			}
		}
		if wide%a.piece() != 0 {
			t.Errorf("%s: a row is no whole number of pieces of %d bytes", isa, a.piece())
		}
		for i := range a.data {
			a.data[i] = float32(i)
		}
		a.readPieces(16*wide, 1, wide)
		sum, want := float32(0), float32(0)
		for _, x := range a.sum {
			sum += x
		}
		for r := range 16 { // the kernel leaves the sum of its last column
			for i := wide - a.piece(); i < wide; i += 4 {
				want += a.data[(r*wide+i)/4]
			}
		}
		if math.Abs(float64(sum/want-1)) > 1e-4 {
			t.Errorf("%s: read %v, want %v", isa, sum, want)
		}
	}
}
