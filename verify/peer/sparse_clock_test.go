package peer_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// entrant is a function in a contest.
type entrant struct {
	name string
	run  func()

	seconds float64 // of one run, the median
	once    float64 // of the first run that counts for nothing
	reps    int
	samples []float64
	spoilt  []float64 // taken while another process had the CPU
	shares  []float64 // CPU time over time
}

// contest says how a comparison went, apart from times.
type contest struct {
	rounds int
	others float64 // CPUs that other processes kept busy meanwhile
	spoilt int     // samples that another process spoilt
}

// What a contest may take, and a sample at least.
const (
	sampleTime  = 4 * time.Millisecond
	contestTime = 3 * time.Second
	mostRounds  = 15
	leastRounds = 3
)

// compete takes a sample of every entrant in turn, over and over, so that what
// disturbs the machine disturbs all of them, and enters the median of each. A sample
// that got less than 97 % of a CPU counts only for an entrant that has no three better
// ones.
func compete(all ...*entrant) contest {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	round := 0.0
	for _, e := range all {
		e.run() // touches memory
		e.reps = 1
		e.once, _ = e.sample()
		e.reps = max(1, int(sampleTime.Seconds()/max(e.once, 1e-9)))
		e.samples = nil
		round += 2 * max(e.once, sampleTime.Seconds())
	}
	c := contest{rounds: min(mostRounds, max(leastRounds, int(contestTime.Seconds()/round))) | 1}
	busy, own, start := busySeconds(), cpuSeconds(), time.Now()
	for range c.rounds {
		for _, e := range all {
			if e.once < .2 {
				e.run() // what the one before left in the caches is none of its business
			}
			t, share := e.sample()
			if share > 0 && share < .97 {
				c.spoilt++
				e.spoilt = append(e.spoilt, t)
				continue
			}
			e.samples, e.shares = append(e.samples, t), append(e.shares, share)
		}
	}
	c.others = max(0, (busySeconds()-busy)-(cpuSeconds()-own)) / time.Since(start).Seconds()
	for _, e := range all {
		if len(e.samples) < leastRounds {
			e.samples = append(e.samples, e.spoilt...)
		}
		e.seconds = middle(e.samples)
	}
	return c
}

// threads is how many CPUs an entrant had, about.
func (e *entrant) threads() float64 {
	if len(e.shares) == 0 {
		return 1
	}
	return middle(e.shares)
}

// sample returns the seconds of one run, and the CPUs that this process had. Seconds in
// which it had none do not count.
func (e *entrant) sample() (seconds, share float64) {
	cpu, start := cpuSeconds(), time.Now()
	for range e.reps {
		e.run()
	}
	wall := time.Since(start).Seconds()
	share = (cpuSeconds() - cpu) / wall
	if share > 0 {
		wall *= min(1, share)
	}
	return wall / float64(e.reps), share
}

func middle(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
}

// busySeconds is the time that all CPUs of the machine have worked, 0 where nothing
// says.
func busySeconds() float64 {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(b), "\n")
	ticks := 0.0
	for k, f := range strings.Fields(line) {
		const idle, iowait, guest = 4, 5, 9
		if k == 0 || k == idle || k == iowait || k >= guest {
			continue
		}
		v, _ := strconv.ParseFloat(f, 64)
		ticks += v
	}
	return ticks / 100
}
