package run

import (
	"slices"
	"sync/atomic"
)

// chooser remembers which variant is best, from the first call on, and which one was
// last asked for by name.
type chooser struct{ best, asked atomic.Pointer[choice] }

type choice struct {
	k   *Kernels // nil for the portable code
	isa string   // that was asked for
}

// pick returns the variant that isa asks for, or the best one for "".
func (c *chooser) pick(name string, variants []*Kernels, isa string) *Kernels {
	if isa == "" {
		if b := c.best.Load(); b != nil {
			return b.k
		}
		b := &choice{k: find(name, variants, envISA())}
		c.best.Store(b)
		return b.k
	}
	if a := c.asked.Load(); a != nil && a.isa == isa && (a.k == nil || slices.Contains(variants, a.k)) {
		return a.k
	}
	mustHave(isa, "Options.ISA")
	a := &choice{find(name, variants, isa), isa}
	c.asked.Store(a)
	return a.k
}

// find returns the variant for isa, or the best that the machine has for ""; nil is
// the portable code. It panics with an [ISAError] if the kernel was not generated for
// isa.
func find(name string, variants []*Kernels, isa string) *Kernels {
	names := make([]string, 0, 4)
	for _, v := range variants {
		names = append(names, v.ISA)
	}
	if i := findISA(name, names, isa); i >= 0 {
		return variants[i]
	}
	return nil
}

// findISA is find for variants by name; it returns -1 for the portable code.
func findISA(name string, variants []string, isa string) int {
	for _, have := range isas() {
		if isa != "" && have != isa {
			continue
		}
		if i := slices.Index(variants, have); i >= 0 {
			return i
		}
	}
	if isa != "" && isa != Portable {
		panic(ISAError{isa, "a call of " + name, append(slices.Clone(variants), Portable)})
	}
	return -1
}
