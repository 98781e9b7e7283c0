package fn

import (
	"fmt"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestDivide divides by constants: all numbers of 8 bits by all others, those of wider
// types at the multiples of what they are divided by, and around them.
func TestDivide(t *testing.T) {
	rnd := rand.New(level.PCG(5, 6))
	for u := Int8; u <= Uint64; u++ {
		var text strings.Builder
		text.WriteString(writerPrelude)
		var divisors []uint64
		for d := uint64(1); d < 256; d++ {
			c := d
			if u.Bits() > 8 && d > 40 {
				c = rnd.Uint64() >> rnd.IntN(64)
				if d%8 == 0 {
					c = 1<<rnd.IntN(64) + uint64(rnd.IntN(3)) - 1
				}
			}
			if c = truncateTo(u, c); c == 0 {
				c = 3
			}
			divisors = append(divisors, c)
			lit := fmt.Sprint(c)
			if u.Signed() {
				lit = fmt.Sprint(intOf(u, c))
			}
			fmt.Fprintf(&text, "func f%d(x %v) (%[2]v, %[2]v) { return x / %[3]s, x %% %[3]s }\n", d, u, lit)
		}
		p, s := snippet(t, text.String())
		if len(s.errs) > 0 {
			t.Fatal(s.errs)
		}
		for i, c := range divisors {
			f, err := p.Lookup(Ref{Name: fmt.Sprintf("f%d", i+1)})
			if err != nil {
				t.Fatal(err)
			}
			k := newKernel(t, f, true)
			for round := range 4 {
				col := make([]uint64, lanes)
				for l := range col {
					x := uint64(round*lanes + l)
					if u.Bits() > 8 {
						switch q := rnd.Uint64() >> rnd.IntN(64); l % 4 {
						case 0:
							x = input(rnd, u)
						case 1:
							x = 1<<(u.Bits()-1) - x
						default:
							x = q*c + x%3 - 1
						}
					}
					col[l] = truncateTo(u, x)
				}
				out := k.run(t, [][]uint64{col})
				for l, x := range col {
					a, b := num{t: u, bits: x}, num{t: u, bits: c}
					if q, r := opInt(token.QUO, a, b).bits, opInt(token.REM, a, b).bits; out[0][l] != q || out[1][l] != r {
						t.Fatalf("%v: %#x / %#x is %#x and %#x, want %#x and %#x", u, x, c, out[0][l], out[1][l], q, r)
					}
				}
			}
		}
	}
}
