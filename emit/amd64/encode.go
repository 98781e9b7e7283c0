package amd64

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Instructions that Go's assembler does not know are printed as bytes, with what it
// would have been called as a comment. Intel SDM volume 2, sections 2.3 (VEX) and 2.7
// (EVEX); the opcodes are those of each instruction's page.

// An encoding is what an instruction's opcode is made of.
type encoding struct {
	form   form
	evex   bool // or else VEX
	prefix byte // pp: 0 none, 1 66, 2 F3, 3 F2
	opcode byte // after 0F 38
}

// A form says what the operands are and where their numbers go. reg and rm are the fields
// of the byte ModRM, and vvvv is one of the prefix.
type form uint8

const (
	vectors   form = iota // rm, vvvv, reg: the second source, the first, the result
	tiles                 // vvvv, rm, reg: the same, of tiles
	tileLoad              // (base)(index*1), reg
	tileStore             // reg, (base)(index*1)
	oneTile               // reg
	address               // (base)
	noOperand
)

// encodings lists the instructions that Go's assembler lacks, by their names.
var encodings = map[string]encoding{
	"VDPBF16PS": {vectors, true, 2, 0x52},

	"TDPBF16PS": {tiles, false, 2, 0x5c}, "TDPBSSD": {tiles, false, 3, 0x5e}, "TDPBSUD": {tiles, false, 2, 0x5e},
	"TDPBUSD": {tiles, false, 1, 0x5e}, "TDPBUUD": {tiles, false, 0, 0x5e},
	"TILELOADD": {tileLoad, false, 3, 0x4b}, "TILESTORED": {tileStore, false, 2, 0x4b}, "TILEZERO": {oneTile, false, 3, 0x49},
	"LDTILECFG": {address, false, 0, 0x49}, "TILERELEASE": {noOperand, false, 0, 0x49},
}

// narrowEncodings lists those that it has with the prefix EVEX only, which machines
// without AVX-512 do not have: AVX-VNNI.
var narrowEncodings = map[string]encoding{
	"VPDPBUSD": {vectors, false, 1, 0x50},
	"VPDPWSSD": {vectors, false, 1, 0x52},
}

// spelled prints an instruction, as bytes if Go's assembler cannot make them.
func (e *emitter) spelled(text string) error {
	name, operands, _ := strings.Cut(text, " ")
	c, ok := encodings[name]
	if n, narrow := narrowEncodings[name]; narrow && e.T.Bits == 256 {
		c, ok = n, true
	}
	if !ok {
		e.Line("%s", text)
		return nil
	}
	code, err := c.encode(operands)
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	var b strings.Builder
	for i, x := range code {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "BYTE $0x%02x", x)
	}
	note := e.Note
	if e.Note = text; note != "" {
		e.Note += ": " + note
	}
	e.Line("%s", b.String())
	return nil
}

// An operand is a register or memory. A register is given by its file ('X', 'Y', 'Z',
// 'T' for a tile) and number. Memory ('M') is at the general register base, plus index
// if there is one.
type operand struct {
	file        byte
	number      byte
	base, index byte
	indexed     bool
}

// numbered is the general registers in the order of their numbers.
var numbered = []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

