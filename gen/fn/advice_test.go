package fn

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestAdvice: the form that a refusal names is accepted, and means what Go says.
func TestAdvice(t *testing.T) {
	advised := regexp.MustCompile(`as in (.*?)(?:; .*)?$`)
	refusal := func(src string) string {
		t.Helper()
		p, _ := snippet(t, writerPrelude+src)
		_, err := p.Lookup(Ref{Name: "f"})
		var list *Error
		if !errors.As(err, &list) || len(list.Problems) != 1 || !strings.Contains(list.Problems[0].Msg, "as in") {
			t.Fatalf("%s\nis not refused with advice: %v", src, err)
		}
		return advised.FindStringSubmatch(list.Problems[0].Msg)[1]
	}
	accepted := func(src string) {
		t.Helper()
		text := writerPrelude + src
		p, s := snippet(t, text)
		if len(s.errs) > 0 {
			t.Fatalf("%s\n%v", src, s.errs)
		}
		if _, err := p.Lookup(Ref{Name: "f"}); err != nil {
			t.Errorf("%s\nis what was advised, and refused: %v", src, err)
			return
		}
		checkTranslation(t, p, s, text)
	}
	for _, from := range []Type{Float32, Float64} {
		for u := Int8; u <= Uint64; u++ {
			form := refusal(fmt.Sprintf("func f(x %v) %v { return %[2]v(x) }", from, u))
			accepted(fmt.Sprintf("func f(x %v) %v { return %s }", from, u, form))
			form = refusal(fmt.Sprintf("func f(y %v) %v { return %[2]v(y * 3) }", from, u))
			accepted(fmt.Sprintf("func f(y %v) %v { x := y * 3; return %s }", from, u, form))
		}
	}
	for _, u := range []Type{Int8, Uint8, Int32, Uint32, Int64, Uint64} {
		for _, table := range []string{"codes", "offsets", "far"} { // 16, 10 and 8 elements
			form := refusal(fmt.Sprintf("func f(i %v) float64 { return float64(%s[i]) }", u, table))
			accepted(fmt.Sprintf("func f(i %v) float64 { return float64(%s%s) }", u, table, form))
		}
		for _, op := range []string{"/", "%"} {
			form := refusal(fmt.Sprintf("func f(x, y %v) %[1]v { return x %s y }", u, op))
			accepted(fmt.Sprintf("func f(x, y %v) %[1]v { %s; return x %s y }", u, form, op))
		}
		if u.Signed() {
			accepted(fmt.Sprintf("func f(x, y %v) %[1]v { return x << uint(y) }", u))
			accepted(fmt.Sprintf("func f(x, y %v) %[1]v { if y < 0 { return 0 }; return x >> y }", u))
		}
	}
	accepted("func f(x float32, i int32) float32 { a := [3]float32{}; for k := range a { if int32(k) == i { a[k] = x } }; return a[0] + a[2] }")
	accepted("func f(x float32) float32 { for i := 0; i < 64 && x < 100; i++ { x *= 2 }; return x }")
}
