package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// A form is how data are printed.
type form string

const (
	formTable form = "table" // for a reader
	formBench form = "bench" // benchmark lines, for benchstat
	formCSV   form = "csv"   // a line of names, then one for each row; numbers in full and in the unit of the name
	formJSON  form = "json"
)

// formFlags declares --format and --json. of says what a command prints as JSON, and forms
// which forms it has, the usual one first. It returns what the two ask for once they are read: "" is the command's choice.
func formFlags(c *cobra.Command, of string, forms ...form) func() (form, error) {
	var format string
	var asJSON bool
	var names []string
	for _, f := range forms {
		names = append(names, string(f))
	}
	usual := string(forms[0])
	if slices.Contains(forms, formBench) {
		usual = "table on a terminal, else bench"
	}
	c.Flags().StringVar(&format, "format", "", fmt.Sprintf("what to print: %s (default: %s)", strings.Join(names, ", "), usual))
	c.Flags().BoolVar(&asJSON, "json", false, "print "+of+"; the same as --format json")
	values(c, "format", names...)
	return func() (form, error) {
		switch {
		case asJSON && format != "" && format != string(formJSON):
			return "", usageError{fmt.Errorf("--json and --format %s are both for stdout; give one of them", format)}
		case asJSON:
			return formJSON, nil
		case format == "" || slices.Contains(forms, form(format)):
			return form(format), nil
		}
		return "", usageError{fmt.Errorf("--format %s: there is %s", format, strings.Trim(fmt.Sprint(forms), "[]"))}
	}
}

// writeCSV writes rows as RFC 4180 has it, but for line ends without a carriage return.
func writeCSV(w io.Writer, rows [][]string) error {
	return csv.NewWriter(w).WriteAll(rows)
}

// writeJSON writes one object over several lines.
func writeJSON(w io.Writer, x any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(x)
}

// exact is a number with all its digits.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
