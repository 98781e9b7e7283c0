package mem

import (
	"sync"
	"sync/atomic"
)

// Pool keeps values, with their buffers, between calls: one at hand without a
// lock, and as many more as were in use at once.
type Pool[T any] struct {
	hot  atomic.Pointer[T]
	mu   sync.Mutex
	list []*T
}

// Get returns a value that was put back, or a new one.
func (p *Pool[T]) Get() *T {
	if x := p.hot.Swap(nil); x != nil {
		return x
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.list); n > 0 {
		x := p.list[n-1]
		p.list = p.list[:n-1]
		return x
	}
	return new(T)
}

// Put gives a value back.
func (p *Pool[T]) Put(x *T) {
	if p.hot.CompareAndSwap(nil, x) {
		return
	}
	p.mu.Lock()
	p.list = append(p.list, x)
	p.mu.Unlock()
}
