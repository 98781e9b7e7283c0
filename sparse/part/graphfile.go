package part

import (
	"bufio"
	"fmt"
	"io"
)

// ReadGraph reads a graph in the format of METIS. The first line has the numbers of vertices and edges. With
// weights, three digits follow: 1 if there are sizes, weights of vertices, and costs of edges. The number of
// weights of a vertex follows if it is above one. A line for each vertex has its size, its weights, and each
// neighbour, from 1, with the cost of the edge. A vertex without any of these is an empty line.
// (METIS 5 manual, section 4.1.1.)
//
// An error of the text is a [*FileError].
func ReadGraph(r io.Reader, o FileOptions) (Graph, error) {
	s := newScanner(r, o)
	head, err := s.need(false, "its first line")
	if err != nil {
		return Graph{}, err
	}
	if len(head) < 2 || len(head) > 4 {
		return Graph{}, s.fail("%d numbers; want vertices, edges and, for weights, three digits and how many a vertex has", len(head))
	}
	vertices, edges, format, constraints := head[0], head[1], int32(0), int32(1)
	if len(head) > 2 {
		format = head[2]
	}
	if len(head) > 3 {
		constraints = head[3]
	}
	sized, weighty, costly := format/100 == 1, format/10%10 == 1, format%10 == 1
	if format/100 > 1 || format/10%10 > 1 || format%10 > 1 {
		return Graph{}, s.fail("format %03d; want three digits, each 0 or 1", format)
	}
	if constraints < 1 || constraints > 1 && !weighty {
		return Graph{}, s.fail("%d weights of a vertex with format %03d; want 1 or more, and the second digit 1", constraints, format)
	}
	g := Graph{First: []int32{0}}
	lead := 0 // numbers before the neighbours
	if sized {
		lead++
	}
	if weighty {
		lead += int(constraints)
		if vertices > 0 {
			g.Constraints = int(constraints)
		}
	}
	for v := range vertices {
		list, err := s.need(true, "vertex %d of %d", v+1, vertices)
		if err != nil {
			return Graph{}, err
		}
		if len(list) < lead {
			return Graph{}, s.fail("%d numbers; want the %d of vertex %d before its neighbours", len(list), lead, v+1)
		}
		if sized {
			g.Sizes, list = append(g.Sizes, list[0]), list[1:]
		}
		if weighty {
			g.Weights, list = append(g.Weights, list[:constraints]...), list[constraints:]
		}
		if costly && len(list)%2 != 0 {
			return Graph{}, s.fail("the last neighbour of vertex %d has no cost", v+1)
		}
		for i := 0; i < len(list); i++ {
			u := list[i]
			if u < 1 || u > vertices {
				return Graph{}, s.fail("neighbour %d; vertices are from 1 to %d", u, vertices)
			}
			g.Adj = append(g.Adj, u-1)
			if costly {
				i++
				g.Costs = append(g.Costs, list[i])
			}
		}
		g.First = append(g.First, int32(len(g.Adj)))
	}
	if err := s.finish("vertex"); err != nil {
		return Graph{}, err
	}
	if err := s.most("vertices", vertices); err != nil {
		return Graph{}, err
	}
	if int64(len(g.Adj)) != 2*int64(edges) {
		return Graph{}, s.fail("%d ends of edges; want 2 for each of %d", len(g.Adj), edges)
	}
	if err := g.Check(); err != nil {
		return Graph{}, &FileError{Name: o.Name, Line: s.line, Reason: err.Error(), Err: err}
	}
	return g, nil
}

// WriteGraph writes g, after [Graph.Check], as [ReadGraph] reads it.
func WriteGraph(w io.Writer, g Graph) error {
	if err := g.Check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	constraints := max(1, g.Constraints)
	fmt.Fprintf(out, "%d %d", g.Vertices(), len(g.Adj)/2)
	if g.Sizes != nil || g.Weights != nil || g.Costs != nil {
		fmt.Fprintf(out, " %d%d%d", btoi(g.Sizes != nil), btoi(g.Weights != nil), btoi(g.Costs != nil))
	}
	if constraints > 1 {
		fmt.Fprintf(out, " %d", constraints)
	}
	out.WriteByte('\n')
	var line []byte
	for v := range g.Vertices() {
		line = line[:0]
		if g.Sizes != nil {
			line = appendNumber(line, g.Sizes[v])
		}
		if g.Weights != nil {
			for _, x := range g.Weights[v*constraints : (v+1)*constraints] {
				line = appendNumber(line, x)
			}
		}
		for i := g.First[v]; i < g.First[v+1]; i++ {
			line = appendNumber(line, g.Adj[i]+1)
			if g.Costs != nil {
				line = appendNumber(line, g.Costs[i])
			}
		}
		out.Write(append(line, '\n'))
	}
	return out.Flush()
}
