package peer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/verify/peer"
)

// otherBLIS returns BLIS once more, with the kernels it has for AMD's cores before
// AVX-512, or nil if g has those or cannot be made to take them. Only they come with
// ways around packing, for small and skinny products: at 16x16x16 BLIS 0.9.0 is five
// times as fast as "zen3" as it is as "skx", from about 128 on it is the other way
// round. To compare with BLIS is to compare with the better of both.
func otherBLIS(b *testing.B, g *peer.Gemm) *peer.Gemm {
	const variable, zen3 = "BLIS_ARCH_TYPE", "6"
	if strings.HasSuffix(g.Version, "zen3") {
		return nil
	}
	// The kernels are chosen once for a loaded library; a copy of the file is another one.
	text, err := os.ReadFile(g.Path)
	if err != nil {
		return nil
	}
	file := filepath.Join(b.TempDir(), filepath.Base(g.Path))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	old, was := os.LookupEnv(variable)
	os.Setenv(variable, zen3)
	defer func() {
		if was {
			os.Setenv(variable, old)
		} else {
			os.Unsetenv(variable)
		}
	}()
	other, err := peer.Peer{Name: "blis(zen3)", Libs: []string{file}, Open: peer.BLIS.Open}.Load()
	if err != nil || !strings.HasSuffix(other.Version, "zen3") {
		return nil
	}
	other.Note = ""
	return other
}
