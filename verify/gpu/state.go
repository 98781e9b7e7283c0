package gpu

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
)

// The files of a session: these and no more.
const (
	stateFile     = "state.jsonl"          // what was done, a line each: to resume, and for programs to read
	checksFile    = "checks.txt"           // every check and what it said
	tableFile     = "table.txt"            // what goes to stdout
	fragmentsFile = "golden_fragments.bin" // Vectors of instructions
	outputsFile   = "golden_outputs.bin"   // Vectors of products
)

// entry is one line of the state.
type entry struct {
	Device *cuda.Info `json:",omitempty"`
	Rival  string     `json:",omitempty"` // with Device
	Check  string     `json:",omitempty"`
	Error  string     `json:",omitempty"` // of Check
	Row    *Timing    `json:",omitempty"`
}

// state is what a session has done so far, in memory and in its file.
type state struct {
	mu     sync.Mutex
	file   *os.File
	checks map[string]string // name to error
	rows   map[string]Timing
}

// openState begins a state in dir, or continues the one that is there. The device
// must be the same.
func openState(dir string, resume bool, info cuda.Info, rival string) (*state, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, stateFile)
	s := &state{checks: map[string]string{}, rows: map[string]Timing{}}
	old, err := readState(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !resume:
		return nil, fmt.Errorf("%s has the results of an earlier run; go on with --resume, or choose another folder with --out", dir)
	}
	for _, e := range old {
		switch {
		case e.Device != nil && (e.Device.Name != info.Name || e.Device.DriverVersion != info.DriverVersion):
			return nil, fmt.Errorf("%s has the results of %s with driver %d, this is %s with driver %d; choose another folder with --out",
				dir, e.Device.Name, e.Device.DriverVersion, info.Name, info.DriverVersion)
		case e.Check != "":
			s.checks[e.Check] = e.Error
		case e.Row != nil:
			s.rows[e.Row.Key()] = *e.Row
		}
	}
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return nil, err
	}
	if len(old) == 0 {
		err = s.add(entry{Device: &info, Rival: rival})
	}
	return s, err
}

// readState returns the lines of a state; one that was being written when the
// program ended, the last, is left out.
func readState(path string) (list []entry, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			list = append(list, e)
		}
	}
	return list, lines.Err()
}

// add remembers something and writes it down at once.
func (s *state) add(e entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Check != "":
		s.checks[e.Check] = e.Error
	case e.Row != nil:
		s.rows[e.Row.Key()] = *e.Row
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

// passed reports whether a check was passed.
func (s *state) passed(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	err, ok := s.checks[name]
	return ok && err == ""
}

func (s *state) row(key string) (Timing, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rows[key]
	return r, ok
}
