package distcmd

import (
	"strings"
	"testing"
)

// TestBandwidth: what is wrong with a rate is said of that rate.
func TestBandwidth(t *testing.T) {
	for text, want := range map[string]float64{"1GB/s": 1e9, " 2.5 MB/s": 2.5e6, "1e3kB/s": 1e6, "8Gbit/s": 1e9, "8Mbit/s": 1e6, "1B/s": 1, "1e6GB/s": 1e15} {
		if x, err := bandwidthOf(text); x != want || err != nil {
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
		if x, err := bandwidthOf(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, x, err, want)
		}
	}
}
