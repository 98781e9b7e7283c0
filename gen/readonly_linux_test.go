package gen

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestReadOnlyFolder is TestWriteReadOnly for root, whom modes do not stop: one thread of the test gives up
// being root.
func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestWriteReadOnly does it")
	}
	dir, err := os.MkdirTemp("", "tilesmith-readonly-") // those of T are for their owner only
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o555))
	old := earlierSet[0]
	put(t, dir, old.Name, string(old.Data))
	before := snapshot(t, dir)
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		const nobody = 65534
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0); errno != 0 {
			done <- nil
			return
		}
		done <- Write(dir, []File{aSet[0]})
	}()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "nothing was written to "+dir) {
		t.Errorf("%v, want an error that says nothing was written", err)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the folder has changed:\n%s", after)
	}
}
