package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

// TestApart: neither another output nor the matrix itself is written over.
func TestApart(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 2 1.0\n"
	if err := errors.Join(os.WriteFile("m.mtx", []byte(text), 0o666), os.Symlink("m.mtx", "link")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"dist", "plan", "m.mtx", "--ranks", "2", "--owners", "./m.mtx"},
		{"dist", "plan", "m.mtx", "--ranks", "2", "--svg", "link"},
		{"dist", "plan", "m.mtx", "--ranks", "2", "--owners", "f", "--svg", "./f"},
		{"emu", "run", "k.ptx", "out:u32:1=f", "out:u32:1=f"},
	} {
		if args[0] == "emu" {
			ptx := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b) .reqntid 1 { ret; }\n"
			if err := os.WriteFile("k.ptx", []byte(ptx), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var usage cli.UsageError
		if err := execute(t.Context(), args, t.Output(), t.Output()); !errors.As(err, &usage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if b, err := os.ReadFile("m.mtx"); string(b) != text {
		t.Errorf("the matrix became %q, %v", b, err)
	}
	if f, _ := filepath.Glob("f"); f != nil {
		t.Error("a file was written")
	}
}
