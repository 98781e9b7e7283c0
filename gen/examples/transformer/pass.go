package transformer

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gemm/rand"
)

// A Pass is one way through a network. The zero Pass is for answers: nothing is dropped or kept for a way back.
type Pass struct {
	Threads int  // as of run.Options
	Train   bool // drops what layers drop, and keeps what Backward wants
	Seed    uint64
	Step    uint64 // of training, below 1<<48: each has masks of its own

	masks uint64 // drawn so far
}

// stream returns the random numbers of the next mask. They depend only on the seed, the step and the mask's
// place in its pass.
func (p *Pass) stream() rand.Stream {
	p.masks++
	return rand.Stream{Seed: p.Seed, Number: p.Step<<14 | p.masks}
}

func (p *Pass) options() run.Options { return options(p.Threads) }

func options(threads int) run.Options { return run.Options{Threads: threads} }

// accumulate are options of a product that is added to its result.
func accumulate(opt run.Options) run.Options {
	opt.Scaling = run.Scale(1, 1)
	return opt
}

// threshold is what drops numbers with probability p in an equation, and what others are multiplied by.
func threshold(p float64) (drop int32, scale float64) {
	limit, scale := rand.Threshold("transformer", p)
	return int32(uint32(min(limit, math.MaxUint32))), scale
}

// each calls do for 0 to n-1, some at once.
func each(n, threads int, do func(i int)) {
	if threads == 0 {
		threads = run.Threads()
	}
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var wait sync.WaitGroup
	for range min(threads, n) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
}
