package emu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// A stmt is a statement of a random program over one number x.
type stmt struct {
	kind      int // 0 x = x*a+b; 1 if x&a == 0 yes else no; 2 up to b times while x&a != 0: yes; 3 store x and exit if x&a == 0; 4 barrier of the warp
	a, b      uint32
	yes, no   []stmt
	converged bool // all lanes come here together
}

func randomStmts(rng *rand.Rand, depth int, converged bool) (list []stmt) {
	for range 1 + rng.IntN(4) {
		s := stmt{kind: rng.IntN(5), a: 1 << rng.IntN(5), b: rng.Uint32()}
		if depth == 0 && (s.kind == 1 || s.kind == 2) {
			s.kind = 0
		}
		switch s.kind {
		case 0:
			s.a = rng.Uint32() | 1
		case 1:
			s.yes, s.no = randomStmts(rng, depth-1, false), randomStmts(rng, depth-1, false)
		case 2:
			s.b = 1 + s.b%5
			s.yes = randomStmts(rng, depth-1, false)
		case 4:
			s.converged = converged
		}
		list = append(list, s)
	}
	return list
}

// text writes statements as PTX: x is %r1, counters are from %r10.
func (p *flowProgram) text(list []stmt, depth int) {
	w := func(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }
	label := func() int { p.labels++; return p.labels }
	for _, s := range list {
		switch s.kind {
		case 0:
			w("mad.lo.u32 %%r1, %%r1, %d, %d;", s.a, s.b)
		case 1:
			no, end := label(), label()
			w("and.b32 %%r2, %%r1, %d;\nsetp.ne.u32 %%p1, %%r2, 0;\n@%%p1 bra L%d;", s.a, no)
			p.text(s.yes, depth+1)
			w("bra L%d;\nL%d:", end, no)
			p.text(s.no, depth+1)
			w("L%d:", end)
		case 2:
			top, end := label(), label()
			w("mov.u32 %%r%d, %d;\nL%d:\nsetp.eq.u32 %%p1, %%r%d, 0;\n@%%p1 bra L%d;", 10+depth, s.b, top, 10+depth, end)
			w("and.b32 %%r2, %%r1, %d;\nsetp.eq.u32 %%p1, %%r2, 0;\n@%%p1 bra L%d;\nsub.u32 %%r%d, %%r%d, 1;", s.a, end, 10+depth, 10+depth)
			p.text(s.yes, depth+1)
			w("bra L%d;\nL%d:", top, end)
		case 3:
			w("and.b32 %%r2, %%r1, %d;\nsetp.eq.u32 %%p1, %%r2, 0;\n@%%p1 st.global.u32 [%%rd1], %%r1;\n@%%p1 ret;", s.a)
		case 4:
			if s.converged {
				w("activemask.b32 %%r3;\nvote.sync.ballot.b32 %%r4, %%p0, -1;\nsetp.ne.u32 %%p1, %%r3, %%r4;\n@%%p1 trap;")
			}
		}
	}
}

type flowProgram struct {
	out    strings.Builder
	labels int
}

// run is what the statements do in one thread. It reports whether it is still there.
func run(list []stmt, x *uint32) bool {
	for _, s := range list {
		switch s.kind {
		case 0:
			*x = *x*s.a + s.b
		case 1:
			side := s.yes
			if *x&s.a != 0 {
				side = s.no
			}
			if !run(side, x) {
				return false
			}
		case 2:
			for i := s.b; i != 0 && *x&s.a != 0; i-- {
				if !run(s.yes, x) {
					return false
				}
			}
		case 3:
			if *x&s.a == 0 {
				return false
			}
		}
	}
	return true
}

// TestFlow runs random programs with branches, loops and early exits. Lanes get what
// they would get alone, and are together again where nothing divides them.
func TestFlow(t *testing.T) {
	rng := rand.New(level.PCG(11, 12))
	for round := range 150 {
		list := randomStmts(rng, 4, true)
		var p flowProgram
		p.out.WriteString("mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\nld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p0, %r1, %r1;\n")
		p.text(list, 0)
		p.out.WriteString("st.global.u32 [%rd1], %r1;")
		in, want := make([]uint32, 40), make([]uint32, 40)
		for i := range in {
			in[i] = rng.Uint32()
			want[i] = in[i]
			run(list, &want[i])
		}
		for _, o := range []Options{{}, {Seed: uint64(round + 1)}} {
			r := newRig(t, o)
			m := r.alloc(words(in...))
			if err := r.launch(kernel(1, p.out.String()), "k", grid(1, 40, 0), m); err != nil {
				t.Fatalf("round %d: %v\n%s", round, err, p.out.String())
			}
			for i, got := range toWords(r.read(m)) {
				if got != want[i] {
					t.Fatalf("round %d seed %d: thread %d has %d, want %d\n%s", round, o.Seed, i, got, want[i], p.out.String())
				}
			}
		}
	}
}
