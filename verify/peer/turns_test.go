package peer

import (
	"testing"
	"time"
)

// Each function gets its own time, whatever order they stand in, and takes turns with the others.
func TestInTurns(t *testing.T) {
	var order []int
	busy := func(i int, d time.Duration) func(int) {
		return func(times int) {
			for start := time.Now(); time.Since(start) < time.Duration(times)*d; {
			}
			order = append(order, i)
		}
	}
	got := InTurns(busy(0, 2*time.Millisecond), busy(1, time.Microsecond))
	if len(got) != 2 || got[0] < .0002 || got[0] > .2 || got[1] > got[0]/10 {
		t.Errorf("%v seconds, want about .002 and .000001", got)
	}
	turns := 0
	for i := range order[1:] {
		if order[i] != order[i+1] {
			turns++
		}
	}
	if turns < 2*leastTurns-1 {
		t.Errorf("%d turns in %v, want %d at least", turns, order, 2*leastTurns-1)
	}
	if got := InTurns(func(int) {}); len(got) != 1 || got[0] < 0 || got[0] > 1e-9 {
		t.Errorf("nothing took %v", got)
	}
	if got := InTurns(); len(got) != 0 {
		t.Errorf("no functions took %v", got)
	}
}
