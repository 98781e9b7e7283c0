// Package python times libraries that are called from Python, by scripts, so that benchmarks can compare with them.
package python

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Script is Python that answers questions, a line each, for benchmarks that compare with Python libraries. Its
// first line is its version.
type Script struct {
	Version string

	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// Start starts a script with arguments, by the Python of VIRTUAL_ENV, which names the folder of one with what
// the script imports. Its standard error goes to ours.
func Start(script string, args ...string) (*Script, error) {
	where := os.Getenv("VIRTUAL_ENV")
	if where == "" {
		return nil, fmt.Errorf("python: %s wants Python: VIRTUAL_ENV names no folder", script)
	}
	c := exec.Command(filepath.Join(where, "bin", "python"), append([]string{"-W", "ignore", script}, args...)...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("python: %w", err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("python: %w", err)
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("python: VIRTUAL_ENV names no folder with Python: %w", err)
	}
	p := &Script{command: c, in: in, out: bufio.NewScanner(out)}
	if !p.out.Scan() {
		p.Close()
		return nil, fmt.Errorf("python: %s ended before it printed its version; a package that it imports may be missing", script)
	}
	p.Version = p.out.Text()
	return p, nil
}

// Ask returns the words of an answer.
func (p *Script) Ask(question ...any) ([]string, error) {
	if _, err := fmt.Fprintln(p.in, question...); err != nil || !p.out.Scan() {
		return nil, fmt.Errorf("python: Python does not answer %v", question)
	}
	return strings.Fields(p.out.Text()), nil
}

// Close ends the script, which reads no further line.
func (p *Script) Close() {
	_ = p.in.Close()
	_ = p.command.Wait()
}
