package fn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// TestRandom writes a program of random functions, has Go compile and run it, and
// compares the translation of every function with what the program printed. The
// seed is fixed unless TILESMITH_SEED sets it.
func TestRandom(t *testing.T) {
	level.E2E(t)
	seed, count := 1+level.Seed(), level.Of(40, 80, 800)
	t.Logf("TILESMITH_SEED=%d", level.Seed())
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 0))}
	text := g.program(count)
	dir := t.TempDir()
	for name, data := range map[string]string{"go.mod": "module random\n\ngo 1.26\n", "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	const n = 5 * lanes
	in := make([][]uint64, len(randomParams))
	for i, p := range randomParams {
		for range n {
			in[i] = append(in[i], input(g.rnd, p))
		}
	}
	var stdin bytes.Buffer
	for _, col := range in {
		if err := binary.Write(&stdin, binary.LittleEndian, col); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "-gcflags=-e", ".")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(os.Environ(), "GOAMD64=v1"), &stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || len(out) != count*n*8 {
		t.Fatalf("%v: %d bytes\n%s\n%s", err, len(out), stderr.String(), text)
	}

	p, err := Load(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	for i := range count {
		ref, _ := Named(fmt.Sprintf("g%d", i))
		f, err := p.Lookup(ref)
		if err != nil {
			t.Errorf("%v\n%s", err, g.sources[i])
			continue
		}
		newKernel(t, f, true) // must be well formed
		k := newKernel(t, f, false)
		u := f.Results[0]
		for start := 0; start < n; start += lanes {
			part := make([][]uint64, len(in))
			for j := range in {
				part[j] = in[j][start : start+lanes]
			}
			got := k.run(t, part)[0]
			for l := range lanes {
				inRange(t, f, 0, got[l])
				want := binary.LittleEndian.Uint64(out[(i*n+start+l)*8:])
				if got[l] == want || u.Float() && math.IsNaN(floatOf(u, got[l])) && math.IsNaN(floatOf(u, want)) {
					continue
				}
				var args []any
				for j := range part {
					args = append(args, goValue(randomGo[randomParams[j]], part[j][l]).Interface())
				}
				t.Fatalf("g%d(%v) = %#x, Go says %#x\n%s", i, args, got[l], want, g.sources[i])
			}
		}
	}
}

var randomGo = map[Type]reflect.Type{
	Float32: reflect.TypeFor[float32](), Float64: reflect.TypeFor[float64](), Int32: reflect.TypeFor[int32](), Uint8: reflect.TypeFor[uint8](),
	Int16: reflect.TypeFor[int16](), Bool: reflect.TypeFor[bool](), Uint32: reflect.TypeFor[uint32](), Int64: reflect.TypeFor[int64](),
}

var randomParams = []Type{Float32, Float32, Float64, Int32, Uint8, Int16, Bool, Uint32, Int64}

const randomSignature = "x, y float32, z float64, i int32, j uint8, k int16, m bool, u uint32, l int64"

// generator writes random functions of the parameters above.
type generator struct {
	rnd     *rand.Rand
	vars    []variable
	next    int // of the next local variable
	results []Type
	sources []string
}

type variable struct {
	name string
	t    Type
}

var randomTypes = []Type{Float32, Float32, Float64, Int32, Uint8, Int16, Bool, Uint32, Int64, Int8}

func (g *generator) oneOf(list ...string) string { return list[g.rnd.IntN(len(list))] }

// program returns a program that reads columns of operands and writes columns of
// results.
func (g *generator) program(count int) string {
	var b strings.Builder
	b.WriteString(randomPrelude)
	for n := range count {
		g.vars = nil
		for i, name := range []string{"x", "y", "z", "i", "j", "k", "m", "u", "l"} {
			g.vars = append(g.vars, variable{name, randomParams[i]})
		}
		t := randomTypes[g.rnd.IntN(len(randomTypes))]
		body := g.block(3, t, "\t")
		src := fmt.Sprintf("func g%d(%s) %v {\n%s\treturn %s\n}\n", n, randomSignature, t, body, g.expr(t, 4))
		g.results = append(g.results, t)
		g.sources = append(g.sources, src)
		b.WriteString(src)
	}
	b.WriteString("\nvar table = []func(" + randomSignature + ") uint64{\n")
	for n, t := range g.results {
		conv := map[Type]string{Float32: "uint64(math.Float32bits(%s))", Float64: "math.Float64bits(%s)", Bool: "truth(%s)"}[t]
		if conv == "" {
			conv = "uint64(u" + strings.TrimPrefix(t.String(), "u") + "(%s))"
		}
		fmt.Fprintf(&b, "func(%s) uint64 { return %s },\n", randomSignature, fmt.Sprintf(conv, fmt.Sprintf("g%d(x, y, z, i, j, k, m, u, l)", n)))
	}
	b.WriteString("}\n")
	return b.String()
}

// block returns statements; they may return a value of type t early.
func (g *generator) block(n int, t Type, indent string) string {
	var b strings.Builder
	for range g.rnd.IntN(n + 1) {
		switch g.rnd.IntN(7) {
		case 0, 1:
			v := variable{fmt.Sprintf("v%d", g.next), randomTypes[g.rnd.IntN(len(randomTypes))]}
			g.next++
			fmt.Fprintf(&b, "%s%s := %s\n%s_ = %s\n", indent, v.name, g.expr(v.t, 3), indent, v.name)
			g.vars = append(g.vars, v)
		case 2:
			v := g.vars[g.rnd.IntN(len(g.vars))]
			fmt.Fprintf(&b, "%s%s = %s\n", indent, v.name, g.expr(v.t, 3))
		case 3, 4:
			fmt.Fprintf(&b, "%sif %s {\n%s%s}", indent, g.expr(Bool, 2), g.scoped(n-1, t, indent+"\t"), indent)
			if g.rnd.IntN(2) == 0 {
				fmt.Fprintf(&b, " else {\n%s%s}", g.scoped(n-1, t, indent+"\t"), indent)
			}
			b.WriteString("\n")
		case 5:
			if n < 3 {
				fmt.Fprintf(&b, "%sif %s {\n%s\treturn %s\n%s}\n", indent, g.expr(Bool, 2), indent, g.expr(t, 2), indent)
				continue
			}
			fmt.Fprintf(&b, "%sfor range %d {\n%s\tif %s {\n%s\t\t%s\n%s\t}\n%s%s}\n", indent, g.rnd.IntN(4), indent,
				g.expr(Bool, 1), indent, g.oneOf("break", "continue"), indent, g.scoped(n-1, t, indent+"\t"), indent)
		case 6:
			fmt.Fprintf(&b, "%sswitch {\n%scase %s:\n%s%scase %s:\n%s%sdefault:\n%s%s}\n", indent,
				indent, g.expr(Bool, 1), g.scoped(n-1, t, indent+"\t"), indent, g.expr(Bool, 1), g.scoped(n-1, t, indent+"\t"),
				indent, g.scoped(n-1, t, indent+"\t"), indent)
		}
	}
	return b.String()
}

// scoped returns a block whose variables end with it.
func (g *generator) scoped(n int, t Type, indent string) string {
	keep := len(g.vars)
	defer func() { g.vars = g.vars[:keep] }()
	return g.block(max(n, 1), t, indent)
}

// variable returns the name of one of type t, or a conversion of another.
func (g *generator) variable(t Type) string {
	for _, i := range g.rnd.Perm(len(g.vars)) {
		if g.vars[i].t == t {
			return g.vars[i].name
		}
	}
	return "int8(k)" // the only type without a parameter
}

// constant returns a constant of type t.
func (g *generator) constant(t Type) string {
	switch {
	case t.Float():
		return g.oneOf("0", "1", "-1", "0.5", "3", "0.1", "-2.75", "1e-3", "128", "1e10")
	case t.Signed():
		return g.oneOf("0", "1", "-1", "7", "100", "-128", "64")
	}
	return g.oneOf("0", "1", "2", "7", "100", "255")
}

// expr returns an expression of type t that is no constant.
func (g *generator) expr(t Type, depth int) string {
	if depth == 0 || g.rnd.IntN(8) == 0 {
		return g.variable(t)
	}
	e := func(t Type) string { return g.expr(t, depth-1) }
	right := func(t Type) string {
		if g.rnd.IntN(4) == 0 {
			return g.constant(t)
		}
		return e(t)
	}
	switch {
	case t == Bool:
		u := randomTypes[g.rnd.IntN(len(randomTypes))]
		switch n := g.rnd.IntN(5); {
		case n == 0:
			return "!(" + e(Bool) + ")"
		case n == 1 || u == Bool:
			return "(" + e(Bool) + g.oneOf(" && ", " || ", " == ", " != ") + e(Bool) + ")"
		}
		return "(" + e(u) + g.oneOf(" < ", " <= ", " > ", " >= ", " == ", " != ") + right(u) + ")"
	case t.Float():
		return g.float(t, e, right)
	}
	return g.int(t, e, right)
}

func (g *generator) float(t Type, e, right func(Type) string) string {
	lib := func(name string, args ...string) string {
		return fmt.Sprintf("%v(math.%s(%s))", t, name, "float64("+strings.Join(args, "), float64(")+")")
	}
	switch g.rnd.IntN(10) {
	case 0:
		return "-(" + e(t) + ")"
	case 1:
		return fmt.Sprintf("%s(%s, %s)", g.oneOf("max", "min"), e(t), right(t))
	case 2:
		return lib(g.oneOf("Floor", "Ceil", "Trunc", "RoundToEven", "Round", "Abs", "Sqrt"), e(t))
	case 3:
		if g.rnd.IntN(3) == 0 { // the sign of a NaN is the machine's business
			return lib("Copysign", e(t), "number("+e(t)+")")
		}
		return lib(g.oneOf("Max", "Min"), e(t), right(t))
	case 4: // from another type
		u := []Type{Int32, Uint8, Int16, Int64, Uint32, Float32, Float64}[g.rnd.IntN(7)]
		return fmt.Sprintf("%v(%s)", t, e(u))
	case 5:
		return fmt.Sprintf("pick(%s, %s, %s)", e(Bool), e(t), e(t))
	case 6:
		return fmt.Sprintf("clip(%s, %s, %s)", e(t), e(t), e(t))
	}
	op := g.oneOf("+", "-", "*", "/")
	if op == "*" && runtime.GOARCH != "amd64" {
		return fmt.Sprintf("%v(%s * %s)", t, e(t), right(t)) // or Go may fuse it
	}
	return fmt.Sprintf("(%s %s %s)", e(t), op, right(t))
}

func (g *generator) int(t Type, e, right func(Type) string) string {
	switch g.rnd.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s %s %d)", e(t), g.oneOf("<<", ">>"), g.rnd.IntN(t.Bits()+2))
	case 1:
		return fmt.Sprintf("(%s %s %d)", e(t), g.oneOf("/", "%"), 1<<g.rnd.IntN(7))
	case 2:
		return fmt.Sprintf("%s(%s, %s)", g.oneOf("max", "min"), e(t), right(t))
	case 3:
		u := []Type{Int32, Uint8, Int16, Int64, Uint32, Int8}[g.rnd.IntN(6)]
		return fmt.Sprintf("%v(%s)", t, e(u))
	case 4: // from a float, clamped, in three ways
		u := []Type{Float32, Float64}[g.rnd.IntN(2)]
		r := typeRange(t)
		lo, hi := max(r.lo, -1e9), min(r.hi, 1e9)
		switch g.rnd.IntN(3) {
		case 0:
			return fmt.Sprintf("%v(max(%v, min(%v, number(%s))))", t, lo, hi, e(u))
		case 1:
			return fmt.Sprintf("%v(clip(number(%s), %v, %v))", t, e(u), lo, hi)
		}
		return fmt.Sprintf("%v(pick(m, 1, clip(number(%s), 0, 100) - 0.5))", t, e(u))
	case 5:
		return g.oneOf("-", "^") + "(" + e(t) + ")"
	case 6:
		return fmt.Sprintf("pick(%s, %s, %s)", e(Bool), e(t), e(t))
	}
	return fmt.Sprintf("(%s %s %s)", e(t), g.oneOf("+", "-", "*", "&", "|", "^", "&^"), right(t))
}

const randomPrelude = `package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"os"
)

func number[T float32 | float64](x T) T {
	if x != x {
		return 0
	}
	return x
}

func clip[T float32 | float64](x, lo, hi T) T {
	switch {
	case x < lo:
		return lo
	case x > hi:
		return hi
	}
	return x
}

func pick[T any](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}

func truth(b bool) uint64 { return pick(b, uint64(1), 0) }

func main() {
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	n := len(in) / 8 / 9
	at := func(col, i int) uint64 { return binary.LittleEndian.Uint64(in[(col*n+i)*8:]) }
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for _, f := range table {
		for i := range n {
			r := f(math.Float32frombits(uint32(at(0, i))), math.Float32frombits(uint32(at(1, i))), math.Float64frombits(at(2, i)),
				int32(at(3, i)), uint8(at(4, i)), int16(at(5, i)), at(6, i) != 0, uint32(at(7, i)), int64(at(8, i)))
			binary.Write(w, binary.LittleEndian, r)
		}
	}
}

`
