package runs

// Has reports whether bit k is set; in no mask all are.
func Has(mask []uint64, k int) bool { return mask == nil || mask[k>>6]>>(k&63)&1 != 0 }

// SetBit sets bit k.
func SetBit(mask []uint64, k int) { mask[k>>6] |= 1 << (k & 63) }

// NewMask returns the mask of n slots that hold entries entries: nil if all do.
func NewMask(n, entries int) []uint64 {
	if n == entries {
		return nil
	}
	return make([]uint64, n/64+min(n%64, 1))
}

// SetRange sets bits lo to hi-1, unless one of them is set: then it reports false.
func SetRange(mask []uint64, lo, hi int) bool {
	for lo < hi {
		w := lo >> 6
		end := min(hi, (w+1)<<6)
		bits := ^uint64(0) >> (64 - (end - lo)) << (lo & 63)
		if mask[w]&bits != 0 {
			return false
		}
		mask[w] |= bits
		lo = end
	}
	return true
}
