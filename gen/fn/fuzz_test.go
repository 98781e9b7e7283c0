package fn

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// FuzzTranslate writes Go functions as the input says, and compares what they are
// translated to with what Go's rules make of them: bit for bit if nothing is fused,
// with one of the ways to fuse if products are, and within the stated bound for
// functions that are not exact. Numbers lie in the interval that the analysis gives.
func FuzzTranslate(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	for seed := range level.Of[uint64](10, 50, 200) {
		f.Add([]byte{byte(seed)}, seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		if len(data) > 2000 {
			return
		}
		text := newWriter(data, seed).file()
		p, s := snippet(t, text)
		if len(s.errs) > 0 {
			t.Fatalf("%v\n%s", s.errs, numbered(text))
		}
		checkTranslation(t, p, s, text)
	})
}

// FuzzSource translates whatever Go function the text has. What is translated
// means what Go's rules say; what is refused is refused with a place and a reason.
func FuzzSource(f *testing.F) {
	for _, r := range refusals {
		f.Add(r.src)
	}
	for _, src := range sourceSeeds {
		f.Add(src)
	}
	for _, name := range []string{"act", "float", "int"} {
		text, err := os.ReadFile(filepath.Join("testdata", "fntest", name+".go"))
		if err != nil {
			f.Fatal(err)
		}
		for _, fn := range strings.SplitAfter(string(text), "\n}\n") {
			if i := strings.Index(fn, "\nfunc "); i >= 0 {
				f.Add(regexp.MustCompile(`^func \w+(\[[^\]]*\])?`).ReplaceAllString(fn[i+1:], "func f"))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 || strings.Contains(text, "import") {
			return
		}
		text = writerPrelude + text
		p, s := snippet(t, text)
		if d := s.decl("f"); d != nil && d.Type.TypeParams == nil {
			checkTranslation(t, p, s, text)
		}
	})
}

// library is what functions here may import, as the go command hands it out, listed once.
var library = sync.OnceValues(func() (*Program, error) { return Load(".", "fmt", "math", "math/bits", "os") })

// snippet returns a program of one file, f.go, without asking the go command.
func snippet(t testing.TB, text string) (*Program, *source) {
	t.Helper()
	return snippetOf(t, "f.go", text)
}

// snippetOf does it for a file of another name.
func snippetOf(t testing.TB, file, text string) (*Program, *source) {
	t.Helper()
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	p := *lib
	dir, err := filepath.Abs("fuzzed")
	if err != nil {
		t.Fatal(err)
	}
	m := &listed{ImportPath: "fuzzed", Name: "fuzzed", Dir: dir, GoFiles: []string{file}}
	p.dir, p.Overlay = dir, map[string][]byte{filepath.Join(dir, file): []byte(text)}
	p.fset, p.roots, p.funcs = token.NewFileSet(), []*listed{m}, map[string]*Func{}
	p.sources, p.texts = map[string]*source{}, map[string][]byte{}
	s, err := p.source(m, "")
	if err != nil {
		t.Fatal(err)
	}
	return &p, s
}

// checkTranslation translates the function f.
func checkTranslation(t *testing.T, p *Program, s *source, text string) {
	f, err := p.Lookup(Ref{Name: "f"})
	if err != nil {
		checkRefusal(t, err, text)
		return
	}
	defer func() {
		if t.Failed() {
			t.Log(numbered(text))
		}
	}()
	h := fnv.New64a()
	h.Write([]byte(text))
	rnd := rand.New(rand.NewPCG(h.Sum64(), 0))
	e, d := newEvaluator(s), s.decl("f")
	plain, fused := newKernel(t, f, false), newKernel(t, f, true)
	for round := range 3 {
		in := inputs(rnd, f)
		for i, u := range f.Params { // few numbers, so that equal ones meet
			for l := range lanes * round / 2 {
				if u.Float() {
					in[i][l] = floatBits(u, few[rnd.IntN(len(few)/round)])
				} else if u.Int() {
					in[i][l] = truncateTo(u, uint64(rnd.IntN(5)-2))
				}
			}
		}
		a, b := plain.run(t, in), fused.run(t, in)
		for l := range lanes {
			args := make([]num, len(in))
			for i, u := range f.Params {
				args[i] = num{t: u, bits: in[i][l]}
			}
			column := func(out [][]uint64) (bits []uint64) {
				for i := range out {
					bits = append(bits, out[i][l])
				}
				return bits
			}
			for i := range f.Results {
				inRange(t, f, i, a[i][l])
				inRange(t, f, i, b[i][l])
			}
			e.fuse = nil
			want, stop := e.run(d, args)
			if stop != nil && stop.kind == "fault" {
				t.Fatalf("f(%v) was translated, and Go panics: %v", show64(args), stop)
			}
			if stop != nil {
				continue
			}
			if why := differ(column(a), want); why != "" {
				t.Fatalf("f(%v): %s", show64(args), why)
			}
			if f.sumsProducts() && l < 12 && !e.someWay(d, args, column(b)) {
				t.Fatalf("f(%v), with products fused, is %x, which no way of fusing gives", show64(args), column(b))
			}
		}
	}
}

// few are the numbers at which most operations do something else.
var few = []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 0.5, 100, -100, 0x1p-126, 127.5, 1e10, 0x1.000002p0}

