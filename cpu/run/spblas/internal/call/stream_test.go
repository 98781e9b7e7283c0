package call

import (
	"testing"

	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestStoresPast: large results go past the caches where the machine gains by it, and an ISA has such stores.
func TestStoresPast(t *testing.T) {
	const large = 1 << 50
	gains := tiling.StoresPast(machine.This(), large)
	for _, isa := range isaset.All {
		if have, want := StoresPast(isa.Name, large), gains && isa.Streams; have != want {
			t.Errorf("%s: %v, want %v", isa.Name, have, want)
		}
		if StoresPast(isa.Name, 1) {
			t.Errorf("%s stores a byte past the caches", isa.Name)
		}
	}
	if StoresPast("portable", large) || StoresPast("", large) {
		t.Error("portable code stores past the caches")
	}
}
