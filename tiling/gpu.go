package tiling

import (
	"fmt"
	"math/bits"
)

// GPU is how a GPU kernel cuts a product. A CTA computes BM x BN elements and goes along K in
// steps of BK, through Stages tiles in shared memory, a multistage buffer. Each of its warps
// computes WM x WN. All but Stages are powers of two, so that shared memory can be swizzled
// by exclusive or.
type GPU struct {
	BM, BN, BK int
	WM, WN     int
	Stages     int
}

// GPULimits is what a CTA may use on one kind of GPU.
type GPULimits struct {
	Shared    int // bytes of dynamic shared memory
	Registers int // a thread
}

// GPUTargets gives the limits of the targets that kernels are written for: CUDA
// Programming Guide, "Compute Capabilities", Technical Specifications.
var GPUTargets = map[string]GPULimits{
	"sm_80":  {163 << 10, 255},
	"sm_86":  {99 << 10, 255},
	"sm_89":  {99 << 10, 255},
	"sm_90":  {227 << 10, 255},
	"sm_90a": {227 << 10, 255},
	"sm_100": {227 << 10, 255},
	"sm_120": {99 << 10, 255},
}

// Warps returns the number of warps of a CTA.
func (g GPU) Warps() int { return g.BM / g.WM * (g.BN / g.WN) }

// Threads returns the number of threads of a CTA.
func (g GPU) Threads() int { return 32 * g.Warps() }

// StageBytes returns what one step of K of both operands takes, elements of size
// bytes each.
func (g GPU) StageBytes(size int) int { return g.stageBytes(size, Fragment{}) }

// stageBytes is StageBytes of what an instruction has in memory.
func (g GPU) stageBytes(size int, f Fragment) int {
	a, meta := f.bytesOfA(g, size)
	return a + meta + g.BN*g.BK*size
}

// SharedBytes returns the dynamic shared memory of a CTA: the multistage buffer, in which the
// finished sums are laid out afterwards.
func (g GPU) SharedBytes(size int, f Fragment) int {
	return max(g.Stages*g.stageBytes(size, f), f.Sum*g.BM*g.BN)
}

func (g GPU) String() string {
	return fmt.Sprintf("%dx%dx%d, warps of %dx%d, %d stages", g.BM, g.BN, g.BK, g.WM, g.WN, g.Stages)
}

// Fragment is what an instruction asks of the tiles: a warp's rows, columns and
// depth are multiples of M, N and K, and a thread holds Regs(...) registers.
type Fragment struct {
	M, N, K int
	Sum     int  // bytes of a sum
	Tensor  bool // the instruction is one of tensor cores
	// Each is how many instructions of a thread one product takes that is added to a sum, without tensor cores; 0 is one.
	Each int
	// Chunk, if not 0, says that of so many neighbours of A along K half are stored, and four
	// bits of metadata.
	Chunk int
	// Registers gives what the sums and two sets of operands of a warp's tile take
	// in each thread.
	Registers func(wm, wn int) int
}

// bytesOfA returns what a step of K of A takes, and its metadata.
func (f Fragment) bytesOfA(g GPU, size int) (a, meta int) {
	if f.Chunk == 0 {
		return g.BM * g.BK * size, 0
	}
	return g.BM * g.BK / 2 * size, g.BM * g.BK / f.Chunk / 2
}

// overhead is the number of registers for addresses, counters and what the
// compiler moves about, besides the sums and the operands.
const overhead = 40

