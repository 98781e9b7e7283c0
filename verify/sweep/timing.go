package sweep

import (
	"slices"
	"sync"
	"time"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// Instruments are what a session measures with; zero fields are the machine's own.
type Instruments struct {
	Now func() time.Time
	// Ceiling is what so many cores do from registers, of products of elements of a and b.
	Ceiling func(isa string, a, b dtype.Type, threads int) roof.Ceiling
	Levels  func(isa string) []Level
	// Machine is what predictions start from.
	Machine func() *machine.Machine
}

func (in *Instruments) now() time.Time {
	if in.Now != nil {
		return in.Now()
	}
	return time.Now()
}

// ceiling is that of so many cores at once: those of a machine may share a clock.
func (in *Instruments) ceiling(isa string, k *Kernel, threads int) roof.Ceiling {
	a, b := k.operands()
	if in.Ceiling != nil {
		return in.Ceiling(isa, a, b, threads)
	}
	const each = time.Millisecond // there are three kernels of an instruction, or six
	all := make([]roof.Ceiling, threads)
	var wg sync.WaitGroup
	for i := range all[1:] {
		wg.Go(func() { all[1+i] = roof.Products(isa, a, b, each) })
	}
	all[0] = roof.Products(isa, a, b, each)
	wg.Wait()
	for _, c := range all[1:] {
		all[0].Rate += c.Rate
	}
	return all[0]
}

// levels measures what one core reads from each level of memory.
func (in *Instruments) levels(isa string) []Level {
	if in.Levels != nil {
		return in.Levels(isa)
	}
	c := &machine.This().Caches
	holds := []int{c[machine.L1].Size, c[machine.L2].Size, c[machine.L3].Size, 0}
	var all []Level
	for i, l := range roof.Bandwidths(isa, 20*time.Millisecond) {
		all = append(all, Level{Name: l.Name, Holds: holds[i], Read: l.Read / 1e9, Write: l.Write / 1e9, Copy: l.Copy / 1e9})
	}
	return all
}

const (
	leastRun   = 4 * time.Millisecond // of as many calls as it takes
	leastRuns  = 3
	mostRuns   = 25
	usualTime  = 200 * time.Millisecond
	mostRepeat = 1 << 22
)

// times are seconds a call, by function and run, and the ceiling of each run in flop/s.
type times struct {
	seconds  [][]float64
	ceilings []float64
	reps     []int
}

// time runs each function in turn, and the ceiling before them, again and again, so that
// a change of clock or of the neighbours affects all of them.
func (s *Session) time(fs []func(times int), threads int, ceiling func() float64) times {
	t := times{seconds: make([][]float64, len(fs)), reps: make([]int, len(fs))}
	longest := time.Duration(0)
	for i, f := range fs {
		var d time.Duration
		t.reps[i], d = s.repeat(f, threads)
		longest = max(longest, d)
	}
	budget := s.Time
	if budget <= 0 {
		budget = usualTime
	}
	runs := min(max(int(budget/max(longest, 1)), leastRuns, s.Runs), mostRuns)
	for n := range runs {
		t.ceilings = append(t.ceilings, ceiling())
		for i := range fs {
			i = (i + n) % len(fs) // whoever comes after the one that fills the caches has a disadvantage
			if t.reps[i] > 1 {
				fs[i](1)
			}
			d := s.stopwatch(fs[i], t.reps[i], threads)
			t.seconds[i] = append(t.seconds[i], d.Seconds()/float64(t.reps[i]))
		}
	}
	return t
}

// stopwatch is how long n calls take. For one thread it is no more than the processor
// time of the process. Time that other programs take does not count, and a library that
// uses more threads than it was told gains nothing over the clock on the wall.
func (s *Session) stopwatch(f func(times int), n, threads int) time.Duration {
	used, ok := processTime()
	start := s.Instruments.now()
	f(n)
	d := s.Instruments.now().Sub(start)
	if after, _ := processTime(); ok && threads == 1 && s.Instruments.Now == nil {
		d = min(d, after-used)
	}
	return d
}

// repeat returns how many calls make a run that is long enough, and how long it takes.
func (s *Session) repeat(f func(times int), threads int) (n int, d time.Duration) {
	f(1)
	for n = 1; ; {
		d = s.stopwatch(f, n, threads)
		if d >= leastRun || n >= mostRepeat {
			return n, d
		}
		// As many as should do, but not so many that one slow call misleads.
		n = min(max(2*n, int(float64(n)*1.1*float64(leastRun)/float64(max(d, 1)))), 100*n, mostRepeat)
	}
}

// spread is the distance between the quartiles of x over its median: 0.01 on a quiet
// machine.
func spread(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	if n := len(x); n > 1 {
		return finite((x[n*3/4] - x[n/4]) / median(x))
	}
	return 0
}

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	n := len(x)
	if n == 0 {
		return 0
	}
	return (x[(n-1)/2] + x[n/2]) / 2
}
