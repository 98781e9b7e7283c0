package gpu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Vector is a golden test vector: what went into a kernel and what came out, as
// bytes of the device's memory.
type Vector struct {
	Name    string
	In, Out []byte
}

// goldenMark begins a file of vectors, little-endian throughout. Each vector has the
// length of its name, of In and of Out in 32 bits, and the three.
const goldenMark = "tilesmith golden 1\n"

// WriteVectors writes vectors.
func WriteVectors(w io.Writer, vs []Vector) error {
	var b bytes.Buffer
	b.WriteString(goldenMark)
	for _, v := range vs {
		for _, x := range [][]byte{[]byte(v.Name), v.In, v.Out} {
			b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(x))))
		}
		b.WriteString(v.Name)
		b.Write(v.In)
		b.Write(v.Out)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// ReadVectors reads what WriteVectors wrote. It holds no more than was read.
func ReadVectors(r io.Reader) (vs []Vector, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(data, []byte(goldenMark))
	if !ok {
		return nil, errors.New("gpu: not a file of golden vectors: it does not begin with " + fmt.Sprintf("%q", goldenMark))
	}
	for len(rest) > 0 {
		var parts [3][]byte
		if len(rest) < 12 {
			return nil, fmt.Errorf("gpu: golden vector %d is cut short", len(vs)+1)
		}
		sizes := rest[:12]
		rest = rest[12:]
		for i := range parts {
			n := binary.LittleEndian.Uint32(sizes[4*i:])
			if uint64(n) > uint64(len(rest)) {
				return nil, fmt.Errorf("gpu: golden vector %d wants %d bytes, %d are left", len(vs)+1, n, len(rest))
			}
			parts[i], rest = rest[:n:n], rest[n:]
		}
		vs = append(vs, Vector{string(parts[0]), parts[1], parts[2]})
	}
	return vs, nil
}
