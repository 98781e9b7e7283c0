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
	ISA, From string
	Have      []string
}

func (e ISAError) Error() string {
	return fmt.Sprintf("tilesmith: %s asks for ISA %q, but this machine and build have %s", e.From, e.ISA, strings.Join(e.Have, ", "))
}

// ISAs lists the variants that this machine and this build can run, best first;
// the last is [Portable]. GODEBUG=cpu.avx512f=off and its like are honoured.
func ISAs() []string { return slices.Clone(isas()) }

// isas is ISAs without a copy.
var isas = sync.OnceValue(func() []string { return append(machineISAs(), Portable) })
