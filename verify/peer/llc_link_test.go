//go:build (linux || darwin) && !android && (amd64 || arm64) && !nodl

package peer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/verify/peer"
)

// TestLLCLinks: a build with a dynamic linker needs one that makes libraries too.
func TestLLCLinks(t *testing.T) {
	llc, err := peer.FindLLC()
	if err != nil {
		t.Skip(err)
	}
	path, err := filepath.Abs(llc.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = (&peer.LLC{Path: path, Major: llc.Major}).Load([]byte("define void @f() {\n\tret void\n}\n"))
	if err == nil || !strings.Contains(err.Error(), "no linker to make a shared library") {
		t.Errorf("without a linker: %v", err)
	}
}
