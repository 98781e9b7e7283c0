package cudatest

import (
	"bytes"
	"errors"

	"github.com/tilesmith/tilesmith/cuda"
)

func events(t *T) {
	s1, s2 := t.stream(), t.stream()
	a, b := t.alloc(1<<20), t.alloc(1<<20)
	start, stop := t.event(), t.event()

	// s1 filled what s2 copies, and the next fill of s1 is not in it.
	for i := range byte(5) {
		t.must("Fill", s1.Fill(a, 0, i+1, a.Bytes()))
		t.must("Record", s1.Record(start))
		t.must("Wait", s2.Wait(start))
		t.must("Copy", s2.Copy(b, 0, a, 0, a.Bytes()))
		t.must("Record", s2.Record(stop))
		t.must("Wait", s1.Wait(stop))
		t.must("Fill", s1.Fill(a, 0, 0, a.Bytes()))
		if got := t.read(s2, b); !bytes.Equal(got, bytes.Repeat([]byte{i + 1}, len(got))) {
			t.Errorf("a copy on one stream has %d, the other filled the buffer with %d before", got[0], i+1)
		}
	}

	seconds, err := stop.Since(start)
	switch {
	case errors.Is(err, cuda.ErrNoClock):
	case err != nil:
		t.Errorf("Since: %v", err)
	case seconds < 0 || seconds > 60:
		t.Errorf("Since: %v s", seconds)
	}
	_, err = t.event().Since(start)
	t.fails("Since of an event that was not recorded", err)
	t.must("Wait for an event that was not recorded", s1.Wait(t.event()))
	t.must("Synchronize", s1.Synchronize())
	t.must("Close", start.Close())
	t.fails("Record on a closed event", s1.Record(start), cuda.ErrClosed)
	t.fails("Wait for a closed event", s1.Wait(start), cuda.ErrClosed)
	_, err = stop.Since(start)
	t.fails("Since a closed event", err, cuda.ErrClosed)
	t.fails("Close of a closed event", start.Close(), cuda.ErrClosed)
}
