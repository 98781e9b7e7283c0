package unit

import (
	"strings"

	"github.com/tilesmith/tilesmith/emit"
)

// Module is where the packages of Tilesmith are.
const Module = "github.com/tilesmith/tilesmith/"

// Snake turns DenseGELU into dense_gelu: how files are named after a kernel.
func Snake(name string) string {
	var b strings.Builder
	rs := []rune(name)
	upper := func(i int) bool { return rs[i] >= 'A' && rs[i] <= 'Z' }
	for i, r := range rs {
		if i > 0 && upper(i) && (!upper(i-1) || i+1 < len(rs) && !upper(i+1) && (rs[i+1] < '0' || rs[i+1] > '9')) {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// Lower is the name with a small first letter, for what is not exported.
func Lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// Upper is the name with a large first letter. It takes "", too, which is what a
// function literal is called.
func Upper(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// TextFile is the file that the PTX of a spec for a target is in.
func TextFile(name string, t emit.Target) string {
	return Snake(name) + "_" + strings.ReplaceAll(t.Name, "_", "") + ".ptx"
}
