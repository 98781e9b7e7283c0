package driver

import (
	"errors"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
)

// TestInterop plays a library that knows the driver but not this package.
func TestInterop(t *testing.T) {
	f := newFake(t)
	d := f.open()
	s := f.stream(d)
	h, err := Handle(s)
	if err != nil || h == 0 {
		t.Fatalf("Handle: %#x, %v", h, err)
	}
	f.call("fake_forget")
	if err := Do(d, func() error { return f.lib.run(cuStreamSynchronize, h) }); err != nil {
		t.Errorf("a call inside Do: %v", err)
	}
	want := errors.New("its own")
	if err := Do(d, func() error { return want }); err != want {
		t.Errorf("Do returns %v, want %v", err, want)
	}
	wants(t, "Do on nothing", Do(nil, nil), cuda.ErrForeign)
	_, err = Handle(nil)
	wants(t, "Handle of nothing", err, cuda.ErrForeign)
	if err := errors.Join(s.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = Handle(s)
	wants(t, "Handle of a closed stream", err, cuda.ErrClosed)
	wants(t, "Do on a closed device", Do(d, nil), cuda.ErrClosed)
}
