// Package suite checks a transport through every operation of package comm. The same
// cases run on goroutine ranks and on the processes of an MPI job.
//
// Start with [Run]. A case is a function that all ranks call. It keeps the first mistake
// on its rank, but always sends and receives everything, so that the ranks stay together.
package suite

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/internal/level"
)

// Options say how much to check.
type Options struct {
	Seed   uint64 // of random schedules
	Native bool   // collectives also as the transport's own
	Long   bool   // more schedules, longer messages

	// Log gets a line for each case, on rank 0, before it runs; nil for none.
	Log func(line string)
}

// Run runs all cases on the ranks of c, all of which call it with the same options. It
// returns the same error on all of them, which names the ranks that found something wrong.
// If a message fails, it returns the error of the rank that saw it. The ranks may disagree
// then, so the caller should end the job.
func Run(c *comm.Comm, o Options) error {
	for _, x := range cases {
		if x.native && !o.Native {
			continue
		}
		if o.Log != nil && c.Rank() == 0 {
			o.Log(x.name)
		}
		s := &state{
			Comm: c, Options: o, p: c.Size(), me: c.Rank(),
			same: rand.New(level.PCG(o.Seed, 1)),
			own:  rand.New(level.PCG(o.Seed, uint64(c.Rank())+2)),
		}
		err := s.play(x.run)
		var apart *apartError
		if errors.As(err, &apart) {
			return fmt.Errorf("suite: %s: %w", x.name, err)
		}
		if err != nil {
			err = fmt.Errorf("suite: %s: %w", x.name, err)
		}
		if err := comm.Agree(c, err); err != nil {
			return err
		}
	}
	return nil
}

var cases = []struct {
	name   string
	run    func(s *state)
	native bool
}{
	{"collectives of int8", collectivesOf[int8], false},
	{"collectives of int16", collectivesOf[int16], false},
	{"collectives of int32", collectivesOf[int32], false},
	{"collectives of int64", collectivesOf[int64], false},
	{"collectives of uint8", collectivesOf[uint8], false},
	{"collectives of uint16", collectivesOf[uint16], false},
	{"collectives of uint32", collectivesOf[uint32], false},
	{"collectives of uint64", collectivesOf[uint64], false},
	{"collectives of float32", collectivesOf[float32], false},
	{"collectives of float64", collectivesOf[float64], false},
	{"moves of complex and narrow types", moves, false},
	{"the transport's own collectives", native, true},
	{"order of addition", order, false},
	{"blocking messages", blocking, false},
	{"wildcards", wildcards, false},
	{"Some", someCase, false},
	{"Probe", probe, false},
	{"lengths", lengths, false},
	{"Exchange", exchange, false},
	{"to oneself", oneself, false},
	{"random schedules", schedules, false},
	{"Split", split, false},
	{"groups at once", groupsAtOnce, false},
	{"goroutines of a rank", goroutines, false},
	{"phases", phases, false},
	{"wrong arguments", wrong, false},
	{"Agree", agree, false},
	{"a closed group", closed, false},
	{"a group closed too early", unwaited, false},
	{"two goroutines where one may be", twice, false},
	{"nothing", nothing, false},
}

// state is what a case has.
type state struct {
	*comm.Comm
	Options
	p, me     int
	same, own *rand.Rand // the same on all ranks, and of this one
	err       error      // the first thing wrong
}

// An apartError is a call that failed, after which the ranks may not be together.
type apartError struct{ error }

func (e *apartError) Unwrap() error { return e.error }

// need and got end the suite if a call failed, and got returns what it gave.
func need(err error) {
	if err != nil {
		panic(must(err))
	}
}

func got[T any](x T, err error) T {
	need(err)
	return x
}

// must is the error that a failed call is, for goroutines that a case starts.
func must(err error) error {
	if err != nil {
		return &apartError{err}
	}
	return nil
}

// play runs a case, and returns the first mistake or the call that failed.
func (s *state) play(run func(*state)) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *apartError:
			err = v
		default:
			panic(v)
		}
	}()
	run(s)
	return s.err
}

// keep takes the errors of goroutines.
func (s *state) keep(errs ...error) {
	for _, err := range errs {
		if apart := (*apartError)(nil); errors.As(err, &apart) {
			panic(apart)
		}
		if s.err == nil {
			s.err = err
		}
	}
}

// expect keeps the first thing that is wrong.
func (s *state) expect(ok bool, format string, args ...any) {
	if !ok && s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// equal expects two slices to be.
func equal[T comparable](s *state, have, want []T, format string, args ...any) {
	if s.err != nil {
		return
	}
	what := fmt.Sprintf(format, args...)
	if len(have) != len(want) {
		s.err = fmt.Errorf("%s: %d elements, want %d", what, len(have), len(want))
		return
	}
	for i := range have {
		if have[i] != want[i] {
			s.err = fmt.Errorf("%s: element %d is %v, want %v", what, i, have[i], want[i])
			return
		}
	}
}

// long is a length in elements of size bytes that no transport sends before its receive.
func (s *state) long(size int) int {
	n := 128<<10 + 1
	if s.Long {
		n = 5<<20 + 1
	}
	return n/size | 1
}
