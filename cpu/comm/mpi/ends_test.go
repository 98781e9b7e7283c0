//go:build unix

package mpi

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// hang waits for a message that nobody sends.
func hang(c *comm.Comm) error {
	_, err := comm.Recv(c, comm.AnySource, 1, make([]byte, 1))
	return err
}

// end makes a task of what rank 1 does while the others wait for it.
func end(last func(c *comm.Comm) error) func() error {
	return func() error {
		return options().Run(0, func(c *comm.Comm) error {
			if err := c.Barrier(); err != nil || c.Rank() != 1 {
				return errors.Join(err, hang(c))
			}
			return last(c)
		})
	}
}

func init() {
	tasks["end by an error"] = end(func(*comm.Comm) error { return errors.New("row 7 has no diagonal") })
	tasks["end by a panic"] = end(func(*comm.Comm) error {
		var list []int
		return fmt.Errorf("%d", list[3])
	})
	tasks["end by a panic of another goroutine"] = end(func(c *comm.Comm) error {
		go panic("in a goroutine")
		return hang(c)
	})
	tasks["end by Goexit"] = end(func(*comm.Comm) error { (*testing.T)(&testing.T{}).FailNow(); return nil })
	tasks["end by a short buffer"] = end(func(c *comm.Comm) error {
		if _, err := comm.Isend(c, 1, 3, make([]float64, 100)); err != nil {
			return err
		}
		_, err := comm.Recv(c, 1, 3, make([]float64, 9))
		return err
	})
	tasks["end by ranks that disagree"] = func() error {
		return options().Run(0, func(c *comm.Comm) error {
			return comm.Agree(c, nil, comm.NewFact("rows", 100+c.Rank()))
		})
	}
	tasks["end by a kill"] = end(func(c *comm.Comm) error {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		return hang(c)
	})
	tasks["end by os.Exit"] = end(func(*comm.Comm) error { os.Exit(3); return nil })
	tasks["signals"] = func() error {
		return options().Run(0, func(c *comm.Comm) error {
			got := make(chan os.Signal, 20)
			signal.Notify(got, syscall.SIGTERM)
			for range 20 {
				syscall.Kill(os.Getpid(), syscall.SIGTERM)
				select {
				case <-got:
				case <-time.After(time.Minute):
					return errors.New("SIGTERM did not come")
				}
			}
			fmt.Fprintln(Stdout(c), "signals came")
			return c.Barrier()
		})
	}
}

// TestEnds: whatever ends one rank ends the job, soon, and says so.
func TestEnds(t *testing.T) {
	each(t, func(t *testing.T, i installation) {
		for name, want := range map[string]string{
			"end by an error":                     "rank 1: row 7 has no diagonal",
			"end by a panic":                      "rank 1: panic: runtime error: index out of range [3] with length 0",
			"end by a panic of another goroutine": "panic: in a goroutine",
			"end by Goexit":                       "rank 1: the function of this rank ended its goroutine",
			"end by a short buffer":               "a message from rank 1 with tag 3 is longer than the buffer of 72 bytes",
			"end by ranks that disagree":          "rows",
			"end by a kill":                       "",
			"end by os.Exit":                      "",
		} {
			if !long() && name != "end by an error" && name != "end by a kill" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				r := i.run(t, 2, name)
				if !r.failed || r.took > 5*time.Second+startup {
					t.Errorf("failed: %v, after %v", r.failed, r.took)
				}
				if !strings.Contains(r.out+r.errs, want) {
					t.Errorf("printed, and not %q:\n%s%s", want, r.out, r.errs)
				}
			})
		}
		t.Run("signals", func(t *testing.T) {
			if r := i.run(t, 2, "signals").ok(t); !strings.Contains(r.out, "signals came") {
				t.Errorf("printed %q", r.out)
			}
		})
	})
}
