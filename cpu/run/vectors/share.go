package vectors

import (
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run/internal/choose"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/internal/work"
)

// Tasks, pools and the choice of kernels, which routines outside of package run share with
// those inside it.
type (
	Task        = work.Task
	Pool[T any] = mem.Pool[T]
)

// Share works on t with the caller and up to threads-1 helpers.
func Share(t Task, threads int) { work.Run(t, threads) }

// Allowed is how many goroutines a call may use.
func Allowed() int { return work.Allowed(0) }

// Variant remembers which of some variants of kernels is best on this machine.
type Variant struct {
	Name string          // whose they are, for errors
	ISAs func() []string // best first; a function, so that only programs that call kernels have them
	best atomic.Int32    // as Number says, 0 before the first call
}

// Number returns the number of the best variant, from 1 on. It is negative if the portable code is asked
// for, or is all that there is.
func (v *Variant) Number() int32 {
	if n := v.best.Load(); n != 0 {
		return n
	}
	return v.first()
}

func (v *Variant) first() int32 {
	var c choose.Choice
	isas := v.ISAs()
	v.Force(c.Number(v.Name, isas, ""), isas)
	return v.best.Load()
}

// Force makes the n-th variant of isas, from 1 on, the best one, the portable code if there is none: for tests, too.
func (v *Variant) Force(n int, isas []string) {
	if n < 1 || n > len(isas) {
		n = -1
	}
	v.best.Store(int32(n))
}
