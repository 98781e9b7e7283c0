package mem

// Apart reports whether the elements of an array have places of their own: every
// stride steps over all that the shorter ones span.
func Apart(sizes, strides [3]int) bool {
	span := 0
	for range sizes {
		least := -1
		for d := range sizes {
			if sizes[d] > 1 && (least < 0 || strides[d] < strides[least]) {
				least = d
			}
		}
		if least < 0 {
			return true
		}
		if strides[least] <= span {
			return false
		}
		span += (sizes[least] - 1) * strides[least]
		sizes[least] = 1
	}
	return true
}
