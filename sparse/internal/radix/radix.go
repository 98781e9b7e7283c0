// Package radix sorts positions by small numbers.
package radix

import "math/bits"

// Sort sorts order, positions of anything, by 0 <= key < size, and keeps the order
// of equal keys. Time and memory are linear in len(order), whatever the size. A key
// that has many more values than there are positions is sorted by its digits. It uses
// order itself as scratch.
func Sort(order []int32, size int, key func(k int32) int) []int32 {
	width := max(bits.Len(uint(max(size-1, 0))), 1)
	if size > 2*len(order)+256 {
		width = 11
	}
	spare := make([]int32, len(order))
	count := make([]int32, min(1<<width, max(size, 1))+1)
	for shift := 0; shift == 0 || (size-1)>>shift > 0; shift += width {
		clear(count)
		digit := func(k int32) int { return key(k) >> shift & (1<<width - 1) }
		for _, k := range order {
			count[digit(k)+1]++
		}
		for d := range len(count) - 1 {
			count[d+1] += count[d]
		}
		for _, k := range order {
			d := digit(k)
			spare[count[d]] = k
			count[d]++
		}
		order, spare = spare, order
	}
	return order
}

// Sequence is 0, 1 ... n-1.
func Sequence(n int) []int32 {
	s := make([]int32, n)
	for k := range s {
		s[k] = int32(k)
	}
	return s
}
