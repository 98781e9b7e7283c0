package llvm

import (
	"maps"
	"slices"
)

// RowNames lists the operations that the backend translates.
func RowNames() []string {
	return slices.Sorted(maps.Keys(rows))
}

// RegionNames lists those of them that own blocks.
func RegionNames() []string { return slices.Sorted(maps.Keys(regions)) }
