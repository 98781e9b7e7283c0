package neon

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Operands are read in two parts: the key, which is the text with a mark in place of each
// number, and the numbers. The key of "v5.4s, v3.s[1]" is "v%.4s,v%.s[%]". A form is
// found by its key, and its fields take the numbers in order.

// A value is one number of the operands.
type value struct {
	text    string // as it is written, with the letter of a register
	n       int64  // of integers and registers; math.MaxInt64 for what is larger
	mask    uint64 // an integer in two's complement
	float   float64
	isFloat bool
}

// number matches a number of any kind: a register, a lane or an immediate.
var number = regexp.MustCompile(`\b[vqdshbxw][0-9]+|\b(?:sp|xzr|wzr)\b|\[[0-9]+\]|#[-+.\w]*`)

// arrangement matches what follows the number of a vector in a key.
var arrangement = regexp.MustCompile(`\.[0-9]*[bhsd]`)

var spaces = strings.NewReplacer(" , ", ",", ", ", ",", " ,", ",", "[ ", "[", " ]", "]", "{ ", "{", " }", "}")

// read returns the key and the values of operands.
func read(operands string) (key string, values []value, err error) {
	if strings.ContainsRune(operands, '%') {
		return "", nil, fmt.Errorf("%% belongs to no operand")
	}
	operands = spaces.Replace(strings.Join(strings.Fields(operands), " "))
	key = number.ReplaceAllStringFunc(operands, func(s string) string {
		mark, v, e := readNumber(s)
		if e != nil && err == nil {
			err = e
		}
		values = append(values, v)
		return mark
	})
	return key, values, err
}

// readNumber reads what number matches. It returns the mark that stands for it in a key.
func readNumber(s string) (mark string, v value, err error) {
	v.text = s
	switch {
	case s == "sp", s == "xzr":
		v.n = 31
		return "x%", v, nil
	case s == "wzr":
		v.n = 31
		return "w%", v, nil
	case s[0] == '[':
		v.text = s[1 : len(s)-1]
		return "[%]", v, v.integer(v.text)
	case s[0] != '#':
		return s[:1] + "%", v, v.integer(s[1:])
	case !strings.Contains(s, "."):
		return "#%", v, v.integer(s[1:])
	}
	v.isFloat = true
	if !decimal.MatchString(s[1:]) {
		return "", v, fmt.Errorf("%.40s is no number", s)
	}
	v.float, err = strconv.ParseFloat(s[1:], 64)
	if err != nil {
		return "", v, fmt.Errorf("%.40s is out of range", s)
	}
	return "#%.", v, nil
}

var (
	decimal = regexp.MustCompile(`^-?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?$`)
	// Assemblers read a leading zero as octal, so it is no number here.
	integer = regexp.MustCompile(`^(?:(-?)(0|[1-9][0-9]*)|0x([0-9a-f]+))$`)
)

// integer reads a decimal or hexadecimal number.
func (v *value) integer(s string) error {
	m := integer.FindStringSubmatch(s)
	if m == nil {
		return fmt.Errorf("%.40s is no number", v.text)
	}
	base := 10
	if m[3] != "" {
		base = 16
	}
	u, err := strconv.ParseUint(m[2]+m[3], base, 64)
	if err != nil {
		return fmt.Errorf("%.40s has more than 64 bits", v.text)
	}
	v.n = int64(min(u, math.MaxInt64))
	v.mask = u
	if m[1] != "" {
		v.n, v.mask = -v.n, -v.mask
	}
	return nil
}
