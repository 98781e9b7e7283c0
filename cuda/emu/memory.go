package emu

import (
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/tilesmith/tilesmith/cuda"
)

// The windows of the generic address space. Shared memory does not begin at 0, so that
// an address that should have been relative shows.
const (
	sharedBase  = 1 << 10 // in the window .shared
	paramBase   = 0x160   // in the window .param
	sharedAt    = 1 << 40 // of the window, in generic addresses
	localAt     = 2 << 40
	paramAt     = 3 << 40
	windowBytes = 1 << 32
	heapAt      = 0x7f00_0000_0000
	redZone     = 4096 // between two buffers
)

// bitset has a bit for every byte that was written.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

// all reports whether the n ≤ 32 bits from i are set.
func (b bitset) all(i, n int) bool {
	mask := uint64(1)<<n - 1
	if i&63+n <= 64 {
		return b[i>>6]>>(i&63)&mask == mask
	}
	for ; n > 0; i, n = i+1, n-1 {
		if b[i>>6]>>(i&63)&1 == 0 {
			return false
		}
	}
	return true
}

func (b bitset) set(i, n int) {
	if i&63+n <= 64 && n < 64 {
		b[i>>6] |= (uint64(1)<<n - 1) << (i & 63)
		return
	}
	for ; n > 0 && i&63 != 0; i, n = i+1, n-1 {
		b[i>>6] |= 1 << (i & 63)
	}
	for ; n >= 64; i, n = i+64, n-64 {
		b[i>>6] = ^uint64(0)
	}
	for ; n > 0; i, n = i+1, n-1 {
		b[i>>6] |= 1 << (i & 63)
	}
}

// pageBytes is how much of global memory has one lock and one shadow.
const pageBytes = 4096

// A page guards a piece of a buffer: its data, its bits and its shadow.
type page struct {
	mu     sync.Mutex
	launch uint64 // that the shadow is of
	shadow shadow

	strong   map[uint64]*location // of the launch strongOf
	strongOf uint64
}

// A buffer is a piece of global memory.
type buffer struct {
	name     string // of a variable, "" of an allocation
	at       uint64
	data     []byte
	written  bitset
	pages    []page
	readOnly bool
}

func newBuffer(at uint64, n int) *buffer {
	return &buffer{at: at, data: make([]byte, n), written: newBitset(n), pages: make([]page, (n+pageBytes-1)/pageBytes)}
}

func (b *buffer) String() string {
	if b.name != "" {
		return fmt.Sprintf("%s (%d bytes)", b.name, len(b.data))
	}
	return fmt.Sprintf("the buffer of %d bytes at %#x", len(b.data), b.at)
}

// A heap is the global memory of a device.
type heap struct {
	mu    sync.RWMutex
	bufs  []*buffer // ascending
	freed []*buffer // without data, so that a use after Free can be named
	next  uint64
	used  int64
	limit int64

	shadow atomic.Int64 // bytes that shadows of pages take
}

func (h *heap) alloc(n int64) (*buffer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n < 0 || n > h.limit-h.used {
		return nil, fmt.Errorf("emu: %w: %d bytes were asked for, %d of %d are free", cuda.ErrMemory, n, h.limit-h.used, h.limit)
	}
	b := newBuffer(h.next, int(n))
	h.next += uint64(alignUp(n+redZone, redZone))
	h.used += n
	h.bufs = append(h.bufs, b)
	return b, nil
}

func (h *heap) free(b *buffer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(h.bufs, b)
	if i < 0 {
		return
	}
	h.bufs = slices.Delete(h.bufs, i, i+1)
	h.used -= int64(len(b.data))
	for i := range b.pages {
		if b.pages[i].shadow.cells != nil {
			h.shadow.Add(-pageBytes / 4 * cellBytes)
		}
	}
	if len(h.freed) < 1000 {
		h.freed = append(h.freed, &buffer{at: b.at, data: nil, name: fmt.Sprintf("a freed buffer of %d bytes", len(b.data))})
	}
}

// after returns the index of the first buffer behind addr. The caller holds h.mu.
func (h *heap) after(addr uint64) int {
	return sort.Search(len(h.bufs), func(i int) bool { return h.bufs[i].at > addr })
}

// find returns the buffer that addr lies in or, if it lies in none, the one before.
func (h *heap) find(addr uint64) *buffer {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if i := h.after(addr); i > 0 {
		return h.bufs[i-1]
	}
	return nil
}

// describe says where n bytes at addr, which are in no buffer, are.
func (h *heap) describe(addr uint64, n int) string {
	b := h.find(addr)
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, f := range h.freed {
		if addr >= f.at && addr < f.at+redZone && (b == nil || b.at < f.at) {
			return "which lies in " + f.name
		}
	}
	var after *buffer
	if i := h.after(addr); i < len(h.bufs) {
		after = h.bufs[i]
	}
	if b != nil {
		end := b.at + uint64(len(b.data))
		switch {
		case addr < end:
			return fmt.Sprintf("the last %d of them past the end of %v", addr+uint64(n)-end, b)
		case addr == end:
			return fmt.Sprintf("just past the end of %v", b)
		case after == nil || addr-end <= after.at-addr:
			return fmt.Sprintf("%d bytes past the end of %v", addr-end, b)
		}
	}
	if after != nil {
		return fmt.Sprintf("%d bytes before %v", after.at-addr, after)
	}
	return "where there is no buffer"
}