// Check returns the first limit that the tile breaks, or nil. size is that of an
// element in shared memory.
func (g GPU) Check(size int, f Fragment, limits GPULimits) error {
	for _, d := range []struct {
		name string
		n, k int
	}{{"BM", g.BM, 16}, {"BN", g.BN, 32}, {"BK", g.BK, max(f.K, 16/size)}, {"WM", g.WM, f.M}, {"WN", g.WN, f.N}} {
		if d.n < d.k || bits.OnesCount(uint(d.n)) != 1 {
			return fmt.Errorf("tile %v: %s must be a power of two and at least %d", g, d.name, d.k)
		}
		if d.n > 1024 {
			return fmt.Errorf("tile %v: %s is above 1024", g, d.name)
		}
	}
	if g.BM%g.WM != 0 || g.BN%g.WN != 0 {
		return fmt.Errorf("tile %v: warps of %dx%d do not divide %dx%d", g, g.WM, g.WN, g.BM, g.BN)
	}
	if t := g.Threads(); t > 1024 {
		return fmt.Errorf("tile %v: %d threads, a CTA has at most 1024", g, t)
	}
	if t := g.Threads(); t < g.BN {
		return fmt.Errorf("tile %v: %d threads are fewer than BN; a row needs a thread for each column", g, t)
	}
	if g.Stages < 2 || g.Stages > 8 {
		return fmt.Errorf("tile %v: the multistage buffer must have 2 to 8 stages", g)
	}
	// A thread copies whole chunks of 16 bytes, the same number as all others.
	bytes, meta := f.bytesOfA(g, size)
	for _, x := range [][2]int{{g.BM, bytes}, {g.BN, g.BN * g.BK * size}} {
		if chunks := x[1] / 16; chunks%g.Threads() != 0 || chunks == 0 {
			return fmt.Errorf("tile %v: %d threads do not share %d chunks of 16 bytes of a %dx%d tile; take a larger BK or fewer warps",
				g, g.Threads(), chunks, x[0], g.BK)
		}
	}
	if words := meta / 4; words%g.Threads() != 0 {
		return fmt.Errorf("tile %v: %d threads do not share %d words of metadata of a %dx%d tile; take a larger BK or fewer warps",
			g, g.Threads(), words, g.BM, g.BK)
	}
	if s := g.SharedBytes(size, f); s > limits.Shared {
		return fmt.Errorf("tile %v: needs %d bytes of shared memory, the limit is %d; take fewer stages or a smaller tile", g, s, limits.Shared)
	}
	if r := f.Registers(g.WM, g.WN) + overhead; r > limits.Registers {
		return fmt.Errorf("tile %v: needs about %d registers a thread for sums, operands and addresses, the limit is %d; take a smaller warp tile",
			g, r, limits.Registers)
	}
	return nil
}

// GPUTiles are the tiles of a spec's kernels. Tiles that are the same make one kernel.
type GPUTiles struct {
	Large  GPU // for products that fill the machine: one CTA an SM
	Pair   GPU // two CTAs an SM: one's epilogue runs while the other multiplies
	Small  GPU // for small products: more CTAs, each less efficient
	Narrow GPU // for operands that are not aligned, which take more registers to address
}

