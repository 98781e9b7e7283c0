package layout

import "math/bits"

// Shared memory of every NVIDIA GPU since Maxwell: 32 banks, each of which gives
// one word of 4 bytes a cycle.
const (
	warp      = 32
	banks     = 32
	bankBytes = 4
)

// Banks says what a warp's access to shared memory costs: the passes that it takes,
// and the fewest passes that an access of its width and lanes can take. They differ by
// bank conflicts.
type Banks struct{ Wavefronts, Ideal int }

// Conflicts returns how many passes are lost to bank conflicts.
func (b Banks) Conflicts() int { return b.Wavefronts - b.Ideal }

// Wavefronts counts the passes of one access by a warp: lane i reads or writes
// bytes bytes at address[i], or is inactive if that is negative.
//
// An access of up to 4 bytes a lane serves the whole warp in one phase. One of 8 bytes
// serves half of the warp, one of 16 bytes a quarter. A phase takes as many passes as the
// busiest bank has distinct words to give. Lanes that read the same word share it.
// ldmatrix and stmatrix are accesses of 16 bytes: address holds the rows, 8 for each
// matrix.
//
// It refuses more than 32 lanes, widths other than 1, 2, 4, 8 and 16 bytes, and
// addresses that are not a multiple of the width.
func Wavefronts(address []int, bytes int) (Banks, error) {
	if len(address) > warp {
		return Banks{}, refuse("Wavefronts", "%d lanes, more than %d", len(address), warp)
	}
	if bytes < 1 || bytes > 16 || bytes&(bytes-1) != 0 {
		return Banks{}, refuse("Wavefronts", "%d bytes a lane, not 1, 2, 4, 8 or 16", bytes)
	}
	for lane, a := range address {
		if a >= 0 && a&(bytes-1) != 0 {
			return Banks{}, refuse("Wavefronts", "lane %d: address %d is not a multiple of %d", lane, a, bytes)
		}
	}
	var sum Banks
	lanes := min(warp, banks*bankBytes/bytes)
	for ; len(address) > 0; address = address[min(lanes, len(address)):] {
		if n := phase(address[:min(lanes, len(address))], bytes); n > 0 {
			sum.Wavefronts += n
			sum.Ideal++
		}
	}
	return sum, nil
}

// phase returns the largest number of distinct words in one bank.
func phase(address []int, bytes int) int {
	shift := bits.TrailingZeros(bankBytes)
	seen := map[int]bool{}
	var words [banks]int
	busiest := 0
	for _, a := range address {
		if a < 0 {
			continue
		}
		for word := a >> shift; word <= (a+bytes-1)>>shift; word++ {
			if !seen[word] {
				seen[word] = true
				words[word%banks]++
				busiest = max(busiest, words[word%banks])
			}
		}
	}
	return busiest
}
