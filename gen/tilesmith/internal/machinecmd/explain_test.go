package machinecmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestMachineFor: what --machine means, a file of another machine included.
func TestMachineFor(t *testing.T) {
	dir := t.TempDir()
	other := machine.Known()[0]
	other.Source = "a file"
	file, broken := filepath.Join(dir, "other"), filepath.Join(dir, "broken")
	for name, text := range map[string]string{file: other.Text(), broken: strings.Replace(other.Text(), "clock: ", "clock: -", 1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]*machine.Machine{
		"": nil, "reference": nil, "this": machine.Data(), "AMD Zen 5": machine.Known()[3], file: other,
	} {
		m, err := For(name)
		if err != nil || (m == nil) != (want == nil) || m != nil && m.Text() != want.Text() {
			t.Errorf("%q: %v, %v, want %v", name, m, err, want)
		}
	}
	for name, why := range map[string]string{"zen": "neither a file nor one of reference, this, measured, AMD Zen 2,", broken: "clock is", dir: "not a regular file"} {
		if m, err := For(name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, %v, want an error with %q", name, m, err, why)
		}
	}
}
