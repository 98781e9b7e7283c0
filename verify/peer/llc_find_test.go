package peer_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// script writes a program that prints text and puts its folder into PATH, alone.
func script(t *testing.T, name, text string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("the fake llc is a shell script")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho '"+text+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("TILESMITH_LLC", "")
}

func TestFindLLC(t *testing.T) {
	for _, c := range []struct{ name, text, version, why string }{
		{"llc", "LLVM (http://llvm.org/):\n  LLVM version 17.0.6", "17.0.6", ""},
		{"llc-16", "Debian LLVM version 16.0.6", "16.0.6", ""},
		{"llc-21", "LLVM version 21.1.0git", "21.1.0git", ""},
		{"llc", "LLVM version 11.1.0", "", "is of LLVM 11.1.0; install llvm 14 or newer"},
		{"llc", "low level compiler", "", "does not say which LLVM it is of"},
		{"clang", "LLVM version 17.0.6", "", `"llc": executable file not found`},
	} {
		t.Run(c.name+" "+c.text, func(t *testing.T) {
			script(t, c.name, c.text)
			llc, err := peer.FindLLC()
			switch {
			case c.why != "":
				if err == nil || !strings.Contains(err.Error(), c.why) || !strings.Contains(err.Error(), "set TILESMITH_LLC") {
					t.Errorf("error %v, want %q", err, c.why)
				}
			case err != nil || llc.Version != c.version || filepath.Base(llc.Path) != c.name:
				t.Errorf("found %+v, %v; want version %s", llc, err, c.version)
			}
		})
	}
}

// TestNamedLLC: what TILESMITH_LLC names is all that is tried.
func TestNamedLLC(t *testing.T) {
	script(t, "llc", "LLVM version 17.0.6")
	t.Setenv("TILESMITH_LLC", filepath.Join(t.TempDir(), "nothing"))
	if llc, err := peer.FindLLC(); err == nil {
		t.Errorf("found %+v", llc)
	}
}

// TestLLCRefuses: what is wrong comes back as an error, whoever notices it.
func TestLLCRefuses(t *testing.T) {
	gpu, err := emit.Build("gpu", nil, func(b *emit.Builder) { b.Inst(inst.BarSync, 0) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&peer.LLC{Path: "nothing", Major: 14}).Compile(amd64.AVX2, []*emit.Func{gpu}); emit.AsError(err) == nil {
		t.Errorf("a function for GPUs: %v, want an emit.Error", err)
	}
	llc, err := peer.FindLLC()
	if err != nil {
		t.Skip(err)
	}
	if _, err := llc.Load([]byte("this is no module")); err == nil || !strings.Contains(err.Error(), "expected top-level entity") {
		t.Errorf("a text that is no module: %v", err)
	}
	o, err := llc.Load([]byte("define void @f(i8* %args) {\n\tret void\n}\n"))
	if llc.Major >= 17 {
		return // it takes no typed pointers
	}
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Func("g"); err == nil {
		t.Error("a function that is not there was found")
	}
	f, err := o.Func("f")
	if err != nil {
		t.Fatal(err)
	}
	f(nil)
}
