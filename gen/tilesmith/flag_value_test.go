package main

import (
	"io"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/distcmd"
)

// TestBandwidth: what is wrong with a rate is said of that rate.
func TestBandwidth(t *testing.T) {
	for text, want := range map[string]float64{"1GB/s": 1e9, " 2.5 MB/s": 2.5e6, "1e3kB/s": 1e6, "8Gbit/s": 1e9, "8Mbit/s": 1e6, "1B/s": 1, "1e6GB/s": 1e15} {
		if x, err := distcmd.BandwidthOf(text); x != want || err != nil {
			t.Errorf("%q: %v, %v; want %v", text, x, err, want)
		}
	}
	for text, want := range map[string]string{
		"":           "it is empty; want a number and one of the units GB/s,",
		"10":         "the unit is missing; want",
		"1e9":        "the unit is missing; want",
		"NaN":        "the unit is missing; want",
		"GB/s":       "the number is missing; want",
		"GB":         "the number is missing; want",
		"xGB/s":      `"x" is not a number; want`,
		"1.2.3GB/s":  `"1.2.3" is not a number; want`,
		"1GiB/s":     `"GiB/s" is not a unit; want`,
		"10GBps":     `"GBps" is not a unit; want`,
		"NaNGB/s":    "it is not a number; want",
		"InfGB/s":    "it is too large; want at most 1000000GB/s",
		"1e400GB/s":  "it is too large; want at most 1000000GB/s",
		"1e20GB/s":   "it is too large; want at most 1000000GB/s",
		"0GB/s":      "nothing would ever arrive; want more than 0",
		"-1GB/s":     "nothing would ever arrive; want more than 0",
		"-InfGB/s":   "nothing would ever arrive; want more than 0",
		"1e-300B/s":  "it is too small; want at least 1B/s",
		"1e-10GB/s":  "it is too small; want at least 1B/s",
		"0x1p3B/s/s": `"B/s/s" is not a unit; want`,
	} {
		if x, err := distcmd.BandwidthOf(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, x, err, want)
		}
	}
}

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
