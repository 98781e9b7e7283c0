package comm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/internal/suite"
	"github.com/tilesmith/tilesmith/internal/level"
)

// TestStorm runs many groups at once, some of which end badly in the middle, while stacks
// grow and memory is collected.
func TestStorm(t *testing.T) {
	length := level.Of(time.Second/16, time.Second/4, time.Minute)
	end := time.Now().Add(length)
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	var good, bad atomic.Int64
	for k := range 6 {
		all.Go(func() {
			rnd := rand.New(level.PCG(uint64(k), 7))
			for time.Now().Before(end) {
				runtime.GC()
				seed, p := rnd.Uint64(), 1+rnd.IntN(9)
				l := comm.Local{Eager: []int{0, -1, 1 << 30}[rnd.IntN(3)]}
				if rnd.IntN(4) == 0 {
					l.Link.Latency = float64(rnd.IntN(100)) * 1e-6
				}
				ends := rnd.IntN(2) == 0
				err := l.Run(p, func(c *comm.Comm) error { return storm(c, seed, ends) })
				if ends != errors.Is(err, errStorm) || !ends && err != nil {
					t.Errorf("ends %v: %v", ends, err)
					return
				}
				if ends {
					bad.Add(1)
				} else {
					good.Add(1)
				}
			}
		})
	}
	all.Wait()
	if good.Load() == 0 || bad.Load() == 0 {
		t.Errorf("%d runs went well and %d badly", good.Load(), bad.Load())
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

var errStorm = errors.New("a rank gives up")

// storm is a random mixture; with ends, one rank gives up in the middle of it.
func storm(c *comm.Comm, seed uint64, ends bool) error {
	same := rand.New(level.PCG(seed, 1))
	victim, last := same.IntN(c.Size()), same.IntN(12)
	for round := range 12 {
		if ends && c.Rank() == victim && round == last {
			switch seed % 3 {
			case 0:
				panic(errStorm)
			case 1:
				c.Abort(errStorm)
			}
			return errStorm
		}
		n := same.IntN(5000)
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(c.Rank())
		}
		deep(same.IntN(60))
		if err := comm.AllReduce(c, x, comm.Sum[float32]()); err != nil {
			return err
		}
		want := float32(c.Size() * (c.Size() - 1) / 2)
		for i := range x {
			if x[i] != want {
				return fmt.Errorf("round %d: element %d is %v, want %v", round, i, x[i], want)
			}
		}
		right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
		var many sync.WaitGroup
		errs := make([]error, 3)
		for g := range errs {
			many.Go(func() {
				deep(g * 20)
				in := make([]int16, 100*n*g/5000+1)
				x := make([]int16, len(in))
				for i := range x {
					x[i] = int16(c.Rank() + i)
				}
				if _, errs[g] = comm.Sendrecv(c, right, g, x, left, g, in); errs[g] != nil {
					return
				}
				for i := range in {
					if in[i] != int16(left+i) {
						errs[g] = fmt.Errorf("round %d: goroutine %d has %d of rank %d at %d", round, g, in[i], left, i)
						return
					}
				}
			})
		}
		many.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		g, err := c.Split(same.IntN(3)*c.Rank()%3, 0)
		if err != nil {
			return err
		}
		if err := g.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// deep makes a stack grow, so that it moves.
//
//go:noinline
func deep(n int) byte {
	var big [512]byte
	big[n%512] = byte(n)
	if n == 0 {
		return big[0]
	}
	return deep(n-1) + big[n%512]
}

// TestSuiteStorm runs suites at once.
func TestSuiteStorm(t *testing.T) {
	if !level.Long() {
		t.Skip("TILESMITH_LONG=1 runs eight suites at once")
	}
	for k := range 8 {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			err := comm.Run(1+k, func(c *comm.Comm) error { return suite.Run(c, suite.Options{Seed: uint64(100 + k)}) })
			if err != nil {
				t.Error(err)
			}
		})
	}
}
