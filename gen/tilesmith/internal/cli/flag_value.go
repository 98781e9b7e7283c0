package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// wrongValue is an error of the flag parser in our words, if a value could not be read. It says
// what is wrong with it, and what would be right.
func wrongValue(err error) error {
	e := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &e) {
		return err
	}
	flag, why, want := e.GetFlag(), "", ""
	value := strings.TrimSpace(e.GetValue())
	switch flag.Value.Type() {
	case "int", "int64", "int32":
		why, want = "it is not a whole number", "a whole number"
	case "intSlice":
		why, want = "one of its values is not a whole number", "whole numbers and commas between them"
	case "uint", "uint64", "uint32":
		why, want = "it is not a whole number from 0 on", "a whole number from 0 on"
	case "float64", "float32":
		why, want = "it is no number", "a number"
	case "bool":
		why, want = "it is neither true nor false", "one of them"
	case "duration":
		why, want = "it is no time", "a number and one of the units ns, us, ms, s, m and h"
		number := strings.TrimRight(value, "nsuµmh")
		_, wrong := strconv.ParseFloat(number, 64)
		switch {
		case number == "" && value != "":
			why = "the number is missing"
		case wrong == nil && number == value:
			why = "the unit is missing"
		case wrong == nil && strings.ContainsAny(number, "eE"):
			why = "its number has an exponent"
		case wrong == nil:
			why = "it is too long, or its unit is unknown"
		}
	default:
		return err
	}
	if errors.Is(err, strconv.ErrRange) {
		why = "it is too large"
		if strings.HasPrefix(value, "-") {
			why = "it is too small"
		}
	}
	if value == "" {
		why = "it is empty"
	}
	if d := strings.Trim(flag.DefValue, "[]"); d != "" {
		want += ", as in " + d
	}
	return fmt.Errorf("--%s %s: %s; want %s", flag.Name, e.GetValue(), why, want)
}
