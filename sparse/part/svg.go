package part

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Most that a picture holds: parts that can be told apart, and cells across, besides one a part.
const (
	drawnParts = 256
	drawnCells = 160
)

// Lengths of the picture in pixels.
const (
	svgSide   = 640
	svgMargin = 24
	svgTop    = 44
)

// shades is how many steps of opacity cells have.
const shades = 6

// WriteSVG draws the entries of a, rows and columns in the order of their parts, as a picture that stands
// alone. Blocks on the diagonal are grey. An entry off it, for which a row of B is sent, has the colour of
// the part that sends it. If a matrix is big, a cell has several rows and columns, and is darker the more
// entries it has. rows and cols are as for [Halo], of at most 256 parts.
func WriteSVG[T dtype.Float](w io.Writer, a sparse.Matrix[T], rows, cols Partition) error {
	const where = "WriteSVG"
	if err := checkSides(where, a, rows, cols); err != nil {
		return err
	}
	if rows.k > drawnParts {
		return fail(sparse.ErrSize, where, fmt.Sprintf("at most %d", drawnParts), "%d parts, which nobody can tell apart", rows.k)
	}
	down, across := binsOf(rows), binsOf(cols)
	count := make([]int32, len(down.part)*len(across.part))
	for e := range a.All() {
		count[int(down.of[e.I])*len(across.part)+int(across.of[e.J])]++
	}
	out := bufio.NewWriter(w)
	side := float64(svgSide) / float64(max(1, a.Rows(), a.Cols()))
	width, height := float64(a.Cols())*side, float64(a.Rows())*side
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img">`+"\n",
		svgSide+2*svgMargin, int(height)+svgTop+svgMargin)
	halo, err := Halo(a, rows, cols)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%d x %d, %d entries, %d parts: %d rows in %d messages", a.Rows(), a.Cols(), a.NNZ(), rows.k, Volume(halo), len(halo))
	fmt.Fprintf(out, "<title>%s</title>\n<style>text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #888 } path { shape-rendering: crispEdges }</style>\n", title)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"20\">%s</text>\n<g transform=\"translate(%[1]d %[3]d)\">\n", svgMargin, title, svgTop-12)
	paths := down.paths(across, rows.k, count, side)
	for i, d := range paths {
		if len(d) == 0 {
			continue
		}
		from := i / shades
		colour := "#777"
		if from < rows.k {
			colour = fmt.Sprintf("hsl(%d 75%% 45%%)", from*137%360) // the golden angle: neighbours in number differ most
		}
		fmt.Fprintf(out, "<path fill=\"%s\" fill-opacity=\"%.2f\" d=\"%s\"/>\n", colour, .3+.7*float64(i%shades)/(shades-1), d)
	}
	fmt.Fprintf(out, "<path fill=\"none\" stroke=\"#888\" stroke-width=\".5\" d=\"M0 0H%.1fV%.1fH0Z", width, height)
	for _, at := range down.ends {
		fmt.Fprintf(out, "M0 %.1fh%.1f", float64(at)*side, width)
	}
	for _, at := range across.ends {
		fmt.Fprintf(out, "M%.1f 0v%.1f", float64(at)*side, height)
	}
	fmt.Fprint(out, "\"/>\n</g>\n</svg>\n")
	return out.Flush()
}

// bins cuts a reordered dimension into cells, each of one part.
type bins struct {
	of    []int32 // the cell of each row
	part  []int32 // of each cell
	first []int   // where each cell begins in the new order, and where the last ends
	ends  []int   // of parts, but the last
}

func binsOf(p Partition) bins {
	b := bins{of: make([]int32, p.Len()), first: []int{0}}
	size := max(1, (p.Len()+drawnCells-1)/drawnCells)
	at := 0
	for q, members := range p.Members() {
		for i, v := range members {
			if i%size == 0 {
				b.part = append(b.part, int32(q))
				b.first = append(b.first, at)
			}
			at++
			b.of[v] = int32(len(b.part) - 1)
			b.first[len(b.first)-1] = at
		}
		if q < p.k-1 {
			b.ends = append(b.ends, at)
		}
	}
	return b
}

// paths returns the cells of each colour, those of k parts and that of the diagonal, and of each shade of it.
func (b bins) paths(across bins, k int, count []int32, side float64) [][]byte {
	top := 0.0 // entries for an element, of the fullest cell
	density := func(i, j int) float64 {
		area := float64(b.first[i+1]-b.first[i]) * float64(across.first[j+1]-across.first[j])
		return float64(count[i*len(across.part)+j]) / area
	}
	for i := range b.part {
		for j := range across.part {
			top = max(top, density(i, j))
		}
	}
	out := make([][]byte, (k+1)*shades)
	for i, to := range b.part {
		for j, from := range across.part {
			if count[i*len(across.part)+j] == 0 {
				continue
			}
			// Ten thousandths of the fullest are the lightest shade.
			shade := max(0, shades-1+int(math.Round(float64(shades-1)*math.Log10(density(i, j)/top)/4)))
			at := int(from)*shades + shade
			if from == to {
				at = k*shades + shade
			}
			x, y := float64(across.first[j])*side, float64(b.first[i])*side
			w, h := float64(across.first[j+1])*side-x, float64(b.first[i+1])*side-y
			out[at] = fmt.Appendf(out[at], "M%.2f %.2fh%.2fv%.2fh-%.2fz", x, y, w, h, w)
		}
	}
	return out
}
