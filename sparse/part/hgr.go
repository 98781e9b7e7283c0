package part

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// ReadHGR reads a hypergraph as hMETIS and KaHyPar write it. The first line has the numbers of nets and vertices,
// and a code for the weights that follow: 1 for those of nets, 10 for those of vertices, 11 for both. Each
// net has a line with its cost, if there are costs, and its pins, from 1. Each vertex has a line with its
// weight, if there are weights. (hMETIS manual 1.5.3, section 4.)
//
// Beyond it, nets without pins are empty lines, or lines with a cost alone. An error of the text is a [*FileError].
func ReadHGR(r io.Reader, o FileOptions) (*Hypergraph, error) {
	s := newScanner(r, o)
	head, err := s.need(false, "its first line")
	if err != nil {
		return nil, err
	}
	if len(head) < 2 || len(head) > 3 {
		return nil, s.fail("%d numbers; want nets, vertices and, for weights, 1, 10 or 11", len(head))
	}
	nets, vertices, format := head[0], head[1], int32(0)
	if len(head) == 3 {
		format = head[2]
	}
	if format != 0 && format != 1 && format != 10 && format != 11 {
		return nil, s.fail("format %d; want 0, 1, 10 or 11", format)
	}
	costly, weighty := format%10 == 1, format >= 10
	first, pins := []int32{0}, []int32{}
	var cost, weight []int32
	for j := range nets {
		list, err := s.need(!costly, "net %d of %d", j+1, nets)
		if err != nil {
			return nil, err
		}
		if costly {
			cost, list = append(cost, list[0]), list[1:]
		}
		for _, v := range list {
			if v < 1 || v > vertices {
				return nil, s.fail("pin %d; vertices are from 1 to %d", v, vertices)
			}
			pins = append(pins, v-1)
		}
		first = append(first, int32(len(pins)))
	}
	for v := range vertices {
		if !weighty {
			break
		}
		list, err := s.need(false, "the weight of vertex %d of %d", v+1, vertices)
		if err != nil {
			return nil, err
		}
		if len(list) != 1 {
			return nil, s.fail("%d numbers; want the weight of vertex %d", len(list), v+1)
		}
		weight = append(weight, list[0])
	}
	if err := s.finish("net or weight"); err != nil {
		return nil, err
	}
	if err := s.most("vertices", vertices); err != nil {
		return nil, err
	}
	h, err := NewHypergraph(int(vertices), first, pins, weight, cost)
	if err != nil {
		return nil, &FileError{Name: o.Name, Line: s.line, Reason: err.Error(), Err: err}
	}
	return h, nil
}

// WriteHGR writes h as [ReadHGR] reads it, with weights and costs where they are not all 1. A file does not say
// whether ownership is conformal.
func WriteHGR(w io.Writer, h *Hypergraph) error {
	out := bufio.NewWriter(w)
	costly, weighty := notOnes(h.cost), notOnes(h.weight)
	fmt.Fprintf(out, "%d %d", h.Nets(), h.Vertices())
	if costly || weighty {
		fmt.Fprintf(out, " %s", [2][2]string{{"", "1"}, {"10", "11"}}[btoi(weighty)][btoi(costly)])
	}
	out.WriteByte('\n')
	var line []byte
	for j := range int32(h.Nets()) {
		line = line[:0]
		if costly {
			line = appendNumber(line, h.cost[j])
		}
		for _, v := range h.net(j) {
			line = appendNumber(line, v+1)
		}
		out.Write(append(line, '\n'))
	}
	for _, x := range h.weight {
		if weighty {
			out.Write(append(strconv.AppendInt(line[:0], int64(x), 10), '\n'))
		}
	}
	return out.Flush()
}

// appendNumber appends a number to a line, after a blank if it is not the first.
func appendNumber(line []byte, x int32) []byte {
	if len(line) > 0 {
		line = append(line, ' ')
	}
	return strconv.AppendInt(line, int64(x), 10)
}

func notOnes(list []int32) bool {
	for _, x := range list {
		if x != 1 {
			return true
		}
	}
	return false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
