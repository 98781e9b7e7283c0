package tiling

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestKept: what solves the equation, and all of what fits.
func TestKept(t *testing.T) {
	for _, c := range []struct{ times, want float64 }{{0, 1}, {.5, 1}, {.9, 1}, {2, .2032}, {3, .0595}, {1e9, 0}} {
		if have := Kept(c.times); math.Abs(have-c.want) > 1e-4 {
			t.Errorf("of %v times a cache %v is found, want %v", c.times, have, c.want)
		}
	}
}

// TestStoresPast: on every machine with streaming stores that are worth it results that
// are in L3 go through the caches, and ones many times as large past them.
func TestStoresPast(t *testing.T) {
	for _, m := range machine.Known() {
		l3 := int64(m.Caches[machine.L3].Size)
		if StoresPast(m, l3/2) {
			t.Errorf("%s: half of L3 is stored past it", m.Name)
		}
		if m.Stream >= m.Caches[machine.Memory].Write && !StoresPast(m, 8*l3) {
			t.Errorf("%s: eight times L3 goes through it", m.Name)
		}
		for x := l3; x < 8*l3; x += l3 / 4 {
			if StoresPast(m, x) && !StoresPast(m, x+l3/4) {
				t.Errorf("%s: %d bytes are stored past L3, %d are not", m.Name, x, x+l3/4)
			}
		}
	}
}

// TestFetchesRows: beyond half of L2.
func TestFetchesRows(t *testing.T) {
	m := machine.Reference("avx512")
	half := int64(m.Caches[machine.L2].Size / 2)
	if FetchesRows(m, half) || !FetchesRows(m, half+1) {
		t.Errorf("half of L2 is %d bytes", half)
	}
}
