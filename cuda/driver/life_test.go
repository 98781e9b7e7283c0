package driver

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cuda"
)

func TestLife(t *testing.T) {
	for range 30 {
		l := newLife()
		var inside, ends atomic.Int32
		var gone atomic.Bool
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for l.enter() {
					inside.Add(1)
					if gone.Load() {
						t.Error("a call began after the end")
					}
					inside.Add(-1)
					l.exit()
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				time.Sleep(time.Microsecond)
				if !l.end() {
					return
				}
				if n := inside.Load(); n != 0 {
					t.Errorf("the end came during %d calls", n)
				}
				gone.Store(true)
				ends.Add(1)
			})
		}
		wg.Wait()
		if ends.Load() != 1 {
			t.Fatalf("%d ends", ends.Load())
		}
	}
}

// TestFreeInUse frees buffers, streams and events that other goroutines use: they
// get ErrClosed, and the driver never sees a dead handle.
func TestFreeInUse(t *testing.T) {
	f := newFake(t)
	for range 20 {
		d, err := f.lib.open(0)
		if err != nil {
			t.Fatal(err)
		}
		s, m := f.stream(d), must(d.Alloc(1<<16))
		e := must(d.NewEvent())
		host := make([]byte, 1<<16)
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				for range 50 {
					var err error
					switch i % 3 {
					case 0:
						err = s.Write(m, 0, host)
					case 1:
						err = s.Fill(m, 0, 1, 1<<16)
					case 2:
						err = s.Record(e)
					}
					if errors.Is(err, cuda.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		for _, end := range []func() error{m.Free, s.Close, e.Close, d.Close} {
			wg.Go(func() {
				if err := end(); err != nil && !errors.Is(err, cuda.ErrClosed) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// TestForgets: a device does not remember what was destroyed.
func TestForgets(t *testing.T) {
	f := newFake(t)
	d := f.open().(*device)
	for range 10 {
		s, m, e := f.stream(d), must(d.Alloc(1)), must(d.NewEvent())
		if n := len(d.held); n != 3 {
			t.Errorf("%d things are held, want 3", n)
		}
		if err := errors.Join(s.Close(), m.Free(), e.Close()); err != nil {
			t.Error(err)
		}
	}
	if n := len(d.held); n != 0 {
		t.Errorf("%d things are held after all were destroyed", n)
	}
}

// TestCloseInFlight closes a stream right after work that reads its staging buffer
// was queued.
func TestCloseInFlight(t *testing.T) {
	f := newFake(t)
	d := f.open()
	s, m := f.stream(d), must(d.Alloc(100))
	if err := errors.Join(s.Write(m, 0, []byte{1, 2, 3}), s.Close()); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 3)
	if err := f.stream(d).Read(got, m, 0); err != nil || string(got) != "\x01\x02\x03" {
		t.Errorf("the device has %v, %v", got, err)
	}
}
