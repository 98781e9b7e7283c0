package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/cuda"
)

// How a launch is timed. A round has as many launches as take about its time. Rounds of
// competitors take turns, so that a clock that drifts affects all alike.
const (
	rounds       = 7
	roundSeconds = 0.015
	mostLaunches = 2000
)

// times returns the median seconds of a launch of each of fs, which are given a
// number that goes up.
func times(s cuda.Stream, fs ...func(i int) error) ([]float64, error) {
	start, err := s.Device().NewEvent()
	if err != nil {
		return nil, err
	}
	defer start.Close()
	end, err := s.Device().NewEvent()
	if err != nil {
		return nil, err
	}
	defer end.Close()
	next := 0
	one := func(f func(i int) error, n int) (float64, error) {
		if err := s.Record(start); err != nil {
			return 0, err
		}
		for range n {
			if err := f(next); err != nil {
				return 0, err
			}
			next++
		}
		if err := s.Record(end); err != nil {
			return 0, err
		}
		if err := s.Synchronize(); err != nil {
			return 0, err
		}
		t, err := end.Since(start)
		return t / float64(n), err
	}
	launches := make([]int, len(fs))
	for i, f := range fs {
		for _, n := range []int{2, 3} { // the first compiles and warms up
			t, err := one(f, n)
			if err != nil {
				return nil, err
			}
			launches[i] = max(1, min(mostLaunches, int(roundSeconds/max(t, 1e-9))))
		}
	}
	all := make([][]float64, len(fs))
	for range rounds {
		for i, f := range fs {
			t, err := one(f, launches[i])
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], t)
		}
	}
	medians := make([]float64, len(fs))
	for i, ts := range all {
		slices.Sort(ts)
		medians[i] = ts[len(ts)/2]
	}
	return medians, nil
}

// copies returns how many sets of operands of some bytes make each launch find
// none of its own in a cache of l2 bytes.
func copies(bytes, l2 int64) int {
	const most = 64
	return int(min(most, 1+(2*max(l2, 1)+bytes-1)/max(bytes, 1)))
}
