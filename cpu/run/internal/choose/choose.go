package choose

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
)

// A Choice remembers which of some variants is best, from the first call on, and which
// one was last asked for by name: 1 for the first of them, and one more than there are
// for the portable code.
type Choice struct{ best, asked atomic.Int32 }

// Best returns the number of the best variant, 0 before the first call.
func (c *Choice) Best() int { return int(c.best.Load()) }

// Force makes the n-th variant the best one.
func (c *Choice) Force(n int) { c.best.Store(int32(n)) }

// Pick returns the variant that isa asks for, or the best one for "": the first of
// variants that the machine has, or what run.SetISA or TILESMITH_ISA says; nil is the portable code.
// It panics with a [run.ISAError] if the machine has no such variant, or the kernel
// called name none.
func Pick[K any](c *Choice, name string, variants []*K, isaOf func(*K) string, isa string) *K {
	n := remembered(c, variants, isaOf, isa)
	if n == 0 {
		names := make([]string, 0, 4)
		for _, v := range variants {
			names = append(names, isaOf(v))
		}
		n = c.Number(name, names, isa)
	}
	if n > len(variants) {
		return nil
	}
	return variants[n-1]
}

// Known is Pick of what a call before picked: nil if none did, or for the portable code.
// It never panics.
func Known[K any](c *Choice, variants []*K, isaOf func(*K) string, isa string) *K {
	if n := remembered(c, variants, isaOf, isa); 0 < n && n <= len(variants) {
		return variants[n-1]
	}
	return nil
}

// remembered returns the number of the variant for isa, 0 if the last call that asked for
// one asked for another.
func remembered[K any](c *Choice, variants []*K, isaOf func(*K) string, isa string) int {
	if isa == "" {
		return c.Best()
	}
	n := int(c.asked.Load())
	if n > len(variants) && isa != run.Portable || 0 < n && n <= len(variants) && isaOf(variants[n-1]) != isa {
		return 0
	}
	return n
}

// Number is [Pick] for variants by their names.
func (c *Choice) Number(name string, isas []string, isa string) int {
	if isa == "" {
		asked, from := run.UseISA()
		n := find(name, from, isas, asked)
		c.best.Store(int32(n))
		return n
	}
	mustHave(name, "Options.ISA", isa)
	n := find(name, "Options.ISA", isas, isa)
	c.asked.Store(int32(n))
	return n
}

// find returns the number of the variant of the kernel called name that from asks for.
func find(name, from string, variants []string, isa string) int {
	for _, have := range machine() {
		if isa != "" && have != isa {
			continue
		}
		if i := slices.Index(variants, have); i >= 0 {
			return i + 1
		}
	}
	if isa != "" && isa != run.Portable {
		panic(run.ISAError{What: name, From: from, ISA: isa, Have: append(slices.Clone(variants), run.Portable)})
	}
	return len(variants) + 1
}

// machine is what the machine and the build have; it is not to be changed.
var machine = sync.OnceValue(run.ISAs)

func mustHave(name, from, isa string) {
	if !slices.Contains(machine(), isa) {
		panic(run.ISAError{What: name, From: from, ISA: isa, Have: run.ISAs()})
	}
}
