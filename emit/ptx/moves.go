package ptx

import "strings"

// moves are copies that happen as if all at once.
type moves []move

type move struct {
	c        class
	dst, src string
}

func (m *moves) add(c class, dst, src string) {
	if dst != src {
		*m = append(*m, move{c, dst, src})
	}
}

// parallel copies all of srcs, which may be immediates, to dsts at once.
func (e *emitter) parallel(c class, dsts, srcs []string) {
	var m moves
	for i := range dsts {
		m.add(c, dsts[i], srcs[i])
	}
	m.print(e)
}

// print puts a copy whose target is still to be read after those that read it, and
// breaks a cycle of copies with a register.
func (m moves) print(e *emitter) {
	readers := map[string]int{}
	for _, x := range m {
		readers[x.src]++
	}
	for len(m) > 0 {
		var rest moves
		for _, x := range m {
			if readers[x.dst] > 0 {
				rest = append(rest, x)
				continue
			}
			e.move(x.c, x.dst, x.src)
			readers[x.src]--
		}
		if len(rest) == len(m) { // only cycles are left
			x := &rest[0]
			t := e.temp(x.c)
			e.move(x.c, t, x.src)
			readers[x.src]--
			x.src = t
			readers[t]++
		}
		m = rest
	}
}

// isReg reports whether an operand is a register and not an immediate.
func isReg(x string) bool { return strings.HasPrefix(x, "%") }
