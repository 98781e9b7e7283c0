package local

import (
	"sync"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// tile is how many elements an epilogue gets at a time, about: they stay in L2.
const tile = 16 << 10

// Tiles calls f for out, some rows at a time, on so many threads. A panic of f
// reaches the caller.
func Tiles[T dtype.Float](threads int, out layout.Matrix[T], row, col int, f func(tile layout.Matrix[T], row, col int)) {
	if out.Rows == 0 || out.Cols == 0 {
		return
	}
	if threads == 0 {
		threads = cpu.Threads()
	}
	size := max(1, tile/out.Cols)
	tiles := (out.Rows-1)/size + 1
	threads = max(1, min(threads, tiles))
	var all sync.WaitGroup
	panics := make([]any, threads)
	for t := range threads {
		part := dist.Upto(tiles).Part(t, threads)
		work := func() {
			defer func() { panics[t] = recover() }()
			for i := part.Lo * size; i < min(part.Hi*size, out.Rows); i += size {
				f(out.Slice(i, min(i+size, out.Rows), 0, out.Cols), row+i, col)
			}
		}
		if t == threads-1 {
			work()
		} else {
			all.Go(work)
		}
	}
	all.Wait()
	for _, x := range panics {
		if x != nil {
			panic(x)
		}
	}
}
