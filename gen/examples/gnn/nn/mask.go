package nn

import (
	"sync"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// maskPart is how many numbers of a mask are worth a goroutine.
const maskPart = 1 << 13

// mask is [rand.Dropout] from number 0 on, by all threads: numbers depend on their places only.
func mask[T dtype.Float](random rand.Stream, out []T, p float64) {
	threads := max(1, min(run.Threads(), len(out)/maskPart))
	part := (len(out)/threads + 3) &^ 3
	var others sync.WaitGroup
	for first := part; first < len(out); first += part {
		others.Go(func() { rand.Dropout(random, uint64(first), out[first:min(first+part, len(out))], p) })
	}
	rand.Dropout(random, 0, out[:min(part, len(out))], p)
	others.Wait()
}
