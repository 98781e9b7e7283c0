package dist

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// AgreePhase is the phase in which the messages count by which ranks find out whether all
// of them call a function rightly: a few words in each call that sends anything.
const AgreePhase = "agree"

// A summaFact is a number that must be the same on all ranks.
type summaFact struct {
	name  string
	value int64
}

// summaText is how much of an error's text other ranks get to know.
const summaText = 400

// summaAgree returns an error on all ranks if one has an error, its own or which rank's it
// is, or if their facts differ. While all is well it costs one all-reduce of a few words,
// which count for a phase of their own. All ranks call it with as many facts.
func summaAgree(c *comm.Comm, what string, mine error, facts ...summaFact) error {
	defer c.Phase(c.Phase(AgreePhase))
	words := make([]int64, 1, 1+2*len(facts))
	if mine != nil {
		words[0] = int64(c.Size() - c.Rank()) // the lowest rank counts most
	}
	for _, f := range facts {
		words = append(words, f.value, ^f.value) // the largest, and of the smallest the complement
	}
	if err := comm.AllReduce(c, words, comm.Max[int64]()); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if words[0] > 0 {
		return summaTell(c, what, c.Size()-int(words[0]), mine)
	}
	for i, f := range facts {
		if most, least := words[1+2*i], ^words[2+2*i]; most != least {
			return summaDiffers(c, what, f)
		}
	}
	return nil
}

// summaTell is the error of a rank, which sends its text to all.
func summaTell(c *comm.Comm, what string, rank int, mine error) error {
	text := make([]byte, summaText)
	if rank == c.Rank() {
		copy(text, mine.Error())
	}
	if err := comm.Broadcast(c, rank, text); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if mine != nil {
		return fmt.Errorf("%s: rank %d of %d: %w", what, c.Rank(), c.Size(), mine)
	}
	return fmt.Errorf("%s: rank %d of %d: %s", what, rank, c.Size(), strings.TrimRight(string(text), "\x00"))
}

// summaDiffers says which is the first rank that gives another number than rank 0.
func summaDiffers(c *comm.Comm, what string, f summaFact) error {
	all := make([]int64, c.Size())
	if err := comm.AllGather(c, all, []int64{f.value}); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for r, v := range all {
		if v != all[0] {
			return fmt.Errorf("%s: %s is %d on rank %d and %d on rank 0; all ranks give the same", what, f.name, v, r, all[0])
		}
	}
	return fmt.Errorf("%s: %s is not the same on all ranks", what, f.name)
}
