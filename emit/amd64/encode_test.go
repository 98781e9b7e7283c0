package amd64

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// assembler finds GNU as, whose bytes ours are compared with.
func assembler(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("as")
	if err != nil {
		t.Skip("there is no GNU as to compare with (package binutils)")
	}
	if out, err := exec.Command(path, "--version").Output(); err != nil || !strings.Contains(string(out), "GNU assembler") {
		t.Skip("as is not GNU's")
	}
	return path
}

// gnu returns the bytes that GNU as makes of each line, in the syntax of AT&T.
func gnu(t *testing.T, lines []string) []string {
	t.Helper()
	as := assembler(t)
	dir := t.TempDir()
	src, list := filepath.Join(dir, "x.s"), filepath.Join(dir, "x.lst")
	if err := os.WriteFile(src, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(as, "--64", "--listing-lhs-width=8", "-aln="+list, "-o", os.DevNull, src).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "no such instruction") || strings.Contains(string(out), "unknown pseudo-op") {
			t.Skipf("this as is older than the instructions: %.200s", out)
		}
		t.Fatalf("as: %v\n%.2000s", err, out)
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, m := range regexp.MustCompile(`(?m)^ *\d+ [0-9a-f]{4} ([0-9A-F ]+?) *\t`).FindAllStringSubmatch(string(text), -1) {
		codes = append(codes, strings.ToLower(strings.ReplaceAll(m[1], " ", "")))
	}
	if len(codes) != len(lines) {
		t.Fatalf("as lists %d instructions, not %d:\n%.2000s", len(codes), len(lines), text)
	}
	return codes
}

// TestEncodings compares every encoding with GNU as: each register at each place, with the
// others different, and of each width.
func TestEncodings(t *testing.T) {
	var lines, ours, texts []string
	add := func(name, prefix string, c encoding, regs int, letters string) {
		for _, l := range letters {
			for i := range 3 * regs {
				var r [3]int // every register at every place
				for p := range r {
					r[p] = (i*(2*p+1) + 5*p) % regs
				}
				r[i/regs] = i % regs
				operands, att := make([]string, 3), make([]string, 3)
				for p := range r {
					operands[p] = fmt.Sprintf("%c%d", l, r[p])
					att[p] = fmt.Sprintf("%%%cmm%d", l+'a'-'A', r[p])
				}
				code, err := c.encode(strings.Join(operands, ", "))
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, name+" "+strings.Join(operands, ", "))
				ours = append(ours, fmt.Sprintf("%x", code))
				lines = append(lines, prefix+strings.ToLower(name)+" "+strings.Join(att, ", ")) // AT&T has Go's order
			}
		}
	}
	one := func(name, operands, att string) {
		code, err := encodings[name].encode(operands)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, name+" "+operands)
		ours = append(ours, fmt.Sprintf("%x", code))
		lines = append(lines, strings.ToLower(name)+" "+att)
	}
	for name, c := range encodings {
		switch c.form {
		case vectors:
			add(name, "", c, 32, "XYZ")
		case tiles:
			for i := range 512 {
				if i/64 == i/8%8 || i/8%8 == i%8 || i/64 == i%8 {
					continue // which GNU as refuses too
				}
				one(name, fmt.Sprintf("T%d, T%d, T%d", i/64, i/8%8, i%8), fmt.Sprintf("%%tmm%d, %%tmm%d, %%tmm%d", i/64, i/8%8, i%8))
			}
		case tileLoad, tileStore:
			for i, base := range numbered {
				for j, index := range numbered {
					if index == "SP" {
						continue
					}
					ours, att := fmt.Sprintf("(%s)(%s*1)", base, index), fmt.Sprintf("(%s,%s,1)", attName(base), attName(index))
					tile := (i + j) % 8
					if c.form == tileLoad {
						one(name, fmt.Sprintf("%s, T%d", ours, tile), fmt.Sprintf("%s, %%tmm%d", att, tile))
					} else {
						one(name, fmt.Sprintf("T%d, %s", tile, ours), fmt.Sprintf("%%tmm%d, %s", tile, att))
					}
				}
			}
		case oneTile:
			for i := range 8 {
				one(name, fmt.Sprintf("T%d", i), fmt.Sprintf("%%tmm%d", i))
			}
		case address:
			for _, base := range numbered {
				one(name, "("+base+")", "("+attName(base)+")")
			}
		case noOperand:
			one(name, "", "")
		}
	}
	for name, c := range narrowEncodings {
		add(name, "{vex} ", c, 16, "XY")
	}
	for i, want := range gnu(t, lines) {
		if ours[i] != want {
			t.Errorf("%s: the bytes are %s, GNU as has %s", texts[i], ours[i], want)
		}
	}
}

// attName is how GNU as spells a general register.
func attName(r string) string {
	if r[0] == 'R' {
		return "%" + strings.ToLower(r)
	}
	return "%r" + strings.ToLower(r)
}

// TestEncodingRefused: what has no bytes is an error.
func TestEncodingRefused(t *testing.T) {
	vex := encoding{form: vectors}
	for _, c := range []struct {
		encoding       encoding
		operands, want string
	}{
		{encodings["VDPBF16PS"], "Z0, Z1", "there are 2 operands, not 3"},
		{encodings["VDPBF16PS"], "Z0, Y1, Z2", "operands are to be vector registers of one width"},
		{encodings["VDPBF16PS"], "T0, T1, T2", "operands are to be vector registers of one width"},
		{encodings["VDPBF16PS"], "Z0, AX, Z2", `"AX" is no vector register and no tile`},
		{encodings["VDPBF16PS"], "Z0, Z32, Z2", `"Z32" is no vector register and no tile`},
		{vex, "Y0, Y16, Y2", "register 16 of Y is out of the reach of VEX"},
		{vex, "Z0, Z1, Z2", "register 0 of Z is out of the reach of VEX"},
		{encodings["TDPBSSD"], "T0, T8, T2", `"T8" is no vector register and no tile`},
		{encodings["TDPBSSD"], "T0, T1, T0", "the three tiles of a product have to differ"},
		{encodings["TDPBSSD"], "T0, (AX), T2", "operand 1 is to be a tile"},
		{encodings["TILELOADD"], "(AX)(SP*1), T1", "(AX)(SP*1) is no address of a general register, or two of them"},
		{encodings["TILELOADD"], "(AX)(CX*2), T1", "(AX)(CX*2) is no address of a general register, or two of them"},
		{encodings["TILELOADD"], "8(AX), T1", `"8(AX)" is no vector register and no tile`},
		{encodings["TILELOADD"], "(AX), T1", "operand 0 is to have 2 registers"},
		{encodings["LDTILECFG"], "(AX)(CX*1)", "operand 0 is to have 1 registers"},
		{encodings["TILERELEASE"], "T0", "there are 1 operands, not 0"},
	} {
		if code, err := c.encoding.encode(c.operands); err == nil || err.Error() != c.want {
			t.Errorf("%s: %x, %v; want the error %q", c.operands, code, err, c.want)
		}
	}
}
