package peer

import (
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// What InTurns takes. Most samples fit between two process switches of a CPU, so the median does not see the switches
// even on a busy machine.
const (
	turnSample = 300 * time.Microsecond
	turnRounds = 101
	turnsTime  = 2 * time.Second // for all together, after which leastTurns are enough
	leastTurns = 5
	mostTimes  = 1 << 30 // of what takes no time at all
)

// InTurns times functions that do something a number of times over, as [Repeat] returns them, on the thread that
// calls them. It returns the seconds of doing it once, for each the median of its samples. Samples are taken
// in turns, so that what disturbs the machine disturbs all of them. A sample follows one time that does not
// count, for the caches. Time in which the thread had no CPU does not count, if the system reports it. A
// sample with more than 3 % of such time counts only if there are no five better ones. There is no garbage
// collection meanwhile.
func InTurns(runs ...func(times int)) []float64 {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	times := make([]int, len(runs))
	for i, f := range runs {
		f(1)
		times[i] = 1
		for seconds, _ := turn(f, 1); seconds < turnSample.Seconds() && times[i] < mostTimes; seconds, _ = turn(f, times[i]) {
			times[i] *= 2
		}
	}
	good, spoilt := make([][]float64, len(runs)), make([][]float64, len(runs))
	start := time.Now()
	for round := range turnRounds {
		if round >= leastTurns && time.Since(start) > turnsTime {
			break
		}
		for i, f := range runs {
			f(1)
			seconds, undisturbed := turn(f, times[i])
			if seconds /= float64(times[i]); undisturbed {
				good[i] = append(good[i], seconds)
			} else {
				spoilt[i] = append(spoilt[i], seconds)
			}
		}
	}
	medians := make([]float64, len(runs))
	for i, s := range good {
		if len(s) < leastTurns {
			s = append(s, spoilt[i]...)
		}
		slices.Sort(s)
		medians[i] = s[len(s)/2]
	}
	return medians
}

// turn times f, without the time in which other processes had the CPU, and says whether that was next to nothing.
func turn(f func(int), times int) (seconds float64, undisturbed bool) {
	cpu, start := threadSeconds(), time.Now()
	f(times)
	wall := time.Since(start).Seconds()
	cpu = threadSeconds() - cpu // a little longer than wall if nobody else had the CPU
	if cpu == 0 || cpu > wall {
		return wall, true
	}
	return cpu, cpu > .97*wall
}
