package emit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

// The kernels of the proof tests are what the IR must be able to say: each is
// built, printed, read back, and interpreted to exactly the right numbers.

// build builds a kernel and takes it through its text form.
func build(t testing.TB, name string, args []emit.Arg, body func(b *emit.Builder)) *emit.Func {
	t.Helper()
	f, err := emit.Build(name, args, body)
	if err != nil {
		t.Fatal(err)
	}
	text := f.String()
	back, err := emit.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got := back.String(); got != text {
		t.Fatalf("printed, parsed and printed again:\n%s\nbefore:\n%s", got, text)
	}
	return f
}

// block lays out an argument block of 8-byte fields.
func block(fields ...any) []emit.Arg {
	var args []emit.Arg
	for i := 0; i < len(fields); i += 2 {
		args = append(args, emit.Arg{Name: fields[i].(string), Type: fields[i+1].(emit.Type), Offset: 4 * i})
	}
	return args
}

// without returns f without its operations that print as containing text; they
// must not have results.
func without(t *testing.T, f *emit.Func, text string) *emit.Func {
	t.Helper()
	f = f.Clone()
	n := 0
	drop := func(op *emit.Op) bool {
		if len(op.Results) > 0 || !strings.Contains(op.String(), text) {
			return false
		}
		n++
		return true
	}
	f.Body.Ops = slices.DeleteFunc(f.Body.Ops, drop)
	f.Body.Walk(func(op *emit.Op) {
		for _, b := range op.Blocks {
			b.Ops = slices.DeleteFunc(b.Ops, drop)
		}
	})
	if n == 0 {
		t.Fatalf("%s has no %s to drop", f.Name, text)
	}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	return f
}

// wantError checks that err is an [emit.Error] that contains all of parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if emit.AsError(err) == nil {
		t.Fatalf("error is %v, want one with %q", err, parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not contain %q", err, p)
		}
	}
}
