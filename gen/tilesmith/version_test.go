package main

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
)

// TestVersion: what was built, and what is here.
func TestVersion(t *testing.T) {
	for _, c := range []struct {
		what string
		info *debug.BuildInfo
		want string
	}{
		{"go install", &debug.BuildInfo{Main: debug.Module{Path: cli.ModulePath, Version: "v0.3.0"}}, "tilesmith v0.3.0\ngo "},
		{"go tool", &debug.BuildInfo{Main: debug.Module{Path: "example.com/shop", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: cli.ModulePath, Version: "v0.4.0"}}}, "tilesmith v0.4.0\n"},
		{"a replacement", &debug.BuildInfo{Deps: []*debug.Module{{Path: cli.ModulePath, Version: "v0.4.0", Replace: &debug.Module{Path: "../tilesmith"}}}}, "tilesmith (from a checkout)\n"},
		{"a checkout", &debug.BuildInfo{Main: debug.Module{Path: cli.ModulePath}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}},
			"revision  abc of 2026-01-02T03:04:05Z, with changes\n"},
		{"nothing", nil, "tilesmith (unknown)\n"},
	} {
		if have := versionText(c.info); !strings.Contains(have, c.want) || !strings.Contains(have, "\nISAs      "+strings.Join(run.ISAs(), ", ")+"\n") {
			t.Errorf("%s: %q, want %q in it", c.what, have, c.want)
		}
	}
	for _, args := range [][]string{{"version"}, {"--version"}} {
		var b bytes.Buffer
		if err := execute(t.Context(), args, &b, &b); err != nil || !strings.HasPrefix(b.String(), "tilesmith ") {
			t.Errorf("%q: %q, %v", args, &b, err)
		}
	}
}
