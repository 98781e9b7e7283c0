package fn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestEvaluator has Go compile and run functions of the kind that FuzzTranslate
// makes, and compares with what the evaluator says: what translations are compared
// with is itself compared with Go. TILESMITH_LONG takes 300 functions.
func TestEvaluator(t *testing.T) {
	level.E2E(t)
	if goFuses() {
		t.Skip("the compiler fuses products here, and the evaluator says what it does without")
	}
	count := level.Of(30, 60, 300)
	const n = 100 // operands of each
	var table, stdin bytes.Buffer
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module fuzzed\n\ngo 1.26\n")
	rnd := rand.New(level.PCG(3, 4))
	var want [][]num // by function and operands; nil if the evaluator does not say
	for i := range count {
		text := newWriter(nil, uint64(1000+i)).file()
		_, s := snippet(t, text)
		if len(s.errs) > 0 {
			t.Fatalf("%v\n%s", s.errs, numbered(text))
		}
		e, d := newEvaluator(s), s.decl("f")
		in, out := signatureOf(s)
		write(fmt.Sprintf("f%d.go", i), renamed(text, i))
		table.WriteString(entry(i, in, out))
		for range n {
			var args []num
			for _, u := range in {
				args = append(args, num{t: u, bits: input(rnd, u)})
				stdin.Write(binary.LittleEndian.AppendUint64(nil, args[len(args)-1].bits))
			}
			got, stop := e.run(d, args)
			if stop != nil && stop.kind == "unknown" {
				t.Errorf("%v\n%s", stop, numbered(text))
			}
			want = append(want, got)
		}
	}
	write("main.go", fmt.Sprintf(batchMain, n, table.String()))
	cmd := exec.Command("go", "run", "-gcflags=-e", ".")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(os.Environ(), "GOAMD64=v1"), &stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	at, skipped := 0, 0
	for k, w := range want {
		results := int(out[at])
		at++
		var have []uint64
		for range results {
			have = append(have, binary.LittleEndian.Uint64(out[at:]))
			at += 8
		}
		if w == nil {
			skipped++
			continue
		}
		if results != len(w) {
			t.Fatalf("Go panics, and the evaluator does not\n%s", numbered(newWriter(nil, uint64(1000+k/n)).file()))
		}
		if why := differ(have, w); why != "" {
			t.Fatalf("%s\n%s", why, numbered(newWriter(nil, uint64(1000+k/n)).file()))
		}
	}
	if skipped > len(want)/5 {
		t.Errorf("the evaluator said nothing of %d calls among %d", skipped, len(want))
	}
}

// signatureOf returns the types of the function f.
func signatureOf(s *source) (in, out []Type) {
	sig := s.info.Defs[s.decl("f").Name].(*types.Func).Signature()
	for v := range sig.Params().Variables() {
		in = append(in, basic(v.Type().(*types.Basic)))
	}
	for v := range sig.Results().Variables() {
		out = append(out, basic(v.Type().(*types.Basic)))
	}
	return in, out
}

// renamed makes the names of the top level those of file i, since all files are one
// package.
func renamed(text string, i int) string {
	text = strings.Replace(text, "package fuzzed", "package main", 1)
	return regexp.MustCompile(`\b(f|h0|h1|third|tiny|huge|bits7|eighth|pair|number|clip|pick|ordered|scale|lerp|dot3|codes|offsets|narrow|far)\b`).
		ReplaceAllString(text, fmt.Sprintf("${1}_%d", i))
}

// entry is function i in the table of the program.
func entry(i int, in, out []Type) string {
	var b, args, vals strings.Builder
	for k, u := range in {
		if k > 0 {
			args.WriteString(", ")
		}
		switch {
		case u == Bool:
			fmt.Fprintf(&args, "x[%d] != 0", k)
		case u.Float():
			fmt.Fprintf(&args, "math.Float%dfrombits(uint%[1]d(x[%d]))", u.Bits(), k)
		default:
			fmt.Fprintf(&args, "%v(x[%d])", u, k)
		}
	}
	for k, u := range out {
		if k > 0 {
			vals.WriteString(", ")
		}
		fmt.Fprintf(&vals, "r%d", k)
		switch {
		case u == Bool:
			fmt.Fprintf(&b, "\tout(truth(r%d))\n", k)
		case u.Float():
			fmt.Fprintf(&b, "\tout(uint64(math.Float%dbits(r%d)))\n", u.Bits(), k)
		default:
			fmt.Fprintf(&b, "\tout(uint64(uint%d(r%d)))\n", u.Bits(), k)
		}
	}
	return fmt.Sprintf("{%d, %d, func(x []uint64) {\n\t%s := f_%d(%s)\n%s}},\n", len(in), len(out), vals.String(), i, args.String(), b.String())
}

// batchMain calls each function with its operands; one that panics gives zeros.
const batchMain = `package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"
)

var results []uint64

func out(x uint64) { results = append(results, x) }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func main() {
	in := bufio.NewReader(os.Stdin)
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for _, f := range table {
		for range %d {
			x := make([]uint64, f.in)
			for i := range x {
				var b [8]byte
				if _, err := io.ReadFull(in, b[:]); err != nil {
					panic(err)
				}
				x[i] = binary.LittleEndian.Uint64(b[:])
			}
			results = results[:0]
			func() {
				defer func() { recover() }()
				f.call(x)
			}()
			w.WriteByte(byte(len(results)))
			for _, r := range results {
				binary.Write(w, binary.LittleEndian, r)
			}
		}
	}
}

var table = []struct {
	in, out int
	call    func(x []uint64)
}{
%s}

var _ = math.Pi
`
