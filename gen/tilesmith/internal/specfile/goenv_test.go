package specfile

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/internal/level"
)

// settingsProgram prints what it was built with.
const settingsProgram = `package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

func main() {
	b, _ := debug.ReadBuildInfo()
	for _, s := range b.Settings {
		fmt.Printf("%s=%s\n", s.Key, s.Value)
	}
	fmt.Println("GOFLAGS=" + os.Getenv("GOFLAGS"))
}
`

// TestInherited builds a program as spec programs are built, under settings of the go command
// that each would break or change it, and under those that it needs.
func TestInherited(t *testing.T) {
	level.E2E(t)
	dir := clitest.Folder(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.26\n", "main.go": settingsProgram})
	other := "windows"
	if runtime.GOOS == other {
		other = "linux"
	}
	kept := "-mod=mod '-modfile=" + filepath.Join(dir, "go.mod") + "' -tags=one,two"
	for name, value := range map[string]string{
		"GOFLAGS": kept + " -trimpath -overlay=" + filepath.Join(dir, "none.json") + " -race -msan -cover -covermode=atomic -coverpkg=all -buildmode=plugin -pgo=none.pgo -buildvcs=true -ldflags=-X=main.x=1",
		"GOOS":    other, "GOARCH": "s390x", "GOAMD64": "v4", "GO386": "softfloat", "CC": "no-compiler", "CGO_ENABLED": "0", "GOWORK": "off", "TILESMITH_GEN_OUT": "elsewhere",
	} {
		t.Setenv(name, value)
	}
	var out, log bytes.Buffer
	p := Program{Dir: dir, File: "main.go", Out: &out, Log: &log, patience: 1}
	if err := p.Run(t.Context(), func(string) []string { return nil }, func(int) error { return nil }); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	if want := "tilesmith: building the generator with main.go; the first time this may take minutes, then seconds\n"; log.String() != want {
		t.Errorf("a build that takes long says %q, want %q", &log, want)
	}
	have := map[string]string{}
	for line := range strings.Lines(out.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		have[name] = value
	}
	want := map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH, "-tags": "one,two", "CGO_ENABLED": "0", "-ldflags": "-s -w", "-buildmode": "exe",
		"-trimpath": "", "-race": "", "-msan": "", "-cover": "", "vcs": ""}
	if runtime.GOARCH == "amd64" {
		want["GOAMD64"] = "v1"
	}
	for name, value := range want {
		if have[name] != value {
			t.Errorf("the program is built with %s=%s, want %q", name, have[name], value)
		}
	}
	if !strings.HasPrefix(have["GOFLAGS"], kept+" ") {
		t.Errorf("the program's own go command is given %s, want it to begin with %s", have["GOFLAGS"], kept)
	}
}

// TestHostEnv is about settings one by one: what the go command and spec programs are given.
func TestHostEnv(t *testing.T) {
	for _, x := range []struct{ set, value, want string }{
		{"GOFLAGS", "-mod=vendor", "-mod=vendor " + strings.Join(hostFlags, " ")},
		{"GOFLAGS", "-mod=readonly", "-mod=readonly " + strings.Join(hostFlags, " ")},
		{"GOFLAGS", "", strings.Join(hostFlags, " ")}, // GOENV below has none
		{"CGO_ENABLED", "1", "1"}, {"GOEXPERIMENT", "jsonv2", "jsonv2"}, {"GOWORK", "/w/go.work", "/w/go.work"}, {"GOTOOLCHAIN", "local", "local"}, {"GODEBUG", "x=1", "x=1"},
		{"GOOS", "plan9", runtime.GOOS}, {"GOARCH", "mips", runtime.GOARCH}, {"GOAMD64", "v4", "v1"}, {"GOARM64", "v9.0", "v8.0"}, {"GO386", "softfloat", "sse2"},
		{"CC", "clang", "clang"}, {"TILESMITH_GEN_OUT", "x", ""}, {"TILESMITH_THREADS", "1", "1"},
	} {
		t.Run(x.set+"="+x.value, func(t *testing.T) {
			t.Setenv("GOENV", "off")
			t.Setenv("GOFLAGS", "")
			t.Setenv(x.set, x.value)
			if have := environ(HostEnv())[x.set]; have != x.want {
				t.Errorf("%s=%s is %s, want %s", x.set, x.value, have, x.want)
			}
		})
	}
	t.Run("go env -w", func(t *testing.T) {
		config := filepath.Join(t.TempDir(), "env")
		if err := os.WriteFile(config, []byte("GOFLAGS=-trimpath -tags=x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOENV", config)
		t.Setenv("GOFLAGS", "")
		if have, want := environ(HostEnv())["GOFLAGS"], "-trimpath -tags=x "+strings.Join(hostFlags, " "); have != want {
			t.Errorf("GOFLAGS is %s, want %s", have, want)
		}
	})
	t.Run("a compiler for another machine", func(t *testing.T) {
		t.Setenv("GOOS", "plan9")
		t.Setenv("CC", "plan9-cc")
		if have, is := environ(HostEnv())["CC"]; is {
			t.Errorf("CC is %s", have)
		}
	})
}

// environ is an environment by names, of which the last counts.
func environ(env []string) map[string]string {
	return maps.Collect(func(yield func(name, value string) bool) {
		for _, e := range env {
			if name, value, _ := strings.Cut(e, "="); !yield(name, value) {
				return
			}
		}
	})
}
