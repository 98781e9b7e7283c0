package neon

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
)

// llvm returns what llvm-mc makes of each line: its word, or that it refuses the line.
func llvm(t *testing.T, lines []string) (words []uint32, refused []bool) {
	t.Helper()
	path, err := exec.LookPath("llvm-mc")
	if err != nil {
		t.Skip("there is no llvm-mc to compare with (package llvm)")
	}
	c := exec.Command(path, "-triple=aarch64", "-mattr=+v8.6a,+fp16fml,+bf16,+i8mm,+dotprod,+fullfp16", "-show-encoding")
	c.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var errs strings.Builder
	c.Stderr = &errs
	out, _ := c.Output() // its status is that of the lines refused
	words, refused = make([]uint32, len(lines)), make([]bool, len(lines))
	for _, m := range regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error`).FindAllStringSubmatch(errs.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		refused[n-1] = true
	}
	at := 0
	for _, m := range regexp.MustCompile(`encoding: \[0x(..),0x(..),0x(..),0x(..)\]`).FindAllStringSubmatch(string(out), -1) {
		for at < len(lines) && refused[at] {
			at++
		}
		if at == len(lines) {
			t.Fatal("llvm-mc prints more words than it reads lines")
		}
		w, _ := strconv.ParseUint(m[4]+m[3]+m[2]+m[1], 16, 32)
		words[at] = uint32(w)
		at++
	}
	for at < len(lines) && refused[at] {
		at++
	}
	if at < len(lines) {
		t.Fatalf("llvm-mc has no word for line %d of %d, %q: %.2000s", at, len(lines), lines[at], errs.String())
	}
	return words, refused
}

// TestWords compares the word of every form with llvm-mc: each number of each field, with
// random ones in the others. What is next to a legal number is refused by both.
func TestWords(t *testing.T) {
	pick := rand.New(level.PCG(1, 0)).IntN
	var lines []string
	for _, r := range families() {
		for _, f := range r.forms() {
			for _, text := range append(f.texts(16, pick), f.wrong(pick)...) {
				lines = append(lines, r.name+" "+text)
			}
		}
	}
	words, refused := llvm(t, lines)
	wrong := 0
	for i, line := range lines {
		word, err := Encode(line)
		switch {
		case refused[i] && err == nil:
			t.Errorf("%s: the word is %08x, llvm-mc refuses it", line, word)
		case err != nil && !refused[i] && !looser.MatchString(line):
			t.Errorf("%v; llvm-mc has the word %08x", err, words[i])
		case err == nil && word != words[i]:
			t.Errorf("%s: the word is %08x, llvm-mc has %08x", line, word, words[i])
		}
		if err != nil {
			wrong++
		}
	}
	t.Logf("%d lines, %d of them refused", len(lines), wrong)
}

// looser matches what llvm-mc takes for something else, and Encode does not: register 31 by
// number for xzr, an offset of LDUR for LDR, FMOV of 0 from xzr. Version 14 also takes EXT
// one past either end, and v16 to v31 of FMLAL by element, for which its words have v0 to v15.
var looser = regexp.MustCompile(`\b[xw]31\b|^(?:ldr|str) .*#(?:-1|[0-9]+)\]$|^prfm .*#|^fmov [sdh][0-9]+, #0\.0$|^ext .*#(?:-1|8|16)$|^fml[as]l2? .*, v16\.h`)

var update = flag.Bool("update", false, "write testdata")

// TestGolden needs no llvm-mc: each row has its first text and word in testdata/words.txt,
// with the number and a hash of all texts that go over its fields, and their words.
func TestGolden(t *testing.T) {
	at := 0
	pick := func(n int) int {
		at += 37 // odd and prime to the sizes of all fields, so neighbours differ
		return at % n
	}
	var b strings.Builder
	for _, r := range families() {
		hash, n, first := fnv.New64a(), 0, ""
		for _, f := range r.forms() {
			for _, text := range f.texts(0, pick) {
				line := r.name + " " + text
				word, err := Encode(line)
				if err != nil {
					t.Error(err)
				}
				if n++; first == "" {
					first = fmt.Sprintf("%08x %s", word, line)
				}
				fmt.Fprintf(hash, "%s %08x\n", line, word)
			}
		}
		fmt.Fprintf(&b, "%s | %d %016x\n", first, n, hash.Sum64())
	}
	const file = "testdata/words.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("words differ from %s (-want +got); with -update it is written:\n%s", file, d)
	}
}
