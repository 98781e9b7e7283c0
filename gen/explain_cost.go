package gen

import (
	"regexp"
	"strings"
)

// modelText says what the prediction is made of.
const modelText = `           a model, not a measurement: the most of (FMAs, products and sums) / 2 a cycle, all vector
           instructions / 4 a cycle, one unit for divisions (5.5 cycles f32, 7 f64) and square roots
           (5 f32, 8 f64), and the longest chain of instructions that wait for each other, of which
           as many overlap as 210 vector instructions hold; all for Zen 5; a core that halves 512-bit
           registers takes twice as long for everything, the product included
`

// loopCost counts what one turn of a loop asks of a core: instructions for the two
// multiply-add pipes, all vector instructions, and cycles of the divider. It also
// counts the cycles of the longest chain of instructions that wait for each other.
type loopCost struct {
	arith, vector int
	divider       float64
	chain         float64
}

// Rates of the model, a cycle.
const (
	arithRate  = 2
	vectorRate = 4
	// window is how many vector instructions can wait at a time, and so how many turns
	// of a loop overlap. On Zen 5 it is three schedulers of 38 and a queue of 96 before
	// them, as published for that core; it is not measured.
	window = 3*38 + 96
)

var (
	arithOp = regexp.MustCompile(`^V(FN?M(ADD|SUB)|MULP|ADDP|SUBP)`)
	// A constant comes from memory, or is made: zeros by a register and itself.
	constantLine = regexp.MustCompile(`<>\(SB\)|^VPXORD? (\w+), (\w+), (\w+)$`)
)

// dividerCycles are reciprocal throughputs of a whole register, 256 and 512 bits
// alike, as measured on Zen 5.
var dividerCycles = map[string]float64{"VDIVPS": 5.5, "VDIVPD": 7, "VSQRTPS": 5, "VSQRTPD": 8}

// costOf counts a loop's instructions.
func costOf(lines []string) loopCost {
	var c loopCost
	for _, l := range lines {
		name, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		name, _, _ = strings.Cut(name, ".") // VMOVUPS.Z
		if !strings.HasPrefix(name, "V") {
			continue
		}
		c.vector++
		if arithOp.MatchString(name) {
			c.arith++
		}
		c.divider += dividerCycles[name]
	}
	c.chain = chainOf(lines)
	return c
}

func (c loopCost) cycles() float64 {
	return max(float64(c.arith)/arithRate, float64(c.vector)/vectorRate, c.divider, c.waits())
}

// waits is what a turn takes if as many turns overlap as the window holds.
func (c loopCost) waits() float64 { return c.chain * float64(c.vector) / window }

// bound names what takes the cycles.
func (c loopCost) bound() string {
	switch c.cycles() {
	case c.divider:
		return "the divider"
	case float64(c.arith) / arithRate:
		return "FMAs, products and sums"
	case c.waits():
		return "instructions that wait for each other"
	}
	return "the number of vector instructions"
}

// share is the part of a product of k steps that the epilogue takes. The product
// spends k multiply-adds on a vector of sums; one turn of the epilogue's loop does
// that many vectors of sums.
func (c loopCost) share(vectors float64, k int) float64 {
	return c.cycles() / (c.cycles() + vectors*float64(k)/arithRate)
}

// constantsOf counts the instructions that bring a vector constant into a
// register, or use one from memory.
func constantsOf(lines []string) int {
	n := 0
	for _, l := range lines {
		m := constantLine.FindStringSubmatch(strings.TrimSpace(l))
		if m != nil && m[1] == m[2] && m[2] == m[3] {
			n++
		}
	}
	return n
}
