package run

import (
	"runtime"
	"testing"
)

func TestSetThreads(t *testing.T) {
	defer SetThreads(int(threads.Load()))
	for _, tc := range []struct{ set, want int }{{3, 3}, {1, 1}, {0, runtime.GOMAXPROCS(0)}, {1000, 1000}} {
		if SetThreads(tc.set); envThreads() == 0 && Threads() != tc.want {
			t.Errorf("after SetThreads(%d), Threads() = %d, want %d", tc.set, Threads(), tc.want)
		}
	}
}
