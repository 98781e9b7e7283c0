package cli

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
type Form string

const (
	FormTable Form = "table" // for a reader
	FormBench Form = "bench" // benchmark lines, for benchstat
	FormCSV   Form = "csv"   // a line of names, then one for each row; numbers in full and in the unit of the name
	FormJSON  Form = "json"
)

// FormFlags declares --format and --json. of says what a command prints as JSON, and forms
// which forms it has, the usual one first. It returns what the two ask for once they are read: "" is the command's choice.
func FormFlags(c *cobra.Command, of string, forms ...Form) func() (Form, error) {
	var format string
	var asJSON bool
	var names []string
	for _, f := range forms {
		names = append(names, string(f))
	}
	usual := string(forms[0])
	if slices.Contains(forms, FormBench) {
		usual = "table on a terminal, else bench"
	}
	c.Flags().StringVar(&format, "format", "", fmt.Sprintf("what to print: %s (default: %s)", strings.Join(names, ", "), usual))
	c.Flags().BoolVar(&asJSON, "json", false, "print "+of+"; the same as --format json")
	Values(c, "format", names...)
	return func() (Form, error) {
		switch {
		case asJSON && format != "" && format != string(FormJSON):
			return "", Usagef("--json and --format %s are both for stdout; give one of them", format)
		case asJSON:
			return FormJSON, nil
		case format == "" || slices.Contains(forms, Form(format)):
			return Form(format), nil
		}
		return "", Usagef("--format %s: there is %s", format, strings.Trim(fmt.Sprint(forms), "[]"))
	}
}

// WriteCSV writes rows as RFC 4180 has it, but for line ends without a carriage return.
func WriteCSV(w io.Writer, rows [][]string) error {
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteJSON writes one object over several lines.
func WriteJSON(w io.Writer, x any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(x)
}

// Exact is a number with all its digits.
func Exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
