package cuda

import "fmt"

// The limits that every device since compute capability 3.0 has (CUDA programming
// guide, "Technical Specifications per Compute Capability"). Shared memory differs and
// is in [Info].
const (
	maxThreads  = 1024 // a block
	maxThreadsZ = 64
	maxBlocksX  = 1<<31 - 1
	maxBlocksY  = 65535 // and Z
)

// Check returns nil if a device can launch g, or an error that wraps
// [ErrUnsupported] and names the limit.
func (g Grid) Check(i Info) error {
	limits := [...]struct {
		what     string
		n, limit int
	}{
		{"blocks in x", g.Blocks[0], maxBlocksX},
		{"blocks in y", g.Blocks[1], maxBlocksY},
		{"blocks in z", g.Blocks[2], maxBlocksY},
		{"threads in x", g.Threads[0], maxThreads},
		{"threads in y", g.Threads[1], maxThreads},
		{"threads in z", g.Threads[2], maxThreadsZ},
	}
	for k := range limits {
		if l := &limits[k]; l.n < 1 || l.n > l.limit {
			return fmt.Errorf("%w: a grid of %d %s, want 1 to %d", ErrUnsupported, l.n, l.what, l.limit)
		}
	}
	if n := g.Threads[0] * g.Threads[1] * g.Threads[2]; n > maxThreads {
		return fmt.Errorf("%w: %d threads a block, want at most %d", ErrUnsupported, n, maxThreads)
	}
	if g.Shared < 0 || int64(g.Shared) > i.SharedPerBlock {
		return fmt.Errorf("%w: %d bytes of dynamic shared memory, want 0 to %d on %s; take a smaller tile or fewer stages", ErrUnsupported, g.Shared, i.SharedPerBlock, i.Name)
	}
	return nil
}
