package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// A console is where a command prints, and what ends it.
type Console struct {
	Ctx context.Context
	Out io.Writer // data
	Log io.Writer // all else
	Bar *Progress // nil if log is not a terminal
	// terminal: data are for a reader.
	Terminal bool
	Typed    []string // the command line
}

func ConsoleOf(c *cobra.Command) *Console {
	return NewConsole(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
}

func NewConsole(ctx context.Context, out, log io.Writer) *Console {
	c := &Console{Ctx: ctx, Out: out, Log: log, Terminal: isTerminal(out)}
	c.Typed, _ = ctx.Value(commandLine{}).([]string)
	if isTerminal(log) && os.Getenv("TERM") != "dumb" {
		c.Bar = &Progress{to: log}
		// Above the bar, if it is on the same screen.
		if sameFile(out, log) {
			c.Out = &above{c.Bar, out}
		}
		c.Log = &above{c.Bar, log}
	}
	return c
}

// output is stdout. When its reader is gone, unread ends what would go on writing.
// Other errors are kept: code that prints help does not look.
type output struct {
	*os.File
	unread context.CancelCauseFunc
	failed error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if isUnread(err) {
		o.unread(ErrUnread)
		err = ErrUnread
	}
	if o.failed == nil {
		o.failed = err
	}
	return n, err
}

// ReadFrom hides that of a file, which would write past [output.Write].
func (o *output) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{o}, r)
}

// WriteString goes the same way.
func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// above writes to a terminal that may have a line at its foot.
type above struct {
	bar *Progress
	to  io.Writer
}

func (a *above) Write(b []byte) (int, error) { return a.bar.write(a.to, b) }

// sameFile reports whether two writers are one terminal.
func sameFile(a, b io.Writer) bool {
	x, ok := a.(interface{ Stat() (os.FileInfo, error) })
	y, too := b.(interface{ Stat() (os.FileInfo, error) })
	if !ok || !too || !isTerminal(a) {
		return false
	}
	p, err := x.Stat()
	q, qerr := y.Stat()
	return err == nil && qerr == nil && os.SameFile(p, q)
}
