package machinecmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/cli"
	"github.com/tilesmith/tilesmith/gen/tilesmith/internal/clitest"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// TestReportMachine prints a machine that was measured beside its data, and writes a file
// that reads as it.
func TestReportMachine(t *testing.T) {
	found, data := machine.Data(), machine.Data()
	found.Caches[machine.L2].Read, data.Caches[machine.L2].Read = 123.4e9, 234.5e9
	found.Caches[machine.Memory].Latency, data.Caches[machine.Memory].Latency = 98.76e-9, 120e-9
	found.Source = "measured"
	file := filepath.Join(t.TempDir(), "this.machine")
	var b bytes.Buffer
	if err := reportMachine(&b, found, data, file, cli.FormTable); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{data.CPU.String(), "caches: " + data.Sizes, "data: " + data.Source,
		"measured data unit", "l2.read 123.4 234.5 GB/s", "memory.latency 98.76 120 ns", "go.vector 8 8 bytes"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
	got, err := machine.Read(file)
	if err != nil || got.Text() != found.Text() {
		t.Errorf("the file reads %+v, %v", got, err)
	}

	b.Reset()
	if err := reportMachine(&b, found, data, "", cli.FormJSON); err != nil {
		t.Fatal(err)
	}
	var both map[string]*machine.Machine
	if err := json.Unmarshal(b.Bytes(), &both); err != nil || both["measured"].Text() != found.Text() || both["data"].Text() != data.Text() {
		t.Errorf("%s: %v", b.String(), err)
	}

	found.Clock = -1
	if err := reportMachine(&b, found, data, file, cli.FormTable); err == nil || !strings.Contains(err.Error(), "clock is -1; it must be from 1e+08 to 2e+10") {
		t.Errorf("a clock that goes backwards: %v", err)
	}
	if got, err := machine.Read(file); err != nil || got.Clock < 0 {
		t.Errorf("after that the file reads %+v, %v", got, err)
	}
}

// TestMachineUsage: a file of somebody else is not overwritten, and nothing is measured
// for a command line that is wrong.
func TestMachineUsage(t *testing.T) {
	dir := t.TempDir()
	mine, other, short := filepath.Join(dir, "mine"), filepath.Join(dir, "other"), filepath.Join(dir, "short")
	for file, text := range map[string]string{mine: machine.Data().Text(), other: "thesis\nchapter 1\n", short: "x"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"", mine, filepath.Join(dir, "none")} {
		if err := isMachineFile(file); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
	for _, args := range [][]string{{"--out", other}, {"--out", short}, {"--out", dir}, {"--out", filepath.Join(dir, "none", "m")}, {"file"}, {"--fast"}} {
		err := dispatch(append([]string{"machine"}, args...), &bytes.Buffer{})
		if !errors.As(err, new(cli.UsageError)) {
			t.Errorf("%v: %v, want a wrong command line", args, err)
		}
	}
}

func dispatch(args []string, out io.Writer) error { return clitest.Dispatch(args, out, Command()) }

// unread is a pipe whose reader has gone.
type unread struct{}

func (unread) Write([]byte) (int, error) { return 0, cli.ErrUnread }

// TestUnreadTable: the file is written though nobody reads what is printed beside.
func TestUnreadTable(t *testing.T) {
	out, m := filepath.Join(t.TempDir(), "this.machine"), machine.Data()
	if err := reportMachine(unread{}, m, m, out, cli.FormTable); !errors.Is(err, cli.ErrUnread) {
		t.Error(err)
	}
	if text, err := os.ReadFile(out); string(text) != m.Text() || err != nil {
		t.Errorf("machine --out wrote %q, %v", text, err)
	}
}
