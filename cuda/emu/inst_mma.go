package emu

import (
	"fmt"
	"slices"
	"sync"
)

// mma.sync (ISA 9.7.14.5).

// An mmaOperand is A, B or the sums of an m x n x k product, of per elements in a register.
type mmaOperand struct {
	name         byte
	m, n, k, per int
}

var mmaPlaces sync.Map // mmaOperand -> [][]uint16

// places derives the fragments from the pattern that all shapes share. Let g =
// lane/4 and t = lane%4. Register r of A has row g+8(r&1) and columns from t*per +
// 4*per*(r>>1). Register r of B has rows from t*per + 4*per*r and column g. Elements 2r
// and 2r+1 of D are in row g+8r, columns 2t and 2t+1.
func (o mmaOperand) places() [][]uint16 {
	if at, ok := mmaPlaces.Load(o); ok {
		return at.([][]uint16)
	}
	n, k, per := o.n, o.k, o.per
	var at [][]uint16
	switch o.name {
	case 'a':
		at = placesOf(o.m*k/32, per, func(lane, i int) int {
			g, t, r, e := lane>>2, lane&3, i/per, i%per
			if o.m == 8 {
				return g*k + t*per + e + 4*per*r
			}
			return (g+8*(r&1))*k + t*per + e + 4*per*(r>>1)
		})
	case 'b':
		at = placesOf(n*k/32, per, func(lane, i int) int { return (lane&3*per+i%per+4*per*(i/per))*n + lane>>2 })
	default:
		at = placesOf(o.m*n/32, per, func(lane, i int) int { return (lane>>2+8*(i>>1))*n + lane&3*2 + i&1 })
	}
	mmaPlaces.Store(o, at)
	return at
}

// mmaKinds are the shapes of each type of A.
var mmaKinds = map[string][]string{
	"f16": {"m16n8k8", "m16n8k16"}, "bf16": {"m16n8k8", "m16n8k16"}, "tf32": {"m16n8k4", "m16n8k8"},
	"s8": {"m16n8k16", "m16n8k32"}, "u8": {"m16n8k16", "m16n8k32"}, "e4m3": {"m16n8k16", "m16n8k32"}, "e5m2": {"m16n8k16", "m16n8k32"},
	"f64": {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"},
}

// sizesOf reads the name of a shape: m16n8k16.
func sizesOf(name string) (m, n, k int) {
	fmt.Sscanf(name, "m%dn%dk%d", &m, &n, &k)
	return m, n, k
}

func (c *compiler) mma() {
	sparse, kinds, operands := c.take(".sp", ".sp::ordered_metadata"), mmaKinds, 4
	if sparse != "" {
		kinds, operands = sparseKinds, 6
	}
	c.sync()
	c.ins.aligned = c.has(".aligned")
	if n := len(c.mods); !c.ins.aligned || n < 3 || c.mods[1] != ".row" || c.mods[2] != ".col" {
		c.fail("wants .sync.aligned, a shape, .row and .col")
	}
	c.take(".row")
	c.take(".col")
	satfinite := c.has(".satfinite")
	if len(c.mods) == 0 {
		c.fail("a shape such as .m16n8k16 is missing")
	}
	shape := c.mods[0][1:]
	c.mods = c.mods[1:]
	round := roundings[c.take(".rn", ".rz", ".rm", ".rp")]
	td, ta, tb, tc := c.typ(), c.typ(), c.typ(), c.typ()
	mixed := ta.name == tb.name || ta.size == 1 && tb.size == 1 && ta.integer() == tb.integer()
	acc := "f32"
	switch {
	case ta.integer():
		acc = "s32"
	case ta.name == "f64":
		acc = "f64"
	}
	if !slices.Contains(kinds[ta.name], shape) || !mixed || td.name != tc.name || td.name != acc && !(td.name == "f16" && (ta.name == "f16" || ta.size == 1 && sparse == "")) {
		c.fail(".%s with these types is not executed", shape)
	}
	c.arity(operands, operands)
	reg := types["b32"]
	size := 4
	if acc == "f64" {
		reg, size = types["f64"], 8
	}
	per := size / ta.size
	m, n, k := sizesOf(shape)
	regD := types[acc]
	perD := 1
	if td.name == "f16" {
		regD, perD = types["b32"], 2
	}
	p := &warpProduct{m: m, n: n, k: k, round: round, sat: satfinite}
	p.d.at, p.d.per = mmaOperand{'d', m, n, k, perD}.places(), perD
	p.d.slots = c.dests(0, len(p.d.at), regD)
	source := func(arg int, o mmaOperand, t typ) warpMatrix {
		at := o.places()
		for _, a := range c.vector(arg, len(at)) {
			if v := c.register(&a); v != nil && t.class == classBits && v.typ.class == classFloat && !v.typ.is("f16x2") {
				c.failAt(&a, "%s is a %v, a .b32 of packed numbers is wanted", clip(a.name), v.typ)
			}
		}
		return warpMatrix{at, c.sources(arg, len(at), t), o.per}
	}
	stored := k // of a row of A
	if sparse != "" {
		stored = k / 2
	}
	p.a, p.b = source(1, mmaOperand{'a', m, n, stored, per}, reg), source(2, mmaOperand{'b', m, n, k, per}, reg)
	p.c = source(3, mmaOperand{'d', m, n, k, perD}, regD)
	if sparse != "" {
		p.meta = c.sparseMeta(sparse == ".sp::ordered_metadata", k, ta)
	}
	c.multiplies(p, ta, tb, tc, td)
}
