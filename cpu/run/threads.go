package run

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

var threads atomic.Int64

// Threads returns how many goroutines a call may use: what [SetThreads] set, or
// TILESMITH_THREADS, or GOMAXPROCS.
func Threads() int {
	if n := threads.Load(); n > 0 {
		return int(n)
	}
	if n := envThreads(); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// SetThreads sets how many goroutines a call may use; 0 restores the default. It
// may be called at any time and counts for calls that start later. It panics with an
// [OptionError] if n is negative.
func SetThreads(n int) {
	CheckThreads("run.SetThreads", n)
	threads.Store(int64(n))
}

// CheckThreads panics with an [OptionError] of the function called what if n is not a
// number of threads.
func CheckThreads(what string, n int) {
	if n < 0 {
		panic(OptionError{what, fmt.Sprintf("%d threads; want 1 or more, or 0 for the default, which is TILESMITH_THREADS or else GOMAXPROCS", n)})
	}
}

var envThreads = sync.OnceValue(func() int {
	s := os.Getenv("TILESMITH_THREADS")
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		panic(OptionError{"tilesmith", fmt.Sprintf("TILESMITH_THREADS is %q; it must be a number of goroutines, 1 or more", s)})
	}
	return n
})
