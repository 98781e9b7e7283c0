package comm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestErrorsOnce: which ranks have an error is said once, whoever passed it on.
func TestErrorsOnce(t *testing.T) {
	for _, x := range []struct {
		what, want string
		f          func(c *Comm) error
	}{
		{"an error of one rank", "rank 1: boom", func(c *Comm) error { return errors.New("boom") }},
		{"one that says so", "rank 1: boom", func(c *Comm) error { return errors.New("rank 1: boom") }},
		{"one of another rank", "rank 1: rank 2: boom", func(c *Comm) error { return errors.New("rank 2: boom") }},
	} {
		err := Run(3, func(c *Comm) error {
			if c.Rank() == 1 {
				return x.f(c)
			}
			return nil
		})
		if err == nil || err.Error() != x.want {
			t.Errorf("%s: %v; want %q", x.what, err, x.want)
		}
	}
	for _, x := range []struct {
		what, want string
		f          func(c *Comm) error
	}{
		{"agreed", "read: rank 1: boom", func(c *Comm) error {
			var err error
			if c.Rank() == 1 {
				err = errors.New("boom")
			}
			return fmt.Errorf("read: %w", Agree(c, err))
		}},
		{"agreed on what says its rank", "read: rank 0: boom; rank 1: boom; rank 2: boom", func(c *Comm) error {
			return fmt.Errorf("read: %w", Agree(c, fmt.Errorf("rank %d: boom", c.Rank())))
		}},
		{"agreed twice", "ranks 0-2: boom", func(c *Comm) error { return Agree(c, Agree(c, errors.New("boom"))) }},
		{"agreed in Start", "comm.Start: the ranks disagree about n: ", func(c *Comm) error {
			_, err := Start(c, Needs{Facts: []Fact{NewFact("n", c.Rank())}})
			return err
		}},
	} {
		if err := Run(3, x.f); err == nil || !strings.HasPrefix(err.Error(), x.want) || strings.Count(err.Error(), "boom") > 3 || strings.Count(err.Error(), "comm.Start") > 1 {
			t.Errorf("%s: %v; want %q", x.what, err, x.want)
		}
	}
}
