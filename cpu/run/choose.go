package run

import (
	"slices"
	"sync/atomic"
)

// chooser remembers which variant is best, from the first call on.
type chooser struct{ best atomic.Pointer[choice] }

type choice struct{ k *Kernels } // k is nil for the portable code

// pick returns the variant that isa asks for, or the best one for "".
func (c *chooser) pick(name string, variants []*Kernels, isa string) *Kernels {
	if isa == "" {
		if b := c.best.Load(); b != nil {
			return b.k
		}
		b := &choice{find(name, variants, envISA())}
		c.best.Store(b)
		return b.k
	}
	mustHave(isa, "Options.ISA")
	return find(name, variants, isa)
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
