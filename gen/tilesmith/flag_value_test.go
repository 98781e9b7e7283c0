package main

import (
	"io"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

// TestWrongValues: what the flag parser cannot read is refused in words for people.
func TestWrongValues(t *testing.T) {
	for line, want := range map[string]string{
		"dist plan F --ranks 1e3":                  "--ranks 1e3: it is not a whole number; want a whole number, as in 8;",
		"dist plan F --ranks 99999999999999999999": "--ranks 99999999999999999999: it is too large; want",
		"dist plan F --seed -1":                    "--seed -1: it is not a whole number from 0 on; want",
		"dist plan F --eps x":                      "--eps x: it is no number; want a number, as in 0.03;",
		"dist plan F --eps 1e999":                  "--eps 1e999: it is too large; want",
		"dist plan F --eps=":                       "--eps : it is empty; want",
		"dist plan F --latency 1":                  "--latency 1: the unit is missing; want a number and one of the units ns, us, ms, s, m and h, as in 2µs;",
		"dist plan F --latency s":                  "--latency s: the number is missing; want",
		"dist plan F --latency x":                  "--latency x: it is no time; want",
		"dist plan F --latency 1e9s":               "--latency 1e9s: its number has an exponent; want",
		"dist plan F --latency 9999999h":           "--latency 9999999h: it is too long",
		"dist plan F --measure=x":                  "--measure x: it is neither true nor false; want one of them, as in false;",
		"emu run F --max-steps -1":                 "--max-steps -1; from 1, or 0 for",
		"emu run F --max-time 0s":                  "--max-time 0s; above 0",
		"emu run F --rtol NaN":                     "--rtol NaN; a finite number from 0",
		"emu run F --atol Inf":                     "--atol +Inf; a finite number from 0",
		"gpu --emu --budget -1s":                   "--budget -1s; above 0",
	} {
		if err := dispatch(strings.Fields(line), io.Discard); err == nil || cli.ExitCode(err) != 2 || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: exit code %d, %v; want %q", line, cli.ExitCode(err), err, want)
		}
	}
}
