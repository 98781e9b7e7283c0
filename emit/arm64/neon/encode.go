package neon

import (
	"fmt"
	"slices"
	"strings"
)

// Encode returns the word of one A64 SIMD and floating-point instruction, such as
// "fmla v1.4s, v5.4s, v3.s[1]". The text is lower case, as in DDI 0487 section C7.2.
//
// Spaces may stand after a comma and inside of braces and brackets. A list names each of
// its registers: {v30.4s, v31.4s, v0.4s}. Integers are decimal or hexadecimal, floats
// decimal with a point. An offset that its instruction does not hold is an error, also
// where an assembler would take another instruction, as LDUR for LDR.
//
// Errors begin with the text. They say that the mnemonic is unknown, that the number of
// operands or the arrangement is wrong, or which operand is out of which range.
func Encode(text string) (uint32, error) {
	word, err := encode(text)
	if err != nil {
		return 0, fmt.Errorf("%.80q: %w", text, err)
	}
	return word, nil
}

func encode(text string) (uint32, error) {
	name, operands := strings.TrimSpace(text), ""
	if i := strings.IndexAny(name, " \t"); i >= 0 {
		name, operands = name[:i], name[i:]
	}
	key, values, err := read(operands)
	if err != nil {
		return 0, err
	}
	f, ok := table().forms[name+" "+key]
	if !ok {
		return 0, refuse(name, key)
	}
	word := f.op
	for i, v := range values {
		bits, err := f.fields[i].encode(v, values[:i])
		if err != nil {
			return 0, err
		}
		word |= bits
	}
	return word, nil
}

// refuse says why no form has a name and a key of operands.
func refuse(name, key string) error {
	all := table().names[name]
	if all == nil {
		return fmt.Errorf("the mnemonic %.20q is unknown", name)
	}
	n := count(key)
	alike := slices.DeleteFunc(slices.Clone(all), func(f form) bool { return count(f.key) != n })
	if len(alike) == 0 {
		var counts []string
		for _, f := range all {
			if c := fmt.Sprint(count(f.key)); !slices.Contains(counts, c) {
				counts = append(counts, c)
			}
		}
		return fmt.Errorf("%s takes %s operands, not %d", name, strings.Join(counts, " or "), n)
	}
	what := "operands are not of a kind that"
	bare := arrangement.ReplaceAllString(key, "")
	if slices.ContainsFunc(alike, func(f form) bool { return arrangement.ReplaceAllString(f.key, "") == bare }) {
		what = "arrangement is not one that"
	}
	var has []string
	for _, f := range alike[:min(len(alike), 8)] {
		has = append(has, f.operands)
	}
	if len(has) < len(alike) {
		has = append(has, "...")
	}
	return fmt.Errorf("the %s %s has: %s", what, name, strings.Join(has, "; "))
}

// count is how many operands a key has. A list and an address are one each.
func count(key string) int {
	if key == "" {
		return 0
	}
	n, depth := 1, 0
	for _, c := range key {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				n++
			}
		}
	}
	return n
}
