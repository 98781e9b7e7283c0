package run

import "github.com/tilesmith/tilesmith/layout/dtype"

// pickVariant returns the variant that isa asks for, or the best one for "": the
// first of variants that the machine has, or nil for the portable code. It panics
// with an [ISAError] as Set does.
func pickVariant[K any](name string, variants []*K, isaOf func(*K) string, isa string) *K {
	if isa == "" {
		isa = envISA()
	} else {
		mustHave(isa, "Options.ISA")
	}
	for _, have := range isas() {
		if isa != "" && have != isa {
			continue
		}
		for _, v := range variants {
			if isaOf(v) == have {
				return v
			}
		}
	}
	if isa != "" && isa != Portable {
		have := []string{}
		for _, v := range variants {
			have = append(have, isaOf(v))
		}
		panic(ISAError{isa, "a call of " + name, append(have, Portable)})
	}
	return nil
}

func pickRows[T dtype.Float](name string, variants []*RowKernels, isa string) *RowKernels {
	if k := pickVariant(name, variants, func(k *RowKernels) string { return k.ISA }, isa); k != nil {
		return k
	}
	if dtype.Of[T]() == dtype.F32 {
		return &goRows32
	}
	return &goRows64
}
