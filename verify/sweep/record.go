package sweep

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// A Sink takes what a session finds, as it comes: the machine first, which verifying
// does without, then points or verdicts.
type Sink interface {
	Machine(m *Machine) error
	Result(r *Result) error
	Verdict(v *Verdict) error
}

// Run verifies or sweeps, as c says, and hands everything to the sink. s is from
// [Config.Session].
func (c *Config) Run(s *Session, to Sink) error {
	if c.Verify {
		return s.Verify(func(v Verdict) error { return to.Verdict(&v) })
	}
	m := s.Machine()
	if err := to.Machine(m); err != nil {
		return err
	}
	return s.Sweep(m, func(r Result) error { return to.Result(&r) })
}

// JSON is a [Sink] that writes one object a line. Each has a field "record", which is
// machine, point or verdict, and the fields of [Machine], [Result] or [Verdict].
// Numbers are finite; a field that does not apply is left out or zero.
type JSON struct{ W io.Writer }

func (j JSON) write(record any) error { return json.NewEncoder(j.W).Encode(record) }

type machineRecord struct {
	Record string `json:"record"`
	*Machine
}

type pointRecord struct {
	Record string `json:"record"`
	*Result
}

// progressRecord is what goes on, from a program around a user's kernels.
type progressRecord struct {
	Record string `json:"record"`
	Done   int    `json:"done"`
	Total  int    `json:"total"`
	What   string `json:"what"`
}

type verdictRecord struct {
	Record string `json:"record"`
	*Verdict
}

// Machine writes a record.
func (j JSON) Machine(m *Machine) error { return j.write(machineRecord{"machine", m}) }

// Result writes a record.
func (j JSON) Result(r *Result) error { return j.write(pointRecord{"point", r}) }

// Verdict writes a record.
func (j JSON) Verdict(v *Verdict) error { return j.write(verdictRecord{"verdict", v}) }

// ReadJSON hands the records that [JSON] wrote to a sink. Progress is told to a sink that has a method
// Progress(done, total int, what string). Lines that are no records, such as a program's own output, go
// to other.
func ReadJSON(r io.Reader, to Sink, other io.Writer) error {
	in := bufio.NewReader(r)
	for {
		text, err := in.ReadBytes('\n')
		if len(text) > 0 {
			if err := readRecord(text, to, other); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func readRecord(text []byte, to Sink, other io.Writer) error {
	var head struct{ Record string }
	if text[0] != '{' || json.Unmarshal(text, &head) != nil {
		_, err := other.Write(text)
		return err
	}
	into := func(x any) error {
		if err := json.Unmarshal(text, x); err != nil {
			return fmt.Errorf("a record %q cannot be read: %w", head.Record, err)
		}
		return nil
	}
	switch head.Record {
	case "machine":
		m := new(Machine)
		if err := into(m); err != nil {
			return err
		}
		return to.Machine(m)
	case "point":
		r := new(Result)
		if err := into(r); err != nil {
			return err
		}
		return to.Result(r)
	case "verdict":
		v := new(Verdict)
		if err := into(v); err != nil {
			return err
		}
		return to.Verdict(v)
	case "progress":
		p := new(progressRecord)
		if err := into(p); err != nil {
			return err
		}
		if to, ok := to.(interface {
			Progress(done, total int, what string)
		}); ok {
			to.Progress(p.Done, p.Total, p.What)
		}
		return nil
	}
	_, err := other.Write(text)
	return err
}
