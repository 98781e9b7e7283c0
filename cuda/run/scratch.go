package run

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tilesmith/tilesmith/cuda"
)

// scratch is the workspace for partial results, and for copies of operands, on one stream. Work on a stream is
// done in order. So one call's partial results are joined, and its copies read, before the next call writes
// there. mu keeps the kernels of two calls from being queued in between.
type scratch struct {
	mu  sync.Mutex
	mem cuda.Memory
}

// workspace returns the stream's workspace of at least n bytes, locked.
func (l *loaded) workspace(s *Set, stream cuda.Stream, n int64) (*scratch, error) {
	l.mu.Lock()
	w := l.scratch[stream]
	if w == nil {
		l.sweep()
		w = &scratch{}
		l.scratch[stream] = w
	}
	l.mu.Unlock()
	w.mu.Lock()
	if w.mem != nil && w.mem.Bytes() >= n {
		return w, nil
	}
	// Kernels that are queued may still use the old one.
	err := stream.Synchronize()
	if err == nil {
		w.free()
		w.mem, err = stream.Device().Alloc(n)
	}
	if err != nil {
		w.mem = nil
		w.mu.Unlock()
		return nil, fmt.Errorf("%s: workspace for partial results: %w", s.Name, err)
	}
	return w, nil
}

// sweep frees the workspaces of streams that have been closed, with which all their
// work was done. A fill of nothing asks a stream without waiting for it.
func (l *loaded) sweep() {
	for s, w := range l.scratch {
		if !w.mu.TryLock() {
			continue
		}
		if w.mem != nil && errors.Is(s.Fill(w.mem, 0, 0, 0), cuda.ErrClosed) {
			w.free()
			delete(l.scratch, s)
		}
		w.mu.Unlock()
	}
}

func (w *scratch) free() {
	if w.mem != nil {
		w.mem.Free()
		w.mem = nil
	}
}
