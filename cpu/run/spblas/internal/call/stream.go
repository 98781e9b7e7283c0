package call

import (
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// StoresPast reports whether kernels of an ISA store a result of so many bytes past the caches: see [tiling.StoresPast].
// It is false for an ISA without such stores, whose kernels do not know the mode.
func StoresPast(isa string, bytes int64) bool {
	i := isaset.ByName(isa)
	return i != nil && i.Streams && tiling.StoresPast(machine.This(), bytes)
}
