package dist

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// AgreePhase is the phase of the messages by which ranks find out whether all of them
// call a function rightly. It is one all-reduce of 24 bytes in each call that sends
// anything.
const AgreePhase = "agree"

// Agree returns an error of the function called what on all ranks if one of them has
// an error, if facts differ, or if a rank has called another function. All ranks call it.
func Agree(c *comm.Comm, what string, mine error, facts ...comm.Fact) error {
	if err := comm.Agree(c.In(AgreePhase), mine, append(facts[:len(facts):len(facts)], comm.NewFact("the call", what))...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