// DefaultGPU chooses tiles for elements of size bytes.
//
// On tensor cores a warp takes 64 x 64, the fewest loads from shared memory for a
// multiplication. With the operands of two steps that is nearly all registers of
// eight warps, so one CTA fills an SM. A tile of 128 x 256, 128 bytes of K long, makes the most
// of it, because after the barrier between two tiles the tensor cores wait for the first
// fragments. Two CTAs of 128 x 128 fill an SM as well. They load half as much again for a
// multiplication, but the tensor cores go on during an epilogue. That counts if K is small or
// the epilogue long. If the sums of a large tile do not fit into shared memory, it is the only
// choice. If a GPU converts operands in registers, warps take half. Sums of 8 bytes take twice
// the registers, so a warp takes a quarter.
//
// Without tensor cores a warp takes 32 x 64: 8 x 8 sums a thread, and registers for
// two sets of operands. For each k that is 64 multiplications and 4 loads of 16 bytes, so at most 94.1 % of
// the instructions multiply. The rest belongs to a stage: an instruction for each chunk of 16 bytes and two
// for its address. Another 19 to 25 are for the barrier, the loop, the offsets of stages and tiles, and the
// edge of the matrix. In percent,
//
//	BK 16, 4 chunks   1024/(1024 + 64 + 12 + 25)   91.0
//	BK 32, 8 chunks   2048/(2048 + 128 + 24 + 25)  92.0
//
// Longer loops gain less, and one of 36 KB already is a quarter of the 128 KB of an SM's cache for
// instructions. If a multiplication is two instructions, 16 does the same. Small tiles cannot: 8 x 4 sums
// take 3 loads for 32 multiplications, 91.4 %.
func DefaultGPU(size int, f Fragment, limits GPULimits) GPUTiles {
	switch {
	case !f.Tensor:
		large := GPU{BM: 128, BN: 128, BK: 32, WM: 32, WN: 64, Stages: 3}
		if f.Each > 1 {
			large.BK, large.Stages = 16, 4
		}
		return GPUTiles{
			Large:  large,
			Pair:   large,
			Small:  GPU{BM: 64, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 4},
			Narrow: GPU{BM: 128, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 4},
		}
	case f.Sum > 4:
		return GPUTiles{
			Large:  GPU{BM: 128, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 3},
			Pair:   GPU{BM: 128, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 3},
			Small:  GPU{BM: 64, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 4},
			Narrow: GPU{BM: 64, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 4},
		}
	}
	if f.Chunk > 0 {
		return sparseTiles(size, f, limits)
	}
	t := GPUTiles{
		Large:  GPU{BM: 128, BN: 256, BK: 128 / size, WM: 64, WN: 64, Stages: 3},
		Pair:   GPU{BM: 128, BN: 128, BK: 64 / size, WM: 64, WN: 64, Stages: 4},
		Small:  GPU{BM: 64, BN: 64, BK: 64 / size, WM: 32, WN: 32, Stages: 6},
		Narrow: GPU{BM: 128, BN: 128, BK: 64 / size, WM: 64, WN: 32, Stages: 4},
	}
	if t.Large.SharedBytes(size, f) > limits.Shared {
		t.Large = t.Pair
	}
	if f.Registers(t.Large.WM, t.Large.WN)+overhead > limits.Registers { // operands are converted
		t.Large = GPU{BM: 128, BN: 128, BK: 64 / size, WM: 64, WN: 32, Stages: 4}
		t.Pair, t.Narrow = t.Large, GPU{BM: 128, BN: 64, BK: 64 / size, WM: 32, WN: 32, Stages: 4}
	}
	return t
}

// sparseTiles chooses tiles where half of A is stored. A step is twice as deep, and so are the
// fragments of B. With those of two steps, 64 x 64 sums of a warp do not fit its registers. 64
// x 32 do, in eight warps that fill an SM.
func sparseTiles(size int, f Fragment, limits GPULimits) GPUTiles {
	large := GPU{BM: 128, BN: 128, BK: 128 / size, WM: 64, WN: 32, Stages: 4}
	if large.SharedBytes(size, f) > limits.Shared {
		large.Stages--
	}
	if f.Registers(large.WM, large.WN)+overhead > limits.Registers { // operands are converted, and not for two steps at once
		large = GPU{BM: 128, BN: 64, BK: 64 / size, WM: 32, WN: 32, Stages: 4}
		return GPUTiles{Large: large, Pair: large, Narrow: large,
			Small: GPU{BM: 64, BN: 64, BK: 64 / size, WM: 32, WN: 32, Stages: 4}}
	}
	return GPUTiles{Large: large, Pair: large, Narrow: large,
		Small: GPU{BM: 64, BN: 64, BK: 128 / size, WM: 32, WN: 32, Stages: 4}}
}

// GroupM is how many tiles of rows are walked together. Consecutive CTAs go down GroupM
// tiles before they go right. Tiles in flight at one time so share rows of A and columns
// of B in the L2 cache.
const GroupM = 8
