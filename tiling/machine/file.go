package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// header is the first line of a file; the number is that of the format.
const header = "tilesmith machine 1"

// mostBytes is how long a file may be: several times what the longest has.
const mostBytes = 64 << 10

// Text is the machine as a file: a header, then a line "name: value" for each number
// and text. [Parse] reads it back without loss.
func (m *Machine) Text() string {
	var b strings.Builder
	b.WriteString(header + "\n# bytes, bytes/s, seconds; of an instruction set: cycles, or so many a cycle\n")
	write := func(list []field) {
		for _, f := range list {
			b.WriteString(f.name + ": ")
			switch x := f.at.(type) {
			case *string:
				b.WriteString(*x)
			case *int:
				b.WriteString(strconv.Itoa(*x))
			case *float64:
				b.WriteString(strconv.FormatFloat(*x, 'g', -1, 64))
			}
			b.WriteByte('\n')
		}
	}
	write(m.fields())
	for i := range m.Units {
		write(m.Units[i].fields())
	}
	return b.String()
}

// Read reads a file that `tilesmith machine` wrote on a machine with the same processor
// as this one. An error begins with the file and the line and says what would be right.
func Read(file string) (*Machine, error) {
	return read(file, ThisCPU(), has)
}

func read(file string, here CPU, has func(isa string) bool) (*Machine, error) {
	m, lines, err := load(file)
	if err != nil {
		return nil, err
	}
	if m.CPU != here {
		return nil, fmt.Errorf("%s:%d: the file is of %v, but this machine has %v; tilesmith machine --out writes one here",
			file, lines["cpu.vendor"], m.CPU, here)
	}
	for _, isa := range isas() {
		if has(isa) && !slices.ContainsFunc(m.Units, func(u Units) bool { return u.ISA == isa }) {
			return nil, fmt.Errorf("%s:%d: the file says nothing of %s, which this machine has; tilesmith machine --out writes one here",
				file, lines[goISA+".vector"], isa)
		}
	}
	return m, nil
}

// Load is [Read] for a file of any machine, to predict for it.
func Load(file string) (*Machine, error) {
	m, _, err := load(file)
	return m, err
}

func load(file string) (*Machine, map[string]int, error) {
	if ok, err := regular(file); err != nil {
		return nil, nil, err
	} else if !ok { // a pipe would be waited for
		return nil, nil, fmt.Errorf("%s is not a regular file; name a file that tilesmith machine wrote", file)
	}
	text, err := contents(file)
	if err != nil {
		return nil, nil, err
	}
	return parse(file, text)
}

// contents returns a file, or its first mostBytes+1 bytes if it is longer. Neither os.ReadFile nor
// an fs.FS does this. They link fs.FileInfo, and with it all of type time.Time, into every program
// that multiplies matrices.
func contents(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostBytes+1))
}

// Parse reads the text of a file, which may be of any machine. Errors call the file name.
func Parse(name string, text []byte) (*Machine, error) {
	m, _, err := parse(name, text)
	return m, err
}

// parse also returns the lines of fields.
func parse(name string, text []byte) (*Machine, map[string]int, error) {
	at := func(line int, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	if len(text) > mostBytes {
		return nil, nil, at(1, "the file is longer than %d bytes; it must be one that tilesmith machine wrote", mostBytes)
	}
	m := &Machine{}
	fields := map[string]field{} // those that are still missing
	add := func(list []field) {
		for _, f := range list {
			fields[f.name] = f
		}
	}
	add(m.fields())
	m.Units = make([]Units, 0, len(isaset.All)+1) // fields point into it
	lines := map[string]int{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line := strings.TrimRight(string(line), "\r\n")
		if n == 1 {
			if line != header {
				return nil, nil, at(1, "the line is %.60q; a file that tilesmith machine wrote begins with %q", line, header)
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok {
			return nil, nil, at(n, "the line is %.60q; it must be name: value", line)
		}
		if lines[key] > 0 {
			return nil, nil, at(n, "%s is in line %d already; it must be there once", key, lines[key])
		}
		if isa, _, _ := strings.Cut(key, "."); fields[key].at == nil && lines[isa] == 0 && slices.Contains(isas(), isa) {
			m.Units = append(m.Units, Units{ISA: isa})
			add(m.Units[len(m.Units)-1].fields())
			lines[isa] = n
		}
		f, ok := fields[key]
		if !ok {
			return nil, nil, at(n, "%.60q is no name of format 1; the names are those that tilesmith machine writes", key)
		}
		if err := f.parse(value); err != nil {
			return nil, nil, at(n, "%s is %.60q; %v", key, value, err)
		}
		lines[key] = n
		delete(fields, key)
	}
	if n == 0 {
		return nil, nil, at(1, "the file is empty; it must be one that tilesmith machine wrote")
	}
	if text[len(text)-1] != '\n' {
		return nil, nil, at(n, "the line has no end, as if the file had been cut off; it must be one that tilesmith machine wrote")
	}
	for _, f := range m.allFields() {
		if _, missing := fields[f.name]; missing {
			return nil, nil, at(n, "the file ends without %s; it must say all that tilesmith machine writes", f.name)
		}
	}
	if f := m.check(); f != nil {
		return nil, nil, at(max(lines[f.field], 1), "%v", f)
	}
	if core, ok := For(m.CPU); ok {
		for i := range m.Units {
			if u, of := &m.Units[i], core.Of(m.Units[i].ISA); of.ISA == u.ISA {
				u.BF16, u.Pairs, u.Tiles = of.BF16, of.Pairs, of.Tiles
				u.WidenF16, u.WidenBF16 = of.WidenF16, of.WidenBF16
			}
		}
	}
	return m, lines, nil
}

// allFields lists the fields of the machine and its units.
func (m *Machine) allFields() []field {
	list := m.fields()
	for i := range m.Units {
		list = append(list, m.Units[i].fields()...)
	}
	return list
}

// parse sets the field to what a file says.
func (f *field) parse(s string) error {
	switch p := f.at.(type) {
	case *string:
		*p = s
	case *int:
		n, err := strconv.Atoi(s)
		if err != nil {
			return errors.New("it must be a whole number")
		}
		*p = n
	case *float64:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return errors.New("it must be a number")
		}
		*p = x
	}
	return nil
}
