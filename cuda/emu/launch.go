package emu

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cuda"
)

// A launch is a grid of blocks that runs.
type launch struct {
	dev     *Device
	prog    *program
	grid    cuda.Grid
	threads int // a block
	shared  int // bytes a block, static and dynamic
	params  []byte
	serial  uint64
	failed  atomic.Int64  // the first block that did something wrong, noBlock if none did
	tokens  chan struct{} // one for each block that may execute now
}

// newLaunch checks a launch as a driver does.
func newLaunch(d *Device, p *program, g cuda.Grid, params []byte) (*launch, error) {
	refuse := func(format string, args ...any) (*launch, error) {
		return nil, fmt.Errorf("emu: launch of %s: %w: %s", p.name, cuda.ErrUnsupported, fmt.Sprintf(format, args...))
	}
	if err := g.Check(d.Info()); err != nil {
		return nil, fmt.Errorf("emu: launch of %s: %w", p.name, err)
	}
	threads := g.Threads[0] * g.Threads[1] * g.Threads[2]
	if b := g.Blocks; int64(b[0])*int64(b[1]) > 1<<31-1 || int64(b[0])*int64(b[1])*int64(b[2]) > 1<<31-1 {
		return refuse("more than 2^31-1 blocks are not emulated")
	}
	if m := p.fn.maxntid; m[0] > 0 {
		if p.fn.reqntid && m != g.Threads {
			return refuse("blocks of %v threads; its .reqntid says %v", g.Threads, m)
		}
		if threads > m[0]*m[1]*m[2] {
			return refuse("%d threads in a block; its .maxntid allows %d", threads, m[0]*m[1]*m[2])
		}
	}
	if p.fn.cluster[0] > 0 && p.fn.cluster != [3]int{1, 1, 1} {
		return nil, fmt.Errorf("emu: launch of %s: %w: clusters are not emulated", p.name, cuda.ErrUnsupported)
	}
	if int64(p.dynamic)+int64(g.Shared) > d.opt.SharedPerBlock {
		return refuse("%d bytes of shared memory and %d in the text; a block has at most %d", g.Shared, p.static, d.opt.SharedPerBlock)
	}
	if want := int(p.fn.paramSize); len(params) != want {
		return refuse("%d bytes of parameters, the kernel has %d", len(params), want)
	}
	shared := p.static
	if g.Shared > 0 {
		shared = p.dynamic + g.Shared
	}
	return &launch{dev: d, prog: p, grid: g, threads: threads, shared: shared, params: append([]byte(nil), params...),
		serial: d.serial.Add(1), tokens: make(chan struct{}, d.opt.Workers)}, nil
}

// noBlock is after every block.
const noBlock = math.MaxInt64

// run executes all blocks. As many as the device has SMs are there at a time, and
// begin in order. If several do something wrong, the first is reported, however many
// execute at a time. Those before it run to their end, those after it do not.
func (l *launch) run() error {
	blocks := int64(l.grid.Blocks[0] * l.grid.Blocks[1] * l.grid.Blocks[2])
	resident := int(min(blocks, int64(l.dev.opt.SMs)))
	l.failed.Store(noBlock)
	var next atomic.Int64
	var mu sync.Mutex
	var first *Fault
	counts := make([]lineCount, len(l.prog.code))
	var wg sync.WaitGroup
	for sm := range resident {
		l.tokens <- struct{}{} // blocks begin in order
		wg.Go(func() {
			defer func() { <-l.tokens }()
			var c *cta
			for {
				order := next.Add(1) - 1
				if order >= min(blocks, l.failed.Load()) {
					break
				}
				if c == nil {
					c = newCTA(l, sm)
				}
				f := c.run(int(order))
				if f == nil || f.Kind == stopped {
					continue
				}
				mu.Lock()
				if order < l.failed.Load() {
					first = f
					l.failed.Store(order)
				}
				mu.Unlock()
			}
			if c != nil {
				mu.Lock()
				for i := range counts {
					counts[i].add(&c.counts[i])
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	l.dev.count(l, counts)
	if first != nil {
		return first
	}
	return nil
}

func newCTA(l *launch, sm int) *cta {
	c := &cta{launch: l, prog: l.prog, sm: sm, checks: !l.dev.opt.NoChecks,
		counts: make([]lineCount, len(l.prog.code)), bufs: make([]*buffer, 0, 16)}
	for i := range (l.threads + 31) / 32 {
		c.warps = append(c.warps, newWarp(c, i))
	}
	return c
}
