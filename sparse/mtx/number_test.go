package mtx

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// sameFloat compares scanFloat with strconv, which must agree to the bit and in what
// they refuse.
func sameFloat(t *testing.T, s string) {
	t.Helper()
	got, end, reason := scanFloat([]byte(s+" 1"), 0)
	want, err := strconv.ParseFloat(s, 64)
	if err != nil {
		if reason == "" {
			t.Errorf("%q is %v, strconv says %v", s, got, err)
		}
		return
	}
	if reason != "" || end != len(s) || math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
		t.Errorf("%q is %v (%q), %d bytes long, want %v", s, got, reason, end, want)
	}
}

func TestFloat(t *testing.T) {
	for _, s := range strings.Fields(`0 -0 +0 .0 0. 00.00e00 1 -1 +1 .5 5. 1e0 1E5 1e+5 1e-5 1e22 1e23 1e-22 1e-23 9007199254740991 9007199254740992
		9007199254740993 9007199254740993e22 9007199254740991e22 123456789012345678 1234567890123456789 9999999999999999999 12345678901234567890
		0.000000000000000000000000000000000000000000001 1e308 1.7976931348623157e308 1.7976931348623159e308 1e309 -1e309 5e-324 2e-324 4.9e-324
		2.2250738585072011e-308 2.2250738585072014e-308 1e99999 1e-99999 0e99999 1e123456789012 1e-123456789012 1e0001 1e00001 1e000000000000001
		. - + e5 .e5 1e 1e+ 1e- 1.2.3 1-2 1e5.5 --1 +-1 inf Inf -inf +INF infinity -Infinity infinit nan NaN nano 1e5x 0.1 0.2 0.3 1.1 100.0625 8.5e-7
		179769313486231580793728971405301e277 0.500000000000000166533453693773481063544750213623046875 3.5844466002796428e+298`) {
		sameFloat(t, s)
	}
	sameFloat(t, strings.Repeat("1", 800)+"."+strings.Repeat("7", 999)+"e-790")
	rng := rand.New(level.PCG(1, 2))
	formats := []byte("eEfg")
	for range 200_000 {
		v := math.Float64frombits(rng.Uint64())
		if rng.IntN(2) == 0 {
			v = float64(rng.Int64N(1<<rng.IntN(62)+1)) * math.Pow10(rng.IntN(50)-25)
		}
		sameFloat(t, strconv.FormatFloat(v, formats[rng.IntN(4)], rng.IntN(22)-1, 64))
	}
}

// TestFortran: an exponent with D is one with e; strconv has none.
func TestFortran(t *testing.T) {
	for _, s := range []string{"1.0D+03", "1d3", "-2.5D-310", "9007199254740993D0", ".1d1", "7.D-02"} {
		want, err := strconv.ParseFloat(strings.NewReplacer("D", "e", "d", "e").Replace(s), 64)
		if got, end, reason := scanFloat([]byte(s), 0); err != nil || got != want || end != len(s) || reason != "" {
			t.Errorf("%s is %v (%q), want %v", s, got, reason, want)
		}
	}
	for _, s := range []string{"D", "1D", "1DD2", "Dnan", "1_0", "0x1", "0X1P3", "1p3", "-nan1", ""} {
		if got, _, reason := scanFloat([]byte(s), 0); reason == "" {
			t.Errorf("%q is %v, want none", s, got)
		}
	}
	for _, s := range []string{"-nan", "+NaN"} {
		if got, _, reason := scanFloat([]byte(s), 0); reason != "" || got == got {
			t.Errorf("%s is %v (%s), want NaN", s, got, reason)
		}
	}
}

func TestUint(t *testing.T) {
	for _, c := range []struct {
		s    string
		want uint64
		ok   bool
	}{
		{"0", 0, true}, {"007", 7, true}, {"12 3", 12, true}, {"12\t", 12, true}, {"", 0, false}, {"-1", 0, false}, {"1x", 1, false},
		{"1844674407370955159", 1844674407370955159, true}, {"99999999999999999999999", math.MaxUint64, true},
		{"000000000000000000000000000001", 1, true},
	} {
		if got, _, ok := scanUint([]byte(c.s), 0); got != c.want || ok != c.ok {
			t.Errorf("%q is %d, %v, want %d, %v", c.s, got, ok, c.want, c.ok)
		}
	}
}

// TestNumbersAllocate: what most files hold costs no allocation.
func TestNumbersAllocate(t *testing.T) {
	for _, s := range []string{"1", "-0.0625", "1.0e+3", "0.1234567890123456", "-1.2345678901234567e-101"} {
		b := []byte(s)
		if n := testing.AllocsPerRun(100, func() { scanFloat(b, 0) }); n > 0 {
			t.Errorf("%s: %v allocations", s, n)
		}
	}
}
