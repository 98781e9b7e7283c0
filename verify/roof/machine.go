package roof

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Kept says which numbers [Machine] takes from [machine.Data], since it does not measure
// them.
const Kept = "the sizes of L1 and L2, ways, how many pages TLBs hold, instructions a cycle, gathering, loads and stores of compiled Go, and the tail of a tile"

// Machine measures the machine it runs on, in about the time of budget. Each number takes
// a sixtieth of it, and memory another second or two. The fields that [Kept] names are
// from [machine.Data]. The machine should have nothing else to do.
func Machine(budget time.Duration) *machine.Machine {
	m, _ := MachineUntil(context.Background(), budget, func(int, int, string) {}) // which does not end
	return m
}

// MachineUntil is [Machine] that tells step what it measures, how many of its steps are
// done and of how many. If ctx ends, it returns what was measured until then among data
// for the rest, and why ctx ended.
func MachineUntil(ctx context.Context, budget time.Duration, step func(done, total int, what string)) (*machine.Machine, error) {
	m := machine.Data()
	done := 0
	next := func(what string) bool {
		if ctx.Err() == nil {
			step(done, 7+len(run.ISAs()), "measuring "+what)
			done++
		}
		return ctx.Err() == nil
	}
	measure(m, budget/60, next)
	if ctx.Err() != nil {
		return m, context.Cause(ctx)
	}
	m.Source = fmt.Sprintf("measured on %s with %s; %s are from: %s",
		time.Now().Format(time.DateOnly), runtime.Version(), Kept, m.Source)
	return m, nil
}

// measure replaces the numbers of m by what is found, of each in about d, until next
// returns false.
func measure(m *machine.Machine, d time.Duration, next func(what string) bool) {
	isas := run.ISAs()
	m.Units = slices.DeleteFunc(m.Units, func(u machine.Units) bool { return !slices.Contains(isas, u.ISA) })
	isa := isas[0]
	c := &m.Caches
	if !next("the clock") {
		return
	}
	// Documents are sure of the cycles of a multiply-add.
	m.Clock = m.Of(isa).Latency / Latency(isa, d)

	m.Pages.Size = os.Getpagesize()
	whole := 2 * c[machine.L3].Size // of which Data gives a core half
	far := min(4*whole, mostMemory)
	a := newArea(isa, far)
	for i := range c {
		if !next([]string{"L1", "L2", "L3", "memory"}[i]) {
			return
		}
		size := far
		if i != machine.Memory {
			size = c[i].Size / 2
		}
		size = roundUp(size)
		c[i].Read = a.rate(size, d, a.read)
		c[i].Write = a.rate(size, d, a.write)
		lines := newChain(roundDown(min(size, mostChain), near*m.Pages.Size), m.Pages.Size)
		latency, apiece := lines.measure(2 * d)
		c[i].Latency, c[i].Misses = latency, max(1, latency/apiece)
	}
	c[machine.L1].Misses = max(1, c[machine.L1].Read*c[machine.L1].Latency/64)
	if !next("what several read and write") {
		return
	}
	m.Stream = a.rate(far, d, a.stream)
	c[machine.L3].Size = share(whole, a.rate(roundUp(whole), d, a.read), c[machine.L3].Read, c[machine.Memory].Read)
	a.data = nil
	m.Together = max(c[machine.Memory].Read, together(isa, far, d))
	if !next("pages") {
		return
	}
	pages(m, d)
	for i := range m.Units {
		if !next(m.Units[i].ISA) {
			return
		}
		units(&m.Units[i], m, d)
	}
}

// mostChain bounds the memory of chains.
const mostChain = 128 << 20

func roundDown(size, to int) int {
	if size < to {
		return size
	}
	return size / to * to
}

// share is what a core has of a cache of so many bytes that others use too. If as many
// bytes are read again and again at a rate, some come as fast as from near and the rest
// as from far. The part that near was measured with, a quarter, is the core's at least.
func share(size int, rate, near, far float64) int {
	if far >= near {
		return size / 2
	}
	part := float64(size) * (1/far - 1/rate) / (1/far - 1/near)
	return max(size/4, min(size, int(part)))
}

// pages measures what finding a page costs. Lines of many pages are few enough for L2, and
// so are what the processor reads of page tables.
func pages(m *machine.Machine, d time.Duration) {
	p, l2 := &m.Pages, m.Caches[machine.L2]
	second, _ := newPages(p.Far/2, p.Size).measure(d)
	none, _ := newPages(max(p.Far, min(4*p.Far, l2.Size/128)), p.Size).measure(d)
	p.Lookup = max(0, second-l2.Latency)
	p.Walk = max(p.Lookup, none-l2.Latency)
}

// units measures what a core starts in a cycle.
func units(u *machine.Units, m *machine.Machine, d time.Duration) {
	perCycle := 1 / m.Clock
	u.FMA = FMA(u.ISA, dtype.F32, d) * perCycle / 2
	u.Latency = Latency(u.ISA, d) * m.Clock
	if u.ISA == run.Portable {
		return
	}
	lanes := isaset.ByName(u.ISA).Bits / 32
	u.Vector = 4 * lanes
	u.FMA /= float64(lanes)

	size := roundUp(m.Caches[machine.L1].Size / 2)
	a := newArea(u.ISA, size)
	vectors := func(f func(size, passes int)) float64 { // a cycle
		return a.rate(size, d, f) / float64(u.Vector) * perCycle
	}
	u.Loads, u.Stores = vectors(a.read), vectors(a.write)
	loads := vectors(func(size, passes int) { a.reads("read_masked", size, passes) })
	stores := vectors(func(size, passes int) { a.writes("write_masked", size, passes) })
	u.Masked = max(0, (1/loads-1/u.Loads+1/stores-1/u.Stores)/2)
	u.Shuffle = permutations(u.ISA, perCycle, d)
}

// permutations returns how many a cycle can start next to as many multiply-adds as the
// core can do, without holding them up by a twentieth. They make a whole or a half of a
// multiply-add's number, or none.
func permutations(isa string, perCycle float64, d time.Duration) float64 {
	const rounds = 50_000
	seconds := func(name string) float64 {
		args := &kernel.Args{K: rounds, C: unsafe.Pointer(new([8]float64))}
		return fastest(d, func() { kernels[isa][name](args) }) / rounds
	}
	alone := seconds("shuffle_0")
	for _, n := range []int{4, 2} {
		if seconds(fmt.Sprintf("shuffle_%d", n)) <= 1.05*alone {
			return float64(n) * perCycle / alone
		}
	}
	return 0
}
