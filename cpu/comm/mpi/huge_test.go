//go:build amd64 || arm64

package mpi

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func init() {
	// One message that no int of C counts, from rank 0 to rank 1.
	tasks["huge"] = func() error {
		t, err := options().start(os.Getenv)
		if err != nil {
			return err
		}
		const n = int64(1)<<31 + 100
		b := make([]byte, n)
		marks := []int64{0, 1 << 30, 1<<31 - 1, 1 << 31, n - 1}
		if t.rank == 0 {
			for i, at := range marks {
				b[at] = byte(i + 1)
			}
			if err := t.Send(1, 0, b); err != nil {
				return err
			}
			return t.Close()
		}
		s, err := t.Recv(0, 0, b)
		if err != nil || int64(s.Bytes) != n {
			return fmt.Errorf("received %d bytes, want %d: %v", s.Bytes, n, err)
		}
		for i, at := range marks {
			if b[at] != byte(i+1) {
				return fmt.Errorf("byte %d is %d, want %d", at, b[at], i+1)
			}
		}
		fmt.Println("all came")
		return t.Close()
	}
}

// TestHuge sends 2 GiB and 100 bytes. The same with small counts is in TestTransport.
func TestHuge(t *testing.T) {
	if !long() {
		t.Skip("TILESMITH_LONG=1 sends 2 GiB, which takes two processes of that size")
	}
	const want = 8 << 20 // KiB
	var free int64
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		fmt.Sscanf(line, "MemAvailable: %d kB", &free)
	}
	if free < want {
		t.Skipf("%d KiB of memory are available, want %d", free, int64(want))
	}
	each(t, func(t *testing.T, i installation) {
		if r := i.run(t, 2, "huge").ok(t); !strings.Contains(r.out, "all came") {
			t.Errorf("printed %q\n%s", r.out, r.errs)
		}
	})
}
