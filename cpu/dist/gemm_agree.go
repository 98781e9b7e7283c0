package dist

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// summaText is how much of an error's text other ranks get to know.
const summaText = 400

// summaAgree returns an error on all ranks if one has an error: its own, or which rank's it
// is. While all is well it costs one all-reduce of 8 bytes. All ranks call it.
func summaAgree(c *comm.Comm, what string, mine error) error {
	worst := []int64{0}
	if mine != nil {
		worst[0] = int64(c.Size() - c.Rank()) // the lowest rank counts most
	}
	if err := comm.AllReduce(c, worst, comm.Max[int64]()); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if worst[0] == 0 {
		return nil
	}
	rank := c.Size() - int(worst[0])
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
	n := 0
	for n < len(text) && text[n] != 0 {
		n++
	}
	return fmt.Errorf("%s: rank %d of %d: %s", what, rank, c.Size(), text[:n])
}

// summaSame returns an error on all ranks unless all give the same values, of which names
// says what each is. All ranks call it with as many.
func summaSame(c *comm.Comm, what string, names []string, values []int64) error {
	all := make([]int64, len(values)*c.Size())
	if err := comm.AllGather(c, all, values); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for r := range c.Size() {
		for i, v := range all[r*len(values):][:len(values)] {
			if v != all[i] {
				return fmt.Errorf("%s: %s is %d on rank %d and %d on rank 0; all ranks give the same", what, names[i], v, r, all[i])
			}
		}
	}
	return nil
}
