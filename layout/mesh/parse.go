package mesh

import (
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/internal/scan"
)

// ParseMesh reads a mesh as [Mesh.String] writes it: x=2,y=4. Spaces are skipped. The
// error says the column, what is there and what would be right.
func ParseMesh(text string) (Mesh, error) {
	p := newParser(text)
	var axes []Axis
	for more := p.Rest() != ""; more; more = p.Take(",") {
		if len(axes) == maxAxes {
			return Mesh{}, p.Fail("more than %d axes", maxAxes)
		}
		name, err := p.name()
		if err != nil {
			return Mesh{}, err
		}
		if err := p.Want("="); err != nil {
			return Mesh{}, err
		}
		n, err := p.Number(math.MaxInt)
		if err != nil {
			return Mesh{}, err
		}
		axes = append(axes, Axis{name, n})
	}
	if err := p.End(); err != nil {
		return Mesh{}, err
	}
	return New(axes...)
}

// Parse reads a sharding on m as [Sharding.String] writes it: 12{x1,x2} x 12{y1}. Spaces
// are skipped. It refuses what [Mesh.Shard] refuses.
func (m Mesh) Parse(text string) (Sharding, error) {
	p := newParser(text)
	var dims []Dim
	for more := p.Rest() != ""; more; more = p.Take("x") {
		if len(dims) == maxDims {
			return Sharding{}, p.Fail("more than %d dimensions", maxDims)
		}
		d, err := p.dim()
		if err != nil {
			return Sharding{}, err
		}
		dims = append(dims, d)
	}
	if err := p.End(); err != nil {
		return Sharding{}, err
	}
	return m.Shard(dims...)
}

// Must returns x, and panics with err if there is one: for text that is known to be right,
// as in mesh.Must(mesh.ParseMesh("x=2,y=4")).
func Must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

type parser struct{ scan.Scanner }

func newParser(text string) parser {
	return parser{scan.Scanner{Text: text, Err: func(why string) error { return layout.ShapeError{What: "mesh", Why: why} }}}
}

func (p *parser) dim() (d Dim, err error) {
	if d.Size, err = p.Number(math.MaxInt); err != nil || !p.Take("{") {
		return d, err
	}
	for !p.Take("}") {
		if len(d.Axes) > 0 {
			if p.Take(":") {
				if d.Block, err = p.Number(math.MaxInt); err == nil && d.Block == 0 {
					err = p.Fail("blocks of 0; want at least 1")
				}
				if err == nil {
					err = p.Want("}")
				}
				return d, err
			}
			if err := p.Want(","); err != nil {
				return d, err
			}
		}
		if len(d.Axes) == maxAxes {
			return d, p.Fail("more than %d axes", maxAxes)
		}
		name, err := p.name()
		if err != nil {
			return d, err
		}
		d.Axes = append(d.Axes, name)
	}
	return d, nil
}

func (p *parser) name() (string, error) {
	rest := p.Rest()
	end := strings.IndexFunc(rest, func(r rune) bool { return !isNameByte(r) })
	if end < 0 {
		end = len(rest)
	}
	if !isName(rest[:end]) {
		return "", p.Fail("%s, want the name of an axis", p.Shown())
	}
	p.At += end
	return rest[:end], nil
}
