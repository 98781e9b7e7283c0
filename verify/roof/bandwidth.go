package roof

import (
	"slices"
	"time"
	"unsafe"

	large "github.com/tilesmith/tilesmith/layout/pages"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Level is what one core moves to and from one level of memory, in bytes/s. A copy
// counts the bytes it reads and the bytes it writes.
//
// Pieces are three registers of each row of a wide matrix in turn, as a kernel takes
// them that goes down a panel. Each lies on another page, and nothing is prefetched.
// Aliased is the same with rows a power of two apart, as in matrices of 1024 or 2048
// columns. They fall into the same few sets of a cache. Both are 0 for L1, which holds
// few pages.
type Level struct {
	Name                      string // L1, L2, L3 or memory
	Size                      int    // bytes that were gone over, again and again
	Read, Write, Copy         float64
	ReadPieces, WritePieces   float64
	ReadAliased, WriteAliased float64
}

// mostMemory bounds what Bandwidths allocates.
const mostMemory = 512 << 20

// Bandwidths measures the levels of memory of this machine, from the nearest to the
// farthest. It reads half of a core's share of each, as [machine.This] says. For memory
// it reads eight times the last cache, but at most 512 MiB. Each of the numbers, some
// twenty, takes about d and is the best of what fits into it. Writes are ordinary stores,
// which fetch a line before they change it. isa is one of [run.ISAs]; without kernels for
// it loops of Go do the same.
func Bandwidths(isa string, d time.Duration) []Level {
	return bandwidths(isa, machine.This(), d)
}

func bandwidths(isa string, m *machine.Machine, d time.Duration) []Level {
	l1, l2, l3 := m.Room()
	levels := []Level{{Name: "L1", Size: l1 / 2}, {Name: "L2", Size: l2 / 2}, {Name: "L3", Size: l3 / 2}, {Name: "memory", Size: min(8*l3, mostMemory)}}
	a := newArea(isa, levels[3].Size)
	for i := range levels {
		l := &levels[i]
		l.Size = roundUp(l.Size)
		l.Read = a.rate(l.Size, d, a.read)
		l.Write = a.rate(l.Size, d, a.write)
		l.Copy = a.rate(l.Size, d, a.copy)
		if l.Name != "L1" {
			l.ReadPieces = a.rate(l.Size, d, func(size, passes int) { a.readPieces(size, passes, wide) })
			l.WritePieces = a.rate(l.Size, d, func(size, passes int) { a.writePieces(size, passes, wide) })
			l.ReadAliased = a.rate(l.Size, d, func(size, passes int) { a.readPieces(size, passes, power) })
			l.WriteAliased = a.rate(l.Size, d, func(size, passes int) { a.writePieces(size, passes, power) })
		}
	}
	return levels
}

// Read returns the bandwidth of one core in bytes/s for reading size bytes over
// and over: the level of memory that holds them. size is rounded up to a kilobyte. It is a
// ceiling, the best of several ways: loads alone, and loads with lines prefetched near and farther
// ahead. Large pages are used if there are any. Each way gets a part of the time d.
func Read(isa string, size int, d time.Duration) float64 {
	size = roundUp(size)
	data := make([]float32, (size+apart)/4)
	large.Advise(data)
	a := newAreaOf(isa, data)
	if a.kernels == nil {
		return a.rate(size, d, a.read)
	}
	d /= time.Duration(1 + len(aheads))
	best := a.rate(size, d, a.read)
	for _, n := range aheads {
		a.args.Next = n
		best = max(best, a.rate(size, d, func(size, passes int) { a.reads("read_ahead", size, passes) }))
	}
	return best
}

// aheads are how many bytes ahead Read prefetches lines. Some come as soon as the core would see
// itself that they follow. Others are as many as memory has under way at once (some 150 ns of 30
// GB/s), and several times that.
var aheads = []int64{512, 4 << 10, 16 << 10}

// roundUp rounds up to what every kernel can do, and half of which a copy can.
func roundUp(size int) int { return (max(size, 1) + 1023) &^ 1023 }

// area is memory to go over.
type area struct {
	data    []float32
	kernels map[string]kernel.Func[kernel.Args]
	block   int // bytes that one turn of a kernel takes
	args    *kernel.Args
	sum     *[16]float32

	recording bool
	rates     []float64 // of calls, bytes/s
}

// apart keeps the two halves of a copy from lying a multiple of 4096 bytes from each
// other, where a load waits for a store that it seems to follow.
const apart = 2048

func newArea(isa string, size int) *area {
	return newAreaOf(isa, make([]float32, (roundUp(size)+apart)/4))
}

// newAreaOf is newArea in memory that nothing was written to yet.
func newAreaOf(isa string, data []float32) *area {
	a := &area{
		data:    data,
		kernels: kernels[isaset.Plain(isa)],
		args:    &kernel.Args{}, sum: new([16]float32),
	}
	if i := isaset.ByName(isa); i != nil {
		a.block = i.Bits
	}
	for i := range a.data {
		a.data[i] = float32(i & 7)
	}
	return a
}

// long is the size from which going over it once takes so long that the system may
// run another program meanwhile.
const long = 4 << 20

// rate returns the bytes/s at which f goes over size bytes. It repeats f until a round
// is long enough for the clock. If once is long, it takes the median of the calls into
// assembly.
func (a *area) rate(size int, d time.Duration, f func(size, passes int)) float64 {
	if size >= long {
		f(size, 1)
		a.recording, a.rates = true, a.rates[:0]
		for start := time.Now(); len(a.rates) == 0 || time.Since(start) < d; {
			f(size, 1)
		}
		a.recording = false
		slices.Sort(a.rates)
		return a.rates[len(a.rates)/2]
	}
	const least = 50 * time.Microsecond
	n := 1
	for ; ; n *= 2 {
		start := time.Now()
		if f(size, n); time.Since(start) >= least {
			break
		}
	}
	return float64(size) * float64(n) / fastest(d, func() { f(size, n) })
}

// timed runs f, which moves so many bytes, and keeps its rate if that is wanted.
func (a *area) timed(bytes int, f func()) {
	if !a.recording {
		f()
		return
	}
	start := time.Now()
	f()
	if t := time.Since(start); t > 0 {
		a.rates = append(a.rates, float64(bytes)/t.Seconds())
	}
}

// call goes over size bytes with a kernel that moves so many times as much. It goes in
// pieces of at most a megabyte, since assembly cannot be preempted.
func (a *area) call(f kernel.Func[kernel.Args], size, passes, moved int, place func(off int)) {
	const most = 1 << 20
	each := max(1, min(passes, most/size)) // in one call
	for done := 0; done < passes; done += each {
		a.args.Tiles = int64(min(each, passes-done))
		for off := 0; off < size; off += most {
			place(off)
			n := min(most, size-off)
			a.args.K = int64(n / a.block)
			a.timed(moved*n, func() { f(a.args) })
		}
	}
}

func (a *area) at(off int) unsafe.Pointer { return unsafe.Pointer(&a.data[off/4]) }

func (a *area) read(size, passes int) {
	if a.kernels != nil {
		a.reads("read", size, passes)
		return
	}
	for range passes {
		a.timed(size, func() {
			var s0, s1, s2, s3 float32
			for x := a.data[:size/4]; len(x) >= 4; x = x[4:] {
				s0, s1, s2, s3 = s0+x[0], s1+x[1], s2+x[2], s3+x[3]
			}
			a.sum[0] = s0 + s1 + s2 + s3
		})
	}
}

func (a *area) write(size, passes int) {
	if a.kernels != nil {
		a.writes("write", size, passes)
		return
	}
	for range passes {
		a.timed(size, func() { clear(a.data[:size/4]) })
	}
}

// reads goes over memory with a kernel that reads it.
func (a *area) reads(name string, size, passes int) {
	a.args.C = unsafe.Pointer(a.sum)
	a.call(a.kernels[name], size, passes, 1, func(off int) { a.args.B = a.at(off) })
}

// writes goes over memory with a kernel that writes it.
func (a *area) writes(name string, size, passes int) {
	a.call(a.kernels[name], size, passes, 1, func(off int) { a.args.C = a.at(off) })
}

// stream is write past the caches, where there is assembly for it.
func (a *area) stream(size, passes int) {
	if a.kernels == nil {
		a.write(size, passes)
		return
	}
	a.writes("stream", size, passes)
}

func (a *area) copy(size, passes int) {
	half := size / 2
	if f := a.kernels["copy"]; f != nil {
		a.call(f, half, passes, 2, func(off int) { a.args.B, a.args.C = a.at(off), a.at(half+apart+off) })
		return
	}
	for range passes {
		a.timed(size, func() { copy(a.data[(half+apart)/4:], a.data[:half/4]) })
	}
}

// Bytes from row to row of the matrix that is gone down in pieces, more than a page.
// One is a whole number of pieces, so that rows do not fall into the same cache sets;
// the other is a power of two.
const (
	wide  = 22 * 3 * 64
	power = 8192
)

// pieces goes over size bytes, except for less than two rows and the end of each row,
// column by column of pieces. It calls f for some rows of each from off on.
func (a *area) pieces(size, passes, row int, f func(off, rows int)) {
	const most = 8192 // rows of a call: assembly cannot be preempted
	rows := max(2, size/row&^1)
	width := a.piece()
	a.args.LdB = int64(row)
	for range passes {
		for col := 0; col+width <= row; col += width {
			for r := 0; r < rows; r += most {
				n := min(most, rows-r)
				a.timed(n*width, func() { f(r*row+col, n) })
			}
		}
	}
}

// piece is the bytes of a row that are taken at a time.
func (a *area) piece() int { return 3 * max(a.block/8, 32) }

func (a *area) readPieces(size, passes, row int) {
	f := a.kernels["read_rows"]
	a.pieces(size, passes, row, func(off, rows int) {
		if f != nil {
			a.args.B, a.args.C, a.args.K = a.at(off), unsafe.Pointer(a.sum), int64(rows/2)
			f(a.args)
			return
		}
		var s0, s1 float32
		for r := range rows {
			for x := a.data[(off+r*row)/4:][:a.piece()/4]; len(x) >= 2; x = x[2:] {
				s0, s1 = s0+x[0], s1+x[1]
			}
		}
		a.sum[0] = s0 + s1
	})
}

func (a *area) writePieces(size, passes, row int) {
	f := a.kernels["write_rows"]
	a.pieces(size, passes, row, func(off, rows int) {
		if f != nil {
			a.args.C, a.args.K = a.at(off), int64(rows/2)
			f(a.args)
			return
		}
		for r := range rows {
			clear(a.data[(off+r*row)/4:][:a.piece()/4])
		}
	})
}
