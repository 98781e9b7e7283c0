package neon

import (
	"fmt"
	"strconv"
	"strings"
)

// texts returns instructions of a form that go over each field by itself, while pick
// chooses the others: all registers, lanes and shifts, and of larger ranges both ends and
// a spread. As many as random have all fields chosen.
func (f form) texts(random int, pick func(n int) int) (list []string) {
	legal := f.legal()
	for i := range legal {
		for _, v := range legal[i] {
			list = append(list, f.text(legal, pick, i, v))
		}
	}
	for range random + 1 {
		list = append(list, f.text(legal, pick, -1, ""))
	}
	return list
}

// wrong returns instructions with one number that its field refuses.
func (f form) wrong(pick func(n int) int) (list []string) {
	legal := f.legal()
	for i, g := range f.fields {
		for _, v := range g.illegal() {
			list = append(list, f.text(legal, pick, i, v))
		}
	}
	return list
}

// legal returns the numbers of each field.
func (f form) legal() (lists [][]string) {
	for _, g := range f.fields {
		lists = append(lists, g.legal())
	}
	return lists
}

// text writes the operands with field i as v and others as pick chooses.
func (f form) text(legal [][]string, pick func(n int) int, i int, v string) string {
	var values []string
	for j, g := range f.fields {
		switch {
		case j == i:
			values = append(values, v)
		case g.kind == next:
			first, _ := strconv.Atoi(values[j-int(g.high)])
			values = append(values, fmt.Sprint((first+int(g.high))%32))
		default:
			values = append(values, legal[j][pick(len(legal[j]))])
		}
	}
	for j, g := range f.fields {
		if g.kind == other && values[j] == values[0] {
			first, _ := strconv.Atoi(values[0])
			values[0] = fmt.Sprint((first + 1) % 32)
		}
	}
	text, at := f.operands, 0
	var b strings.Builder
	for k, m := range place.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[0], m[1] // of the number with its letter, brackets or mark
		switch {
		case values[k] == "sp":
		case m[2] >= 0 || text[from] == '#':
			from++
		default:
			from, to = from+1, to-1
		}
		b.WriteString(text[at:from] + values[k])
		at = to
	}
	return b.String() + text[at:]
}

// legal returns numbers of a field, without the letter or mark before them.
func (f field) legal() (list []string) {
	switch f.kind {
	case next:
		return nil
	case literal:
		return []string{f.exact}
	case general, base:
		for i := range 31 {
			list = append(list, fmt.Sprint(i))
		}
		return append(list, map[kind]string{general: "zr", base: "sp"}[f.kind])
	case float:
		for i := range 256 {
			sign := 1 - 2*float64(i>>7)
			x := sign * float64(16+i&15) / 128 * float64(int(1)<<(i>>4&7))
			s := strconv.FormatFloat(x, 'f', -1, 64)
			if !strings.Contains(s, ".") {
				s += ".0"
			}
			list = append(list, s)
		}
		return list
	case mask:
		for i := range 256 {
			var x uint64
			for b := range 8 {
				x |= uint64(i>>b&1) * 0xff << (8 * b)
			}
			list = append(list, fmt.Sprintf("%#x", x))
		}
		return list
	}
	step := f.scale
	if n := (f.high - f.low) / f.scale; n > 255 {
		step *= n/127 - 1 // an odd number of units
	}
	for v := f.low; v < f.high; v += step {
		list = append(list, fmt.Sprint(v))
	}
	return append(list, fmt.Sprint(f.high))
}

// illegal returns numbers that the field refuses, each next to a legal one.
func (f field) illegal() (list []string) {
	switch f.kind {
	case plain:
		list = []string{fmt.Sprint(f.low - 1), fmt.Sprint(f.high + 1), fmt.Sprint(f.high + f.scale)}
		if f.scale > 1 {
			list = append(list, fmt.Sprint(f.low+1))
		}
	case general, base:
		list = []string{"31", "32", "-1"}
	case next: // the first register again, or one too far
		list = []string{"32"}
	case other:
		list = []string{"32"}
	case float:
		list = []string{"0.0", "0.1", "33.0", "0.1171875", "1.03125", "-32.0"}
	case mask:
		list = []string{"1", "0xff0000000000007f", "-2"}
	case literal:
		list = []string{"3", "1.0"}
	}
	return list
}
