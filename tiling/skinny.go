package tiling

// AxpyMost is how many rows the tile of an axpy-form kernel has at most. More rows are
// done in several passes, while B is in the second-level cache.
const AxpyMost = 8

// Axpy returns the tile of an axpy-form kernel: few rows, and as many vectors as registers
// allow, up to eight. It computes what a micro-kernel does, but its tiles lie side by side.
// So it reads along the rows of a large B, which are in different pages, instead of down a
// narrow panel. Its K is small: as many rows of B as hardware can follow at once.
func Axpy(regs, mr int) Micro {
	nv := 8
	for nv > 1 && mr*nv+nv+1 > regs {
		nv--
	}
	return Micro{mr, nv}
}

// DotTiles lists the tiles of the dot kernels for a machine with regs vector
// registers. A dot kernel has both operands contiguous along k,
//
//	C[i][j] += sum over k < K of A[i*RsA + k*size] * B[j*LdB + k*size]
//
// where an element of C is a vector whose lanes each sum a part of k. A kernel of the Join
// form adds up the lanes when all of k is done. From tile to tile A, B and C move by StepA,
// StepB and StepC. For each width of the small side up to [DotMost] there are two tiles. One
// has as many rows of the large side as registers allow, the other a single row. Both also
// exist the other way round.
func DotTiles(regs int) []Micro {
	var tiles []Micro
	seen := map[Micro]bool{}
	for s := 1; s <= DotMost(regs); s++ {
		r := DotLong(regs, s)
		for _, t := range []Micro{{r, s}, {1, s}, {s, r}, {s, 1}} {
			if !seen[t] {
				seen[t] = true
				tiles = append(tiles, t)
			}
		}
	}
	return tiles
}

// DotRegs is how many of regs registers of so many bits dot kernels count on. With vectors of 128 bits
// it is half of them, which halves the text of these kernels. A larger small side goes to the micro-kernel,
// whose narrow vectors it fills. What that costs has not been measured.
func DotRegs(bits, regs int) int {
	if bits == 128 {
		return regs / 2
	}
	return regs
}

// DotMost is the largest small side of a dot kernel.
func DotMost(regs int) int { return regs / 4 }

// DotLong is how many rows of the large side a dot kernel takes at once when the small
// side is s. The registers hold the accumulators, the vectors of the shorter side, one of
// the longer and a mask. 8 to 24 sums are under way, enough to hide the latency of a
// multiply-add.
func DotLong(regs, s int) int {
	r := 8
	for r > 1 && (r*s+min(r, s)+2 > regs || r*s > 24) {
		r--
	}
	return r
}
