package main

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/tilesmith/tilesmith/gen/examples/internal/whole"
	"github.com/tilesmith/tilesmith/gen/examples/transformer"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// magic begins a file of weights. Then come the checksum of what follows, and a Saved.
const magic = "tilesmith gpt 1\n"

// Saved is a model in a file.
type Saved struct {
	Shape  Shape
	Pairs  BPE
	Values [][]float32
}

// save writes a model and its tokens.
func save[S dtype.Elem](w io.Writer, m *Model[S, float32], pairs BPE) error {
	s := Saved{Shape: m.Shape, Pairs: pairs}
	for _, p := range m.params {
		s.Values = append(s.Values, p.Value.Data)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return err
	}
	return whole.Seal(w, magic, b.Bytes())
}

var errDamaged = errors.New("not a whole file of weights of this command")

// load reads what save wrote.
func load[S dtype.Elem](r io.Reader, k *transformer.Kernels[S, float32]) (*Model[S, float32], BPE, error) {
	text, ok, err := whole.Open(r, magic, 8*mostNumbers)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errDamaged
	}
	var s Saved
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&s); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err := errors.Join(s.Pairs.check(), s.Shape.check()); err != nil || s.Shape.Tokens != s.Pairs.Tokens() {
		return nil, nil, errors.Join(errDamaged, err)
	}
	m, err := NewModel(k, s.Shape, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(s.Values) != len(m.params) {
		return nil, nil, errDamaged
	}
	for i, p := range m.params {
		if len(s.Values[i]) != len(p.Value.Data) {
			return nil, nil, errDamaged
		}
		copy(p.Value.Data, s.Values[i])
		p.Store()
	}
	return m, s.Pairs, nil
}
