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

var (
	vectorReg  = regexp.MustCompile(`\b[XYZ](\d+)\b`)
	maskReg    = regexp.MustCompile(`\b(K[0-7])\b`)
	generalReg = regexp.MustCompile(`\b(AX|BX|CX|DX|SI|DI|BP|R\d+)\b`)
	labelLine  = regexp.MustCompile(`^(\w+):`)
	jumpLine   = regexp.MustCompile(`^\tJ\w+ (\w+)`)
)

// measure says which registers the assembly of a function uses, what its busiest
// loop does and how long its code is.
func measure(asm string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "registers  %d vector, %d general, %d mask\n",
		distinct(vectorReg, asm), distinct(generalReg, asm), distinct(maskReg, asm))
	if l := busiest(asm); l.fmas > 0 {
		fmt.Fprintf(&b, "main loop  %d multiply-adds, %d vector loads, %d broadcasts, %d other instructions: %.2f loads per multiply-add\n",
			l.fmas, l.loads, l.broadcasts, l.others, float64(l.loads+l.broadcasts)/float64(l.fmas))
	}
	if n, err := codeSize(asm); err == nil {
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
func busiest(asm string) mix {
	var best mix
	at := map[string]int{} // line of each label
	lines := strings.Split(asm, "\n")
	lastLoop := -1 // line of the last jump back
	for i, l := range lines {
		if m := labelLine.FindStringSubmatch(l); m != nil {
			at[m[1]] = i
		}
		m := jumpLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if from, ok := at[m[1]]; ok {
			if x := mixOf(lines[from+1 : i+1]); lastLoop < from && x.fmas > best.fmas {
				best = x
			}
			lastLoop = i
		}
	}
	return best
}

func mixOf(lines []string) mix {
	var m mix
	for _, l := range lines {
		name, args, _ := strings.Cut(strings.TrimSpace(l), " ")
		source, _, _ := strings.Cut(args, ",")
		switch {
		case name == "" || strings.HasPrefix(name, "//") || name == "PCALIGN" || strings.HasSuffix(name, ":"):
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
	return m
}

// codeSize assembles the function and returns the length of its code in bytes,
// padding included.
func codeSize(asm string) (int, error) {
	root, err := child.Output(child.Command(context.Background(), "go", "env", "GOROOT"))
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "tilesmith-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	src := filepath.Join(dir, "f_amd64.s")
	if err := os.WriteFile(src, []byte("#include \"textflag.h\"\n"+asm), 0o600); err != nil {
		return 0, err
	}
	cmd := child.Command(context.Background(), "go", "tool", "asm", "-S", "-p", "x", "-I", filepath.Join(strings.TrimSpace(string(root)), "pkg", "include"), "-o", filepath.Join(dir, "f.o"), src)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	out, err := child.Output(cmd)
	if err != nil {
		return 0, err
	}
	var n int
	_, size, _ := strings.Cut(string(out), "size=")
	_, err = fmt.Sscan(size, &n)
	return n, err
}
