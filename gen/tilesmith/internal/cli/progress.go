//go:build unix || windows

package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// Progress is a line at the foot of a terminal. It says what goes on, how much of it is
// done, and how long the rest may take. A nil one says nothing.
type Progress struct {
	to io.Writer

	mu          sync.Mutex
	all         *mpb.Progress // nil while nothing is shown
	bar         *mpb.Bar
	done, total int
	what        string
}

// Say shows what goes on, without an end in sight.
func (p *Progress) Say(format string, args ...any) { p.Step(0, 0, fmt.Sprintf(format, args...)) }

// Step shows what goes on and that so many of all steps are done; an empty text hides
// the line.
func (p *Progress) Step(done, total int, what string) {
	if p == nil {
		return
	}
	if what == "" {
		p.Stop()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all != nil && p.total != total {
		p.hide()
	}
	p.what, p.done, p.total = what, done, total
	if p.all == nil {
		p.show()
	}
	p.bar.SetCurrent(int64(done))
}

func (p *Progress) text(decor.Statistics) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	const most = 60
	what := []rune(p.what)
	return string(what[:min(len(what), most)])
}

// left says how long the rest may take, once a step is done to reckon from.
func (p *Progress) left(eta string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done == 0 {
		return ""
	}
	return ", " + eta + " left"
}

// show begins a line; mpb draws it at once, and again several times a second.
func (p *Progress) show() {
	p.all = mpb.New(mpb.WithOutput(p.to), mpb.WithRefreshRate(200*time.Millisecond))
	if p.total == 0 {
		p.bar = p.all.New(0, mpb.NopStyle(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(p.text), decor.Name("  "), decor.Elapsed(decor.ET_STYLE_GO)))
		return
	}
	p.bar = p.all.New(int64(p.total), mpb.BarStyle().Rbound("] "), mpb.BarRemoveOnComplete(), mpb.BarWidth(20),
		mpb.PrependDecorators(decor.Any(p.text, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.CountersNoUnit("%d of %d"), decor.Meta(decor.AverageETA(decor.ET_STYLE_GO), p.left)))
}

func (p *Progress) hide() {
	if p.all == nil {
		return
	}
	all, bar := p.all, p.bar
	p.all, p.bar = nil, nil
	p.mu.Unlock() // the last drawing asks for the text
	bar.Abort(true)
	all.Wait()
	p.mu.Lock()
}

// Stop removes the line.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hide()
}

// write writes above the line, if there is one.
func (p *Progress) write(to io.Writer, b []byte) (int, error) {
	p.mu.Lock()
	all := p.all
	p.mu.Unlock()
	if all != nil {
		if n, err := all.Write(b); err == nil {
			return n, nil
		}
	}
	return to.Write(b)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && cwriter.IsTerminal(int(f.Fd()))
}
