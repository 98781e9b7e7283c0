package mesh

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/layout"
)

// ParseMesh reads a mesh as [Mesh.String] writes it: x=2,y=4. Spaces are skipped. The
// error says the column, what is there and what would be right.
func ParseMesh(text string) (Mesh, error) {
	p := parser{text: text}
	var axes []Axis
	for more := p.next() != ""; more; more = p.take(",") {
		if len(axes) == maxAxes {
			return Mesh{}, p.fail("more than %d axes", maxAxes)
		}
		name, err := p.name()
		if err != nil {
			return Mesh{}, err
		}
		if err := p.want("="); err != nil {
			return Mesh{}, err
		}
		n, err := p.number()
		if err != nil {
			return Mesh{}, err
		}
		axes = append(axes, Axis{name, n})
	}
	if err := p.end(); err != nil {
		return Mesh{}, err
	}
	return New(axes...)
}

// Parse reads a sharding on m as [Sharding.String] writes it: 12{x1,x2} x 12{y1}. Spaces
// are skipped. It refuses what [Mesh.Shard] refuses.
func (m Mesh) Parse(text string) (Sharding, error) {
	p := parser{text: text}
	var dims []Dim
	for more := p.next() != ""; more; more = p.take("x") {
		if len(dims) == maxDims {
			return Sharding{}, p.fail("more than %d dimensions", maxDims)
		}
		d, err := p.dim()
		if err != nil {
			return Sharding{}, err
		}
		dims = append(dims, d)
	}
	if err := p.end(); err != nil {
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

// parser reads from the left and never back.
type parser struct {
	text string
	at   int
}

func (p *parser) dim() (d Dim, err error) {
	if d.Size, err = p.number(); err != nil || !p.take("{") {
		return d, err
	}
	for !p.take("}") {
		if len(d.Axes) > 0 {
			if p.take(":") {
				if d.Block, err = p.number(); err == nil && d.Block == 0 {
					err = p.fail("blocks of 0; want at least 1")
				}
				if err == nil {
					err = p.want("}")
				}
				return d, err
			}
			if err := p.want(","); err != nil {
				return d, err
			}
		}
		if len(d.Axes) == maxAxes {
			return d, p.fail("more than %d axes", maxAxes)
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
	p.space()
	rest := p.text[p.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return !isNameByte(r) })
	if end < 0 {
		end = len(rest)
	}
	if !isName(rest[:end]) {
		return "", p.fail("%s, want the name of an axis", p.shown())
	}
	p.at += end
	return rest[:end], nil
}

func (p *parser) number() (int, error) {
	p.space()
	rest := p.text[p.at:]
	end := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if end == 0 {
		return 0, p.fail("%s, want an integer from 0 on", p.shown())
	}
	n, err := strconv.Atoi(rest[:end])
	if err != nil {
		return 0, p.fail("%s is more than %d", p.shown(), math.MaxInt)
	}
	p.at += end
	return n, nil
}

func (p *parser) space() { p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t")) }

// next returns what is left.
func (p *parser) next() string {
	p.space()
	return p.text[p.at:]
}

func (p *parser) take(token string) bool {
	if !strings.HasPrefix(p.next(), token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *parser) want(token string) error {
	if !p.take(token) {
		return p.fail("%s, want '%s'", p.shown(), token)
	}
	return nil
}

func (p *parser) end() error {
	if p.next() != "" {
		return p.fail("%s after the end", p.shown())
	}
	return nil
}

// shown is what the messages show of the text.
func (p *parser) shown() string {
	rest := p.text[p.at:]
	if rest == "" {
		return "the end of the text"
	}
	if len(rest) > 20 {
		rest = rest[:20] + "..."
	}
	return strconv.Quote(rest)
}

func (p *parser) fail(format string, args ...any) error {
	return layout.ShapeError{What: "mesh", Why: fmt.Sprintf("column %d: ", p.at+1) + fmt.Sprintf(format, args...)}
}
