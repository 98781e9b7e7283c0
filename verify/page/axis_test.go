package page

import (
	"math"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	texts := func(ticks []tick) string {
		var s []string
		for _, t := range ticks {
			if t.text != "" {
				s = append(s, t.text)
			}
		}
		return strings.Join(s, " ")
	}
	octaves := func(lo, hi float64) string { return texts(axis{math.Log10(lo), math.Log10(hi), 0, 700}.octaves(38)) }
	decades := func(lo, hi float64) string { return texts(axis{math.Log10(lo), math.Log10(hi), 500, 0}.decades(21)) }
	for _, c := range []struct{ got, want string }{
		{octaves(0.1, 300), "0.125 0.25 0.5 1 2 4 8 16 32 64 128 256"},
		{octaves(0.9, 9), "1 2 4 8"},
		{octaves(0.01, 9999), "0.015625 0.0625 0.25 1 4 16 64 256 1024 4096"},
		{octaves(1, 2e6), "1 10 100 1000 10000 1e5 1e6"},
		{decades(4, 400), "5 10 20 50 100 200"},
		{decades(1e-3, 1e3), "0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 20 50 100 200 500 1000"},
		{decades(1e-9, 1e12), "1e-9 1e-8 1e-7 1e-6 1e-5 1e-4 0.001 0.01 0.1 1 10 100 1000 10000 1e5 1e6 1e7 1e8 1e9 1e10 1e11 1e12"},
		{texts(axis{-9, 12, 0, 300}.decades(40)), "1e-9 1e-6 0.001 1 1000 1e6 1e9 1e12"},
	} {
		if c.got != c.want {
			t.Errorf("ticks %q, want %q", c.got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 260: "260", 99.96: "100", 17.94: "17.9", 9.996: "10.0", 1.234: "1.23", 0.0123: "0.0123", 12345: "12345", 1.5e7: "1.50e+07", 2e-5: "2.00e-05"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", -0.01: "0", 1.25: "1.3", 1.2499999999: "1.3", 1.249: "1.2", 100: "100", -3.04: "-3"} {
		if got := pixel(v); got != want {
			t.Errorf("pixel(%v) = %q, want %q", v, got, want)
		}
	}
	for s, want := range map[string]string{`<a b="c" d='e'>&`: "&lt;a b=&#34;c&#34; d=&#39;e&#39;&gt;&amp;", "a\x00\x7f\u0085\uFFFEb": "a\uFFFD\uFFFD\uFFFD\uFFFDb", "\u202eb\u2066": "\uFFFDb\uFFFD", "a\r\n\tb": "a\n\n\tb", "\xff日": "\uFFFD日"} {
		if got := escape(s); got != want {
			t.Errorf("escape(%q) = %q, want %q", s, got, want)
		}
	}
	for _, c := range []struct{ s, want string }{
		{"short", "short"}, {"f32 avx512 and much more", "f32 avx512…"}, {"日本語テキスト日本語", "日本語テキス…"}, {strings.Repeat("\xff", 9), "\uFFFD"}, {"", ""},
	} {
		if got := shorten(c.s, 12, 84); got != c.want {
			t.Errorf("shorten(%q) = %q, want %q", c.s, got, c.want)
		}
	}
}

// TestNumeric: which columns are set to the right.
func TestNumeric(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  bool
	}{
		{[]string{"1", "2.5", "-3", "+4 %"}, true}, {[]string{"1.29x", "", "-", "n/a"}, true}, {[]string{"≥ 3", "~2"}, true},
		{[]string{"f32"}, false}, {[]string{"8", "n=8"}, false}, {[]string{"", "-"}, false}, {nil, false},
	} {
		var tb Table
		for _, s := range c.cells {
			tb.Rows = append(tb.Rows, []string{s})
		}
		if got := numeric(tb, 0); got != c.want {
			t.Errorf("numeric(%q) = %v", c.cells, got)
		}
	}
}
