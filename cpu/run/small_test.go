package run

import (
	"runtime"
	"testing"
	"time"
	"unsafe"
)

// TestHide moves the stack while hide is called: it must not return where the block was.
// Only builds with -race or -gcflags=all=-d=checkptr have something in hide that can
// wait for the collector, which is what moves the stack.
func TestHide(t *testing.T) {
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	stale := 0
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		growStack(60) // the collector takes back what is not needed
		for range 3000 {
			if !hidden() {
				stale++
			}
		}
	}
	close(stop)
	<-stopped
	if stale > 0 {
		t.Errorf("hide returned an address of another stack %d times", stale)
	}
}

//go:noinline
func hidden() bool {
	var block Args
	args := hide(&block)
	args.K = 7
	return block.K == 7 && uintptr(unsafe.Pointer(args)) == uintptr(unsafe.Pointer(&block))
}

//go:noinline
func growStack(n int) byte {
	var pad [1024]byte
	pad[n] = byte(n)
	if n > 0 {
		return growStack(n-1) + pad[n+1]
	}
	return pad[1]
}
