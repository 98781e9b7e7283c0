package choose

import (
	"slices"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// A Choice remembers which of some variants is best, from the first call on, and which
// one was last asked for by name. 1 is the first variant and so on; the number after
// the last is the portable code.
type Choice struct{ best, asked atomic.Int32 }

// Best returns the number of the best variant, 0 before the first call.
func (c *Choice) Best() int { return int(c.best.Load()) }

// Force makes the n-th variant the best one.
func (c *Choice) Force(n int) { c.best.Store(int32(n)) }

// Pick returns the variant that isa asks for, or else that of the set which isa extends. For
// "" it returns the best one, which is the first that the machine has, or the one that
// run.SetISA or TILESMITH_ISA names. nil is the portable code. It panics with a
// [run.ISAError] if the machine has no such variant, or the kernel called name none.
func Pick[K any](c *Choice, name string, variants []*K, isaOf func(*K) string, isa string) *K {
	n := remembered(c, variants, isaOf, isa)
	if n == 0 {
		names := make([]string, 0, 16) // on the stack, for all instruction sets that there are
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

// Table is [Pick] of tables.
func Table[K any](c *Choice, name string, tables []*kernel.Table[K], isa string) *kernel.Table[K] {
	return Pick(c, name, tables, func(k *kernel.Table[K]) string { return k.ISA }, isa)
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
	asked := int(c.asked.Load())
	if n := asked % coded; asked/coded == code(isa) && n <= len(variants)+1 {
		return n
	}
	return 0
}

// The last request is kept in one word: the instruction set by its code and the variant
// by its number.
const coded = 1 << 8

// code is a number for an instruction set, -1 if there is none of that name.
func code(isa string) int {
	if isa == run.Portable {
		return 0
	}
	for n, i := range isaset.All {
		if i.Name == isa {
			return n + 1
		}
	}
	return -1
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
	c.asked.Store(int32(code(isa)*coded + n))
	return n
}

// find returns the number of the variant of the kernel called name that from asks for, or of
// the first that the machine has if it asks for none. Variants are listed best first.
func find(name, from string, variants []string, isa string) int {
	if isa == "" {
		return best(variants)
	}
	for i := isaset.ByName(isa); i != nil; i = i.Extends {
		if n := slices.Index(variants, i.Name); n >= 0 {
			return n + 1
		}
	}
	if isa != run.Portable {
		panic(run.ISAError{What: name, From: from, ISA: isa, Have: append(slices.Clone(variants), run.Portable)})
	}
	return len(variants) + 1
}

// best returns the number of the first variant that the machine has. It takes one whose
// dot products are slow there only if no other is as wide.
func best(variants []string) int {
	have := func(n int) bool { return run.HasISA(variants[n]) }
	for n, isa := range variants {
		if !have(n) {
			continue
		}
		if slowDots(isa) {
			for other := n + 1; other < len(variants); other++ {
				if have(other) && isaset.Plain(variants[other]) == isaset.Plain(isa) {
					return other + 1
				}
			}
		}
		return n + 1
	}
	return len(variants) + 1
}

func mustHave(name, from, isa string) {
	if !run.HasISA(isa) {
		panic(run.ISAError{What: name, From: from, ISA: isa, Have: run.ISAs()})
	}
}
