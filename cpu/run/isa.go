package run

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// Portable is the name of the variant in plain Go that every build has.
const Portable = "go"

// ISAError says that a variant was asked for that cannot run here.
type ISAError struct {
	What string   // the function that was called
	From string   // what asks: Options.ISA or TILESMITH_ISA
	ISA  string   // what it asks for
	Have []string // what there is
}

func (e ISAError) Error() string {
	return fmt.Sprintf("%s: %s asks for the instruction set %q; want one that kernel, machine and build have: %s", e.What, e.From, e.ISA, strings.Join(e.Have, ", "))
}

// ISAs lists the variants that this machine and this build can run, best first; the last is
// [Portable]. An instruction set that extends another stands behind it: asked for it, a
// kernel that uses nothing of it takes the other's variant. Settings such as
// GODEBUG=cpu.avx512f=off are honoured.
func ISAs() []string { return slices.Clone(isas()) }

// PlainISAs lists those of [ISAs] that extend no other, and the portable code. Kernels that use
// neither dot products nor tiles of narrow elements differ by these only.
func PlainISAs() []string {
	return slices.DeleteFunc(ISAs(), func(isa string) bool { return isaset.Plain(isa) != isa })
}

// isas is ISAs without a copy.
var isas = sync.OnceValue(func() (all []string) {
	for _, i := range isaset.All {
		if runs(i) {
			all = append(all, i.Name)
		}
	}
	return append(all, Portable)
})

// HasISA reports whether a variant is one of [ISAs]. It asks about no other set: the
// system is asked for tiles only if a kernel has a variant for them.
func HasISA(isa string) bool {
	i := isaset.ByName(isa)
	return isa == Portable || i != nil && runs(i)
}
