package part

import (
	"bufio"
	"io"
	"strconv"
)

// ReadParts reads a partition of n vertices as METIS, hMETIS and KaHyPar write it: a line for each vertex with
// its part, from 0. k is the number of parts, 0 for one more than the largest. An error of the text is
// a [*FileError].
func ReadParts(r io.Reader, n, k int, o FileOptions) (Partition, error) {
	s := newScanner(r, o)
	p := Partition{k: k}
	if k != 0 {
		if err := checkParts("ReadParts", k); err != nil {
			return Partition{}, err
		}
	}
	for v := range n {
		list, err := s.need(false, "the part of vertex %d of %d", v, n)
		if err != nil {
			return Partition{}, err
		}
		if len(list) != 1 {
			return Partition{}, s.fail("%d numbers; want the part of vertex %d", len(list), v)
		}
		if k == 0 {
			p.k = max(p.k, int(list[0])+1)
		}
		if int(list[0]) >= p.k || p.k > MaxParts {
			return Partition{}, s.fail("part %d of vertex %d; parts are from 0 to %d", list[0], v, min(p.k, MaxParts)-1)
		}
		p.part = append(p.part, list[0])
	}
	if err := s.finish("part"); err != nil {
		return Partition{}, err
	}
	if p.k == 0 {
		return Partition{}, s.fail("no parts: no vertices, and their number is not given")
	}
	return p, nil
}

// WriteParts writes p as [ReadParts] reads it.
func WriteParts(w io.Writer, p Partition) error {
	out := bufio.NewWriter(w)
	var line []byte
	for _, q := range p.part {
		out.Write(append(strconv.AppendInt(line[:0], int64(q), 10), '\n'))
	}
	return out.Flush()
}
