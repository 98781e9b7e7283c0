package gen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tilesmith/tilesmith/internal/child"
)

// A reading is how the assembly of an architecture is read.
type reading struct {
	vector, general, mask, jump *regexp.Regexp
	count                       func(m *mix, name, args string)
}

var readings = map[string]reading{
	"amd64": {regexp.MustCompile(`\b[XYZ](\d+)\b`), regexp.MustCompile(`\b(AX|BX|CX|DX|SI|DI|BP|R\d+)\b`), regexp.MustCompile(`\b(K[0-7])\b`),
		jumpLine, countAMD64},
	"arm64": {regexp.MustCompile(`\b[FVvq](\d+)\b`), regexp.MustCompile(`\b[Rxw](\d+)\b`), nil,
		regexp.MustCompile(`^\t(?:B[A-Z]* |CBN?Z R\d+, )(\w+)`), countARM64},
}

var (
	labelLine = regexp.MustCompile(`^(\w+):`)
	jumpLine  = regexp.MustCompile(`^\tJ\w+ (\w+)`) // of amd64
)

// measure says which registers the assembly of a function uses, what its busiest
// loop does and how long its code is.
func measure(arch, asm string) string {
	r, ok := readings[arch]
	if !ok {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "registers  %d vector, %d general", distinct(r.vector, asm), distinct(r.general, asm))
	if r.mask != nil {
		fmt.Fprintf(&b, ", %d mask", distinct(r.mask, asm))
	}
	b.WriteString("\n")
	if l := r.busiest(asm); l.fmas > 0 {
		fmt.Fprintf(&b, "main loop  %d multiply-adds, %d vector loads, %d broadcasts, %d other instructions: %.2f loads per multiply-add\n",
			l.fmas, l.loads, l.broadcasts, l.others, float64(l.loads+l.broadcasts)/float64(l.fmas))
	}
	if n, err := codeSize(arch, asm); err == nil {
		fmt.Fprintf(&b, "code       %d bytes\n", n)
	}
	return b.String()
}

func distinct(r *regexp.Regexp, s string) int {
	seen := map[string]bool{}
	for _, m := range r.FindAllStringSubmatch(s, -1) {
		seen[m[1]] = true
	}
	return len(seen)
}

// mix counts the instructions of a loop.
type mix struct{ fmas, loads, broadcasts, others int }

// busiest returns the innermost loop with the most multiply-adds. It is a label and
// what follows up to a jump back to it, without another label that is jumped back to.
func (r reading) busiest(asm string) mix {
	var best mix
	at := map[string]int{} // line of each label
	lines := strings.Split(asm, "\n")
	lastLoop := -1 // line of the last jump back
	for i, l := range lines {
		if m := labelLine.FindStringSubmatch(l); m != nil {
			at[m[1]] = i
		}
		m := r.jump.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if from, ok := at[m[1]]; ok {
			if x := r.mixOf(lines[from+1 : i+1]); lastLoop < from && x.fmas > best.fmas {
				best = x
			}
			lastLoop = i
		}
	}
	return best
}

func (r reading) mixOf(lines []string) mix {
	var m mix
	for _, l := range lines {
		name, args, _ := strings.Cut(strings.TrimSpace(l), " ")
		if name == "" || strings.HasPrefix(name, "//") || name == "PCALIGN" || strings.HasSuffix(name, ":") {
			continue
		}
		r.count(&m, name, args)
	}
	return m
}

func countAMD64(m *mix, name, args string) {
	source, _, _ := strings.Cut(args, ",")
	switch {
	case strings.HasPrefix(name, "VFMADD"):
		m.fmas++
	case strings.HasPrefix(name, "VBROADCAST"):
		m.broadcasts++
	case strings.HasPrefix(name, "V") && strings.Contains(source, "("):
		m.loads++
	default:
		m.others++
	}
}

// countARM64 reads the comment of an instruction that is a word.
func countARM64(m *mix, name, args string) {
	_, word, _ := strings.Cut(args, "// ")
	source, _, _ := strings.Cut(args, ",")
	switch {
	case name == "WORD" && (strings.HasPrefix(word, "fmla ") || strings.HasPrefix(word, "fmadd ")):
		m.fmas++
	case name == "WORD" && strings.HasPrefix(word, "ld1r "):
		m.broadcasts++
	case name == "WORD" && strings.HasPrefix(word, "ld"), strings.HasPrefix(name, "FMOV") && strings.Contains(source, "("):
		m.loads++
	default:
		m.others++
	}
}

// codeSize assembles the function and returns the length of its code in bytes,
// padding included.
func codeSize(arch, asm string) (int, error) {
	root, err := child.Output(child.Command(context.Background(), "go", "env", "GOROOT"))
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "tilesmith-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	src := filepath.Join(dir, "f_"+arch+".s")
	if err := os.WriteFile(src, []byte("#include \"textflag.h\"\n"+asm), 0o600); err != nil {
		return 0, err
	}
	cmd := child.Command(context.Background(), "go", "tool", "asm", "-S", "-p", "x", "-I", filepath.Join(strings.TrimSpace(string(root)), "pkg", "include"), "-o", filepath.Join(dir, "f.o"), src)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch)
	out, err := child.Output(cmd)
	if err != nil {
		return 0, err
	}
	var n int
	_, size, _ := strings.Cut(string(out), "size=")
	_, err = fmt.Sscan(size, &n)
	return n, err
}
