package comm

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// program says which version of a program runs: its modules, the revision that it was
// built from, the compiler and its settings. If there is no revision, or files were
// changed, it adds the hash of the executable.
var program = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return executable()
	}
	text := describeBuild(info)
	if !clean(info) {
		text += ", " + executable()
	}
	return text
})

// describeBuild is short, but differs where builds do.
func describeBuild(info *debug.BuildInfo) string {
	h := fnv.New64a()
	io.WriteString(h, strings.Join([]string{info.GoVersion, info.Path, info.Main.Version, info.Main.Sum}, "\n"))
	for _, m := range info.Deps {
		for ; m != nil; m = m.Replace {
			fmt.Fprintf(h, "\n%s %s %s", m.Path, m.Version, m.Sum)
		}
	}
	for _, s := range info.Settings {
		if s.Key != "GOARCH" && !strings.HasPrefix(s.Key, "GOAMD64") { // machines may differ
			fmt.Fprintf(h, "\n%s=%s", s.Key, s.Value)
		}
	}
	text := info.Path
	if info.Main.Version != "" {
		text += " " + info.Main.Version
	}
	return fmt.Sprintf("%s (%s, build %x)", text, info.GoVersion, h.Sum64())
}

// clean reports whether a build says all that went into it.
func clean(info *debug.BuildInfo) bool {
	known, modified := false, false
	for _, s := range info.Settings {
		known = known || s.Key == "vcs.revision" && s.Value != ""
		modified = modified || s.Key == "vcs.modified" && s.Value != "false"
	}
	return known && !modified || info.Main.Sum != ""
}

// executable is the hash of the program's file.
func executable() string {
	name, err := os.Executable()
	if err != nil {
		return "an executable that nobody can read"
	}
	f, err := os.Open(name)
	if err != nil {
		return "an executable that nobody can read"
	}
	defer f.Close()
	h := fnv.New64a()
	if _, err := io.Copy(h, f); err != nil {
		return "an executable that nobody can read"
	}
	return fmt.Sprintf("executable %x", h.Sum64())
}