func parseOperand(s string) (o operand, err error) {
	if inner, ok := strings.CutPrefix(s, "("); ok {
		base, index, indexed := strings.Cut(strings.TrimSuffix(inner, ")"), ")(")
		index, once := strings.CutSuffix(index, "*1")
		b, i := slices.Index(numbered, base), slices.Index(numbered, index)
		if b < 0 || indexed && (i < 0 || index == "SP" || !once) {
			return o, fmt.Errorf("%s is no address of a general register, or two of them", s)
		}
		return operand{file: 'M', base: byte(b), index: byte(max(i, 0)), indexed: indexed}, nil
	}
	most := map[byte]int{'X': 31, 'Y': 31, 'Z': 31, 'T': 7}
	if s == "" || most[s[0]] == 0 {
		return o, fmt.Errorf("%q is no vector register and no tile", s)
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil || n < 0 || n > most[s[0]] {
		return o, fmt.Errorf("%q is no vector register and no tile", s)
	}
	return operand{file: s[0], number: byte(n)}, nil
}

// files says which operands a form has: V for vectors of one width.
var files = [...]string{vectors: "VVV", tiles: "TTT", tileLoad: "MT", tileStore: "TM", oneTile: "T", address: "M", noOperand: ""}

// operands reads the operands of the form, in the order of Go's assembler.
func (c encoding) operands(text string) ([]operand, error) {
	var list []operand
	if text != "" {
		for s := range strings.SplitSeq(text, ", ") {
			o, err := parseOperand(s)
			if err != nil {
				return nil, err
			}
			list = append(list, o)
		}
	}
	want := files[c.form]
	if len(list) != len(want) {
		return nil, fmt.Errorf("there are %d operands, not %d", len(list), len(want))
	}
	for i, o := range list {
		vector := want[i] == 'V'
		switch {
		case vector && (o.file == 'M' || o.file == 'T' || o.file != list[0].file):
			return nil, fmt.Errorf("operands are to be vector registers of one width")
		case !vector && o.file != want[i]:
			return nil, fmt.Errorf("operand %d is to be %s", i, map[byte]string{'T': "a tile", 'M': "an address"}[want[i]])
		case !c.evex && (o.number > 15 || o.file == 'Z'):
			return nil, fmt.Errorf("register %d of %c is out of the reach of VEX", o.number, o.file)
		case o.file == 'M' && o.indexed == (c.form == address):
			return nil, fmt.Errorf("operand %d is to have %d registers", i, map[bool]int{true: 1, false: 2}[c.form == address])
		}
	}
	return list, nil
}

// encode returns the bytes for operands as Go's assembler would write them.
func (c encoding) encode(text string) ([]byte, error) {
	list, err := c.operands(text)
	if err != nil {
		return nil, err
	}
	var reg, rm, src, width byte
	switch c.form {
	case vectors:
		rm, src, reg = list[0].number, list[1].number, list[2].number
		width = map[byte]byte{'X': 0, 'Y': 1, 'Z': 2}[list[0].file]
	case tiles:
		src, rm, reg = list[0].number, list[1].number, list[2].number
		if src == rm || rm == reg || src == reg {
			return nil, fmt.Errorf("the three tiles of a product have to differ")
		}
	case tileLoad:
		return c.memory(list[0], list[1].number), nil
	case tileStore:
		return c.memory(list[1], list[0].number), nil
	case oneTile:
		reg = list[0].number
	case address:
		return c.memory(list[0], 0), nil
	}
	mod := 0xc0 | reg&7<<3 | rm&7
	if !c.evex {
		return append(c.vex(reg, 0, rm, src, width), mod), nil
	}
	p0 := ^(bit(reg, 3, 7)|bit(rm, 4, 6)|bit(rm, 3, 5)|bit(reg, 4, 4))&0xf0 | 2
	p1 := ^(src<<3)&0x78 | 1<<2 | c.prefix
	p2 := width<<5 | ^bit(src, 4, 3)&0x08
	return []byte{0x62, p0, p1, p2, c.opcode, mod}, nil
}

// bit returns bit n of x as bit to.
func bit(x byte, n, to int) byte { return x >> n & 1 << to }

// vex returns the prefix and the opcode; index is that of an address, rm its base.
func (c encoding) vex(reg, index, rm, src, width byte) []byte {
	b1 := ^(bit(reg, 3, 7)|bit(index, 3, 6)|bit(rm, 3, 5))&0xe0 | 2
	b2 := ^(src<<3)&0x78 | width<<2 | c.prefix
	return []byte{0xc4, b1, b2, c.opcode}
}

// memory returns the bytes for an address. With an index, or with SP and R12, it takes the
// byte SIB, in which 4 is no index. With BP and R13 it takes an offset, which is 0.
func (c encoding) memory(m operand, reg byte) []byte {
	code := c.vex(reg, m.index, m.base, 0, 0)
	mod := reg & 7 << 3
	far := m.base&7 == 5
	if far {
		mod |= 1 << 6
	}
	switch {
	case m.indexed:
		code = append(code, mod|4, m.index&7<<3|m.base&7)
	case m.base&7 == 4:
		code = append(code, mod|4, 4<<3|m.base&7)
	default:
		code = append(code, mod|m.base&7)
	}
	if far {
		code = append(code, 0)
	}
	return code
}
