package distcmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// rateUnits are those of bandwidths, in bytes a second.
var rateUnits = []struct {
	name string
	size float64
}{{"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"Gbit/s", 1e9 / 8}, {"Mbit/s", 1e6 / 8}, {"B/s", 1}}

// rateOf is what a bandwidth should be.
const rateOf = "want a number and one of the units GB/s, MB/s, kB/s, B/s, Gbit/s and Mbit/s, as in 12.5GB/s"

// bandwidthOf reads a rate with its unit, as in 12.5GB/s.
func bandwidthOf(text string) (float64, error) {
	number, unit, size := splitRate(strings.TrimSpace(text))
	x, err := strconv.ParseFloat(number, 64)
	malformed := errors.Is(err, strconv.ErrSyntax)
	switch {
	case number == "" && unit == "":
		return 0, fmt.Errorf("it is empty; %s", rateOf)
	case number == "":
		return 0, fmt.Errorf("the number is missing; %s", rateOf)
	case malformed:
		return 0, fmt.Errorf("%q is not a number; %s", number, rateOf)
	case unit == "":
		return 0, fmt.Errorf("the unit is missing; %s", rateOf)
	case size == 0:
		return 0, fmt.Errorf("%q is not a unit; %s", unit, rateOf)
	}
	switch x *= size; {
	case x != x:
		return 0, fmt.Errorf("it is not a number; %s", rateOf)
	case x <= 0:
		return 0, errors.New("nothing would ever arrive; want more than 0, from 1B/s on")
	case x < 1:
		return 0, errors.New("it is too small; want at least 1B/s")
	case x > 1e15:
		return 0, errors.New("it is too large; want at most 1000000GB/s")
	}
	return x, nil
}

// splitRate divides a rate into its number and its unit, and says how many bytes a second that is, 0
// if it is none. If there are no digits the number may be a word, as in InfGB/s.
func splitRate(text string) (number, unit string, size float64) {
	at := strings.LastIndexAny(text, "0123456789.") + 1
	number, unit = text[:at], strings.TrimSpace(text[at:])
	for _, u := range rateUnits {
		if word, ok := strings.CutSuffix(unit, u.name); ok && (word == "" || at == 0) {
			return strings.TrimSpace(number + word), u.name, u.size
		}
	}
	if _, err := strconv.ParseFloat(unit, 64); at == 0 && err == nil { // NaN and infinities
		return unit, "", 0
	}
	return number, unit, 0
}
