package neon

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A row is an instruction or one of its forms.
//
// Operands are written as in a program, with capitals in place of what differs. T, U and
// W are parts of an arrangement. Others are names of fields: of a register after its
// letter, of a lane in brackets, of an immediate after #. A number allows itself only.
// So "vD.T, vN.T, vM.s[HL]" is FMLA by element.
//
// A new instruction is one row. Then run go test with -update, and look at the diff.
type row struct {
	name     string
	operands string
	shapes   shapes
	op       uint32 // the word in which all fields are 0
}

// shapes are the arrangements of a row: what stands for T/U/W, and bits to add.
type shapes []shape

type shape struct {
	parts string
	bits  uint32
}

// A form is a row with one of its arrangements.
type form struct {
	operands string // without T, U and W
	key      string // of texts
	op       uint32
	fields   []field
}

// families are all rows.
func families() []row {
	return slices.Concat(floatRows, convertRows, compareRows, elementRows, dotRows, integerRows, widenRows, shiftRows,
		permuteRows, moveRows, immediateRows, scalarRows, structureRows, loadRows)
}

// A lookup has the forms by name and key, and by name for errors.
type lookup struct {
	forms map[string]form
	names map[string][]form
}

var table = sync.OnceValue(func() lookup {
	l := lookup{map[string]form{}, map[string][]form{}}
	for _, r := range families() {
		for _, f := range r.forms() {
			l.names[r.name] = append(l.names[r.name], f)
			l.forms[r.name+" "+f.key] = f
		}
	}
	return l
})

// forms returns the forms of a row, one for each of its shapes.
func (r row) forms() []form {
	if r.shapes == nil {
		return []form{newForm(r.operands, r.op)}
	}
	var list []form
	for _, s := range r.shapes {
		parts := append(strings.Split(s.parts, "/"), "", "")
		with := strings.NewReplacer("T", parts[0], "U", parts[1], "W", parts[2])
		list = append(list, newForm(with.Replace(r.operands), r.op|s.bits))
	}
	return list
}

// place matches a number in the operands of a row, in the way that number does in texts.
var place = regexp.MustCompile(`\b([vqdshbxw])([A-Z]+[0-9]*)|\[([A-Z]+|[0-9])\]|#([A-Z]+[0-9]*|[0-9]+(?:\.0)?)`)

func newForm(operands string, op uint32) form {
	f := form{operands: operands, op: op}
	f.key = spaces.Replace(place.ReplaceAllStringFunc(operands, func(s string) string {
		m := place.FindStringSubmatch(s)
		g := newField(m[2]+m[3]+m[4], op)
		if g.kind == plain && (m[1] == "x" || m[1] == "w") {
			g.kind = general
		}
		f.fields = append(f.fields, g)
		switch {
		case m[1] != "":
			return m[1] + "%"
		case m[3] != "":
			return "[%]"
		case g.kind == float || strings.Contains(g.exact, "."):
			return "#%."
		}
		return "#%"
	}))
	return f
}

// newField returns the field of a name. A name that is none is a mistake in a table, and
// every test meets it.
func newField(name string, op uint32) field {
	f, ok := fields[name]
	if !ok {
		f, ok = sized(name, op)
	}
	switch {
	case name[0] <= '9':
		low, _ := strconv.ParseInt(name, 10, 64) // or 0.0
		f = field{kind: literal, low: low, exact: name}
	case !ok:
		panic(fmt.Sprintf("neon: no field has the name %s", name))
	}
	f.scale = max(f.scale, 1)
	return f
}
