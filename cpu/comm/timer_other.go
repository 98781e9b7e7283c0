//go:build !linux

package comm

import "time"

// A timer sleeps as precisely as the system's timers do.
type timer struct{}

func newTimer() *timer { return &timer{} }

func (t *timer) sleep(d time.Duration) { time.Sleep(d) }

func (t *timer) close() {}
