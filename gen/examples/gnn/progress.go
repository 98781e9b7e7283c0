package main

import (
	"fmt"
	"io"
	"time"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// progress says how far training is: on a terminal in one line that changes, elsewhere in ten.
type progress struct {
	out      io.Writer
	terminal bool
	from, to int // epochs that were there before, and may be at the end
	start    time.Time
	shown    time.Time
}

// newProgress returns the progress of a trainer that is about to run.
func newProgress[T dtype.Float](out io.Writer, terminal bool, t *Trainer[T]) *progress {
	return &progress{out: out, terminal: terminal, from: len(t.State.Curve), to: t.Model.Epochs, start: time.Now()}
}

// show writes what an epoch came to, unless the last was shown a moment ago.
func (p *progress) show(at Point) error {
	now := time.Now()
	begin, end := "", "\n"
	if p.terminal {
		if now.Sub(p.shown) < 100*time.Millisecond && at.Epoch < p.to {
			return nil
		}
		begin, end = "\r", "\x1b[K"
	} else if at.Epoch%max(1, p.to/10) != 0 {
		return nil
	}
	p.shown = now
	left := now.Sub(p.start) / time.Duration(at.Epoch-p.from) * time.Duration(p.to-at.Epoch)
	_, err := fmt.Fprintf(p.out, "%sepoch %d of at most %d: loss %.4f, validation %.4f, %.1f %% right; at most %v left%s",
		begin, at.Epoch, p.to, at.Train.Loss, at.Validation.Loss, 100*at.Validation.Accuracy, left.Round(time.Second/10), end)
	return err
}
