package sparse

// has reports whether bit k is set; in no mask all are.
func has(mask []uint64, k int) bool { return mask == nil || mask[k>>6]>>(k&63)&1 != 0 }

// set sets bit k.
func set(mask []uint64, k int) { mask[k>>6] |= 1 << (k & 63) }

// newMask returns the mask of n slots that hold entries entries: nil if all do.
func newMask(n, entries int) []uint64 {
	if n == entries {
		return nil
	}
	return make([]uint64, n/64+min(n%64, 1))
}