// someWay reports whether some choice of products to fuse gives the results, or
// there are too many to try.
func (e *evaluator) someWay(d *ast.FuncDecl, in []num, have []uint64) bool {
	var picks, ways []int
	for range 100 {
		at := 0
		e.fuse = func(n int) int {
			if at == len(picks) {
				picks, ways = append(picks, n-1), append(ways, n) // fused first
			}
			at++
			return picks[at-1]
		}
		want, stop := e.run(d, in)
		if stop != nil || differ(have, want) == "" {
			return true
		}
		picks, ways = picks[:at], ways[:at]
		for at > 0 && picks[at-1] == 0 {
			at--
		}
		if at == 0 {
			return false
		}
		picks, ways = picks[:at], ways[:at]
		picks[at-1]--
	}
	return true
}

// differ says how results differ from those wanted, "" if they do not.
func differ(have []uint64, want []num) string {
	for i, w := range want {
		h := num{t: w.t, bits: have[i]}
		switch {
		case w.loose || h.bits == w.bits:
			continue
		case w.t.Float() && h.float() != h.float() && w.float() != w.float():
			continue
		case w.slack > 0:
			x := math.Abs(w.float())
			unit := math.Nextafter(x, math.Inf(1)) - x
			if w.t == Float32 {
				unit = float64(math.Nextafter32(float32(x), float32(math.Inf(1)))) - x
			}
			if math.Abs(h.float()-w.float()) <= w.slack*unit || math.IsInf(unit, 1) {
				continue
			}
		}
		if w.t.Float() {
			return fmt.Sprintf("result %d is %v (%#x), want %v (%#x, within %v)", i, h.float(), h.bits, w.float(), w.bits, w.slack)
		}
		return fmt.Sprintf("result %d is %#x, want %#x", i, h.bits, w.bits)
	}
	return ""
}

// checkRefusal checks that an error has what its reader needs.
func checkRefusal(t *testing.T, err error, text string) {
	t.Helper()
	var list *Error
	if !errors.As(err, &list) || len(list.Problems) == 0 {
		t.Fatalf("not an error with places: %v\n%s", err, numbered(text))
	}
	for _, pr := range list.Problems {
		if pr.Pos.Filename != "f.go" || pr.Pos.Line < 1 || pr.Pos.Line > strings.Count(text, "\n")+1 || pr.Pos.Column < 1 {
			t.Errorf("the place %v\n%s", pr, numbered(text))
		}
		if pr.Msg == "" || strings.Contains(pr.Msg, "%!") || strings.ContainsAny(pr.Msg, "\n") {
			t.Errorf("the message %q\n%s", pr.Msg, numbered(text))
		}
	}
	checkMessage(t, err, text)
}

// ours is what no reader of a refusal knows: files of this module, values and operations
// of the IR, registers' numbers.
var ours = regexp.MustCompile(`(lower\w*|builder|legalize\w*|select\w*|emitter|optypes|targets_test|harness_test|[a-z]+_test)\.go\b|%\d+|%[a-z]\b|\b(gen/fn|emit)/|<nil>|0xc000|goroutine \d|\bcvt\b|\b[if](8|16|32|64)x\d+\b`)

// checkMessage checks that a refusal has a place in its first line, and nothing of ours.
func checkMessage(t *testing.T, err error, text string) {
	t.Helper()
	if found := ours.FindString(err.Error()); found != "" {
		t.Errorf("%q is nothing to a user, in\n%v\n%s", found, err, text)
	}
	if !strings.Contains(err.Error(), ".go:") {
		t.Errorf("no place in\n%v\n%s", err, text)
	}
}

func show64(in []num) string {
	var list []string
	for _, x := range in {
		if x.t.Float() {
			list = append(list, fmt.Sprintf("%v(%v)", x.t, x.float()))
		} else {
			list = append(list, fmt.Sprintf("%v(%#x)", x.t, x.bits))
		}
	}
	return strings.Join(list, ", ")
}

// numbered returns what a writer wrote, with the numbers of its lines.
func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i >= strings.Count(writerPrelude, "\n") {
			fmt.Fprintf(&b, "%3d %s\n", i+1, line)
		}
	}
	return b.String()
}
