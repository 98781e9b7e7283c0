package sweepcmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/internal/outfile"
	"github.com/tilesmith/tilesmith/verify/page"
	"github.com/tilesmith/tilesmith/verify/sweep"
)

// A sweepFile is what a sweep writes besides stdout.
type sweepFile struct {
	name string
	text func(all *collector) ([]byte, error)
}

// files are those of --html, --svg and --update. A place that cannot be written is found out
// here.
func (o *sweepFlags) files() ([]sweepFile, error) {
	if err := cli.Apart(o.html, o.svg, o.update); err != nil {
		return nil, err
	}
	var files []sweepFile
	for _, f := range []struct {
		name  string
		write func(io.Writer, page.Data) error
	}{{o.html, page.Write}, {o.svg, page.SVG}} {
		if f.name == "" {
			continue
		}
		files = append(files, sweepFile{f.name, func(all *collector) ([]byte, error) {
			var b bytes.Buffer
			d := sweep.Page(all.machine, all.results, time.Now().Format("2 January 2006"), o.command)
			d.Warnings = append(all.notes, d.Warnings...)
			err := f.write(&b, d)
			return b.Bytes(), err
		}})
	}
	if o.update != "" {
		if info, err := os.Stat(o.update); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file; name one that is for --update", o.update)
		}
		if _, err := between(o.update, nil); err != nil {
			return nil, err
		}
		files = append(files, sweepFile{o.update, func(all *collector) ([]byte, error) {
			var b bytes.Buffer
			if err := sweep.Markdown(&b, all.machine, all.results, o.command); err != nil {
				return nil, err
			}
			return between(o.update, b.Bytes())
		}})
	}
	for _, f := range files {
		if err := outfile.Check(f.name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (f *sweepFile) write(all *collector) error {
	text, err := f.text(all)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return outfile.Write(f.name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// The lines between which --update writes.
const updateFrom, updateTo = "<!-- sweep -->", "<!-- /sweep -->"

// between returns the text of a file with more text between its two marks. It replaces
// the text that begins with the same heading, and keeps what was measured on other
// machines.
func between(file string, text []byte) ([]byte, error) {
	old, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if bytes.Count(old, []byte(updateFrom)) != 1 || bytes.Count(old, []byte(updateTo)) != 1 || bytes.Index(old, []byte(updateFrom)) > bytes.Index(old, []byte(updateTo)) {
		return nil, fmt.Errorf("%s: want one line %s and after it one line %s, between which the tables go", file, updateFrom, updateTo)
	}
	head, rest, _ := bytes.Cut(old, []byte(updateFrom))
	kept, tail, _ := bytes.Cut(rest, []byte(updateTo))
	return bytes.Join([][]byte{head, []byte(updateFrom + "\n"), text, others(kept, text), []byte(updateTo), tail}, nil), nil
}

// others returns the parts of old that have a heading, and another one than text.
func others(old, text []byte) []byte {
	mark := []byte("\n" + sweep.MachineHeading)
	heading, _, _ := bytes.Cut(text, []byte("\n"))
	var kept []byte
	for i, part := range bytes.Split(append([]byte("\n"), old...), mark) {
		part = append([]byte(sweep.MachineHeading), part...)
		if own, _, _ := bytes.Cut(part, []byte("\n")); i > 0 && !bytes.Equal(own, heading) {
			kept = append(append(kept, '\n'), append(bytes.TrimRight(part, "\n"), '\n')...)
		}
	}
	return kept
}

// commandLine is what was typed, for a shell: arg0 is the program's name there, or where go tool
// has put it.
func commandLine(arg0 string, args []string) string {
	var b strings.Builder
	if goTool.MatchString(arg0) {
		b.WriteString("go tool ")
	}
	b.WriteString("tilesmith")
	for _, a := range args {
		if strings.ContainsAny(a, " \t\n\"'\\$`*?[](){}|&;<>#~!") || a == "" {
			a = strconv.Quote(a)
		}
		b.WriteString(" " + a)
	}
	return b.String()
}

// goTool is a program in the go command's cache.
var goTool = regexp.MustCompile(`[/\\][0-9a-f]{64}-d[/\\][^/\\]*$`)
