package gen

import (
	"cmp"
	"slices"
	"strings"
)

// epilogueCode is the parts of an epilogue's assembly, or of the function's alone.
type epilogueCode struct {
	head  []string   // before the first label
	loop  []string   // for a vector of sums: the longest innermost loop of the first nest
	row   []string   // what a turn of that nest does besides, for a row
	joins [][]string // loops after it: what as many rows left as there are lanes
	again [][]string // loops after it: what one row left
}

// A span is a loop: the lines between a label and the last jump back to it.
type span struct{ from, to int }

func (s span) holds(t span) bool { return s != t && s.from <= t.from && t.to <= s.to }

func codeOf(asm string) (c epilogueCode) {
	lines := strings.Split(asm, "\n")
	at, ends := map[string]int{}, map[int]int{}
	for i, l := range lines {
		if m := labelLine.FindStringSubmatch(l); m != nil {
			if c.head == nil {
				c.head = lines[:i]
			}
			at[m[1]] = i
		}
		if m := jumpLine.FindStringSubmatch(l); m != nil {
			if from, ok := at[m[1]]; ok {
				ends[from] = i
			}
		}
	}
	var loops []span
	for from, to := range ends {
		loops = append(loops, span{from, to})
	}
	if len(loops) == 0 {
		return c
	}
	slices.SortFunc(loops, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	nest, best := loops[0], span{}
	for _, l := range loops {
		inside := func(other span) bool { return l.holds(other) }
		switch {
		case l.from > nest.to: // a loop of its own after the nest, or inside one
			if !slices.ContainsFunc(loops, func(other span) bool { return other.holds(l) }) {
				body := lines[l.from+1 : l.to]
				if countsDown(body) {
					c.again = append(c.again, body)
				} else {
					c.joins = append(c.joins, body)
				}
			}
		case !slices.ContainsFunc(loops, inside) && l.to-l.from > best.to-best.from:
			best = l
		}
	}
	c.loop = lines[best.from+1 : best.to]
	if best != nest {
		c.row = slices.Concat(lines[nest.from+1:best.from], lines[best.to+1:nest.to])
	}
	return c
}

// countsDown reports whether a loop does one of its kind a turn: those that do more count up
// in steps.
func countsDown(body []string) bool {
	return len(body) > 0 && strings.HasPrefix(strings.TrimSpace(body[len(body)-1]), "DECQ")
}
