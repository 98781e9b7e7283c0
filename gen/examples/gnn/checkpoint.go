package main

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tilesmith/tilesmith/gen/examples/internal/whole"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// magic begins a checkpoint. Then come the checksum of what follows, a header and a state.
const magic = "tilesmith gnn 1\n"

// A header says what a checkpoint is of. Epochs and patience may change from one run to the next, so they are not in it.
type header struct {
	Model  Model
	Type   string // of numbers
	Set    uint64 // its sum
	Params []string
}

// header returns what a checkpoint of t begins with.
func (t *Trainer[T]) header() header {
	h := header{Model: t.Model, Type: dtype.Name[T](), Set: t.Set.Sum()}
	h.Model.Epochs, h.Model.Patience = 0, 0
	for _, p := range t.params {
		h.Params = append(h.Params, fmt.Sprintf("%s of %d x %d", p.Name, p.Value.Rows, p.Value.Cols))
	}
	return h
}

// Save writes all that training needs to go on from where it is.
func (t *Trainer[T]) Save(w io.Writer) error {
	var b bytes.Buffer
	e := gob.NewEncoder(&b)
	if err := errors.Join(e.Encode(t.header()), e.Encode(&t.State)); err != nil {
		return err
	}
	return whole.Seal(w, magic, b.Bytes())
}

// Load makes t what it was when a checkpoint was saved. It is an error, and t does not change, if that is of another
// model, of another set or damaged.
func (t *Trainer[T]) Load(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := t.read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	values := t.State.Values // the memory of the parameters, which stays
	for n, v := range s.Values {
		copy(values[n], v)
	}
	t.State = *s
	t.State.Values = values
	return nil
}

// errDamaged is the error of files that are not a checkpoint as it was saved.
var errDamaged = errors.New("not a whole checkpoint of this command")

// read reads a checkpoint of a network like t.
func (t *Trainer[T]) read(r io.Reader) (*State[T], error) {
	numbers := 0
	for _, p := range t.params {
		numbers += len(p.Value.Data)
	}
	// Four copies of the parameters, of 9 bytes a number at most, and six numbers an epoch.
	limit := int64(1<<16) + 64*int64(numbers) + 64*most
	text, ok, err := whole.Open(r, magic, limit)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errDamaged
	}
	d := gob.NewDecoder(bytes.NewReader(text))
	var h header
	if err := d.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err := t.header().same(h); err != nil {
		return nil, err
	}
	s := &State[T]{}
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if s.Adam == nil || s.Adam.Step != len(s.Curve)*t.steps() || s.Waited < 0 || s.BestEpoch < 0 || s.BestEpoch > len(s.Curve) {
		return nil, errDamaged
	}
	for _, list := range [][][]T{s.Values, s.Best, s.Adam.Mean, s.Adam.Square} {
		if !slices.EqualFunc(list, t.State.Values, func(x, y []T) bool { return len(x) == len(y) }) {
			return nil, errDamaged
		}
	}
	return s, nil
}

// same returns an error that says in what a checkpoint differs.
func (h header) same(was header) error {
	switch {
	case h.Model != was.Model:
		return fmt.Errorf("the checkpoint is of another model: %+v, want %+v", was.Model, h.Model)
	case h.Set != was.Set:
		return errors.New("the checkpoint is of another graph, or of other features or labels")
	case h.Type != was.Type || !slices.Equal(h.Params, was.Params):
		return fmt.Errorf("the checkpoint has %s parameters %q, want %s %q", was.Type, was.Params, h.Type, h.Params)
	}
	return nil
}
