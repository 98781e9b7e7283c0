package mem

import (
	"slices"
	"testing"
)

// TestPool: values come back, and none is in two hands.
func TestPool(t *testing.T) {
	var p Pool[int]
	x, y := p.Get(), p.Get()
	if x == y {
		t.Error("one value in two hands")
	}
	p.Put(x)
	p.Put(y)
	back := []*int{p.Get(), p.Get()}
	if !slices.Contains(back, x) || !slices.Contains(back, y) {
		t.Error("values that were put back were not got again")
	}
}
