package comm

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A timer sleeps more precisely than time.Sleep, which waits in whole milliseconds when
// nothing else runs (epoll_wait does), and it needs no thread of its own. It reads a
// timerfd, which wakes the poller of the runtime when it is due.
type timer struct {
	file *os.File // nil if there are no timerfds
}

func newTimer() *timer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return &timer{}
	}
	return &timer{os.NewFile(uintptr(fd), "timerfd")}
}

// sleep sleeps for d, to some tens of microseconds.
func (t *timer) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	if t.file != nil {
		var expired [8]byte
		at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
		if raw, err := t.file.SyscallConn(); err == nil {
			var failed error
			err = raw.Control(func(fd uintptr) { failed = unix.TimerfdSettime(int(fd), 0, &at, nil) })
			if err == nil && failed == nil {
				if _, err = t.file.Read(expired[:]); err == nil {
					return
				}
			}
		}
	}
	time.Sleep(d)
}

func (t *timer) close() {
	if t.file != nil {
		t.file.Close()
	}
}
