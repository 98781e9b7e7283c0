// Package cost says what work takes on a machine: one model for all that plans, predicts or
// imitates it.
//
// [Work] is counts, [Machine] is rates, and [Time] is the seconds of one on the other, which
// [Spent] says by [Resource]. Parts of a Spent follow one another. Works that go on at the same
// time overlap by one of two rules, whose numbers belong to the model: [Beside], in which a part
// of the shorter shows, and [Norm], in which several are in each other's way. Work that
// is done in steps, some of it while other work goes on, is a list of [Step]. Messages of ranks
// that overlap with anything go through a [Port]. Ways to do the same are a list of
// [Candidate], from which [Choose] takes one and which [Table] prints. Where there must be no
// list, [Best] takes one of those that come one by one. What is said of a time is a [Prediction].
//
// A planner makes candidates, and has no rates and no comparisons of its own. Another way to
// weigh them is another Time; another way to find them is another loop around it.
package cost

import (
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Work is what is to be done.
type Work struct {
	Flops    float64
	Bytes    [machine.Levels]float64 // read and written, by level of package machine
	Messages float64                 // that leave a rank, one after another
	Sent     float64                 // their bytes
	Launches float64                 // of kernels on a device
	Seconds  float64                 // of work that was measured, or that another model knows
}

// Move returns the work of bytes that are read and written in a level.
func Move(level int, bytes float64) Work {
	var w Work
	w.Bytes[level] = bytes
	return w
}

// Plus returns the work of both.
func (w Work) Plus(x Work) Work {
	w.Flops += x.Flops
	for i, b := range x.Bytes {
		w.Bytes[i] += b
	}
	w.Messages += x.Messages
	w.Sent += x.Sent
	w.Launches += x.Launches
	w.Seconds += x.Seconds
	return w
}

// A Machine is what one rank, or one core, or one device can do.
type Machine struct {
	Link
	Flops  float64                 // a second
	Rates  [machine.Levels]float64 // bytes a second, by level
	Launch float64                 // seconds
	Memory int64                   // bytes that a plan may hold; 0 for no limit
}

// Core returns what one core does, with vectors of an instruction set and elements of so many bytes: its multiply-adds,
// and what it reads in order.
func Core(m *machine.Machine, isa string, size int) (core Machine) {
	core.Flops = m.Ceiling(isa, size)
	for level := range core.Rates {
		core.Rates[level] = m.Caches[level].Read
	}
	return core
}

// Check says what is wrong with m. A rate of 0 is of what m has not.
func (m Machine) Check() error {
	if err := m.Link.Check(); err != nil {
		return err
	}
	for _, x := range append(m.Rates[:], m.Flops, m.Launch, float64(m.Memory)) {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("a machine of %v flop/s, %v bytes/s, launches of %v s and %d bytes; want none below 0", m.Flops, m.Rates, m.Launch, m.Memory)
		}
	}
	return nil
}

// On returns what w takes, part by part. What w has none of needs no rate.
func (w Work) On(m Machine) (s Spent) {
	s[FMA], s[Launch], s[Messages], s[Measured] = over(w.Flops, m.Flops), w.Launches*m.Launch, m.Link.Time(w.Messages, w.Sent), w.Seconds
	for level, b := range w.Bytes {
		s[Of(level)] = over(b, m.Rates[level])
	}
	return s
}

// Time returns the seconds of w if its parts follow one another.
func Time(w Work, on Machine) float64 {
	s := w.On(on)
	return s.Total()
}

func over(amount, rate float64) float64 {
	if amount == 0 {
		return 0
	}
	return amount / rate
}

// A Step is work that is done some times, and work that goes on meanwhile, which shows only if it takes
// longer: see [Beside].
type Step struct {
	Work, Meanwhile Work
	Times           int
}

// Then returns steps with one more.
func Then(steps []Step, work, meanwhile Work) []Step {
	if n := len(steps) - 1; n >= 0 && steps[n].Work == work && steps[n].Meanwhile == meanwhile {
		steps[n].Times++
		return steps
	}
	return append(steps, Step{work, meanwhile, 1})
}

// Sum returns the work of all steps.
func Sum(steps []Step) (all Work) {
	for _, s := range steps {
		for range s.Times {
			all = all.Plus(s.Work).Plus(s.Meanwhile)
		}
	}
	return all
}

// Total returns the seconds of steps that follow one another.
func Total(steps []Step, on Machine) (seconds float64) {
	for _, s := range steps {
		seconds += float64(s.Times) * Beside(Time(s.Work, on), Time(s.Meanwhile, on), 0)
	}
	return seconds
}
