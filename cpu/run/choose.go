package run

import "sync/atomic"

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

// find returns the variant for isa, or the best that the machine has for "". It
// panics with an [ISAError] if the kernel was not generated for isa.
func find(name string, variants []*Kernels, isa string) *Kernels {
	for _, have := range isas() {
		if isa != "" && have != isa {
			continue
		}
		for _, v := range variants {
			if v.ISA == have {
				return v
			}
		}
	}
	if isa != "" && isa != Portable {
		have := []string{}
		for _, v := range variants {
			have = append(have, v.ISA)
		}
		panic(ISAError{isa, "a call of " + name, append(have, Portable)})
	}
	return nil
}
