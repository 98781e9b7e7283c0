package mpi

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// Split is MPI_Comm_split.
func (t *transport) Split(color, key int) (comm.Transport, error) {
	colors, keys, err := t.wishes(color, key)
	if err != nil {
		return nil, err
	}
	c, k := order(colors, keys, t.rank)
	if color < 0 {
		c = t.lib.abi.undefined
	}
	if err := t.gather(); err != nil {
		return nil, err
	}
	part := &transport{lib: t.lib}
	if err := t.collective(mpiCommSplit, t.handle, number(c), number(k), uintptr(unsafe.Pointer(&part.handle))); err != nil {
		return nil, err
	}
	if color < 0 {
		return nil, nil
	}
	for _, r := range members(colors, keys, t.rank) {
		part.members = append(part.members, int32(t.global(r)))
	}
	t.lib.ledger.add(part)
	return part, part.describe()
}

// members are the ranks of one rank's color, in the order of keys.
func members(colors, keys []int64, rank int) (list []int) {
	for r, c := range colors {
		if c == colors[rank] {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return list
}

// wishes tells all ranks the color and the key of all.
func (t *transport) wishes(color, key int) (colors, keys []int64, err error) {
	mine, all := [2]int64{int64(color), int64(key)}, make([][2]int64, t.size)
	counts := make([]int, t.size)
	for r := range counts {
		counts[r] = int(unsafe.Sizeof(mine))
	}
	err = t.AllGatherV(bytesOf(all), counts, bytesOf([][2]int64{mine}))
	for _, w := range all {
		colors, keys = append(colors, w[0]), append(keys, w[1])
	}
	return colors, keys, err
}

// bytesOf is the memory of x.
func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0])))
}

// order replaces the ranks' colors and keys, which may be any ints. The new ones fit
// into ints of C and mean the same: the first rank of each color, and places in the
// order of keys. All ranks know all.
func order(colors, keys []int64, rank int) (color, key int32) {
	for r, c := range colors {
		if c == colors[rank] {
			color = int32(r)
			break
		}
	}
	for r, k := range keys {
		if k < keys[rank] || k == keys[rank] && r < rank {
			key++
		}
	}
	return color, key
}
