package ptx_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
)

// ptxas returns the assembler's path: TILESMITH_PTXAS, or what PATH has, or "".
var ptxas = sync.OnceValue(func() string {
	if p := os.Getenv("TILESMITH_PTXAS"); p != "" {
		return p
	}
	p, err := exec.LookPath("ptxas")
	if err != nil {
		return ""
	}
	return p
})

// print takes functions through the passes and prints them.
func print(t testing.TB, target emit.Target, fs ...*emit.Func) *ptx.Listing {
	t.Helper()
	l, err := listing(target, fs...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func listing(target emit.Target, fs ...*emit.Func) (*ptx.Listing, error) {
	for _, f := range fs {
		if err := emit.Run(f, ptx.Backend{}.Passes(target), nil); err != nil {
			return nil, err
		}
	}
	return ptx.List(target, "", fs)
}

var diagnostic = regexp.MustCompile(`line (\d+)`)

// assemble gives the module to ptxas, which must have nothing to say: no error, no
// warning, no spill and no remark that something was serialised.
func assemble(t testing.TB, target emit.Target, l *ptx.Listing) {
	t.Helper()
	if ptxas() == "" {
		t.Skip("no ptxas in PATH or TILESMITH_PTXAS: the text is not assembled")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(file, []byte(l.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(ptxas(), "-arch", target.Name, "-v", "-warn-spills", "-warn-lmem-usage", "-o", filepath.Join(dir, "k.cubin"), file).CombinedOutput()
	bad := err != nil
	for s := range strings.SplitSeq(string(out), "\n") {
		if strings.Contains(s, "arning") || strings.Contains(s, "C75") || strings.Contains(s, "spill") && !strings.Contains(s, "0 bytes spill stores, 0 bytes spill loads") {
			bad = true
		}
	}
	if !bad {
		return
	}
	t.Errorf("ptxas -arch %s: %v\n%s", target.Name, err, out)
	for _, m := range diagnostic.FindAllStringSubmatch(string(out), 5) {
		n, _ := strconv.Atoi(m[1])
		t.Errorf("line %d: %s", n, l.Where(n))
	}
	if testing.Verbose() {
		t.Log(l.Text)
	}
}
