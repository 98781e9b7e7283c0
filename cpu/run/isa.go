package run

import (
	"fmt"
	"slices"
	"strings"
	"sync"
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

// ISAs lists the variants that this machine and this build can run, best first;
// the last is [Portable]. GODEBUG=cpu.avx512f=off and its like are honoured.
func ISAs() []string { return slices.Clone(isas()) }

// isas is ISAs without a copy.
var isas = sync.OnceValue(func() []string { return append(machineISAs(), Portable) })
