package emu

import (
	"encoding/binary"
	"fmt"
)

// A sharedMemory is that of one block.
type sharedMemory struct {
	data    []byte
	written bitset
	shadow  shadow
}

func (s *sharedMemory) reset(n int) {
	if cap(s.data) < n {
		s.data, s.written = make([]byte, n), newBitset(n)
	}
	s.data, s.written = s.data[:n], s.written[:(n+63)/64]
	clear(s.data)
	clear(s.written)
	s.shadow.reset(n, sharedCrowd)
}

// An access is what an instruction does to memory: the same for all its lanes.
type access struct {
	space space
	kind  accessKind
	does  string // "reads", for reports
	size  int    // bytes a lane
}

// resolve turns a generic address into an address of a window.
func resolve(sp space, addr uint64) (space, uint64) {
	if sp != spaceGeneric {
		return sp, addr
	}
	switch addr >> 40 {
	case sharedAt >> 40:
		return spaceShared, addr - sharedAt
	case localAt >> 40:
		return spaceLocal, addr - localAt
	case paramAt >> 40:
		return spaceParam, addr - paramAt
	}
	return spaceGlobal, addr
}

// bytes checks the access of one lane of w and returns the memory it touches. The
// caller must not use it beyond the instruction.
func (w *warp) bytes(ac *access, lane int, addr uint64) []byte {
	sp, addr := resolve(ac.space, addr)
	if ac.size > 16 && sp != spaceGlobal {
		w.fault(Bounds, lane, "%s %d bytes at the %s address %#x: so many at once are in global memory", ac.does, ac.size, sp, addr)
	}
	if addr&uint64(ac.size-1) != 0 {
		w.fault(Misaligned, lane, "%s %d bytes at the %s address %#x, which is no multiple of %d", ac.does, ac.size, sp, addr, ac.size)
	}
	switch sp {
	case spaceShared:
		return w.sharedBytes(ac, lane, addr)
	case spaceGlobal, spaceConst:
		return w.globalBytes(ac, lane, addr)
	case spaceLocal:
		return w.localBytes(ac, lane, addr)
	case spaceParam:
		return w.paramBytes(ac, lane, addr)
	}
	panic("no such space")
}

func (w *warp) sharedBytes(ac *access, lane int, addr uint64) []byte {
	s := &w.cta.shared
	off := addr - sharedBase
	if addr < sharedBase || off > uint64(len(s.data)) || uint64(ac.size) > uint64(len(s.data))-off {
		w.fault(Bounds, lane, "%s %d bytes at offset %d of shared memory, which has %d bytes", ac.does, ac.size, int64(off), len(s.data))
	}
	i := int(off)
	w.inside(lane, ac.does, i, ac.size)
	if w.cta.checks {
		w.trace(&s.shadow, ac, lane, i, s.data[i:i+ac.size], func() string { return fmt.Sprintf("offset %d of shared memory", i) })
		if ac.kind == plainRead || ac.kind == strongRead || ac.kind == atomicOp {
			if !s.written.all(i, ac.size) && ac.reads() {
				w.fault(UninitMemory, lane, "%s %d bytes at offset %d of shared memory: %s was never written", ac.does, ac.size, i, firstUnset(s.written, i, ac.size))
			}
		}
		if ac.writes() {
			s.written.set(i, ac.size)
		}
	}
	return s.data[i : i+ac.size]
}

// reads and writes say what an access does to the bytes. A strong store is an
// atomic operation that does not read.
func (ac *access) reads() bool {
	return ac.kind == plainRead || ac.kind == strongRead || ac.kind == constRead || ac.kind == atomicOp && ac.does == "updates"
}
func (ac *access) writes() bool { return ac.kind == plainWrite || ac.kind == atomicOp }

func firstUnset(b bitset, i, n int) string {
	for j := i; j < i+n; j++ {
		if !b.all(j, 1) {
			return fmt.Sprintf("byte %d", j)
		}
	}
	return ""
}

// globalBytes is bytes for global memory. It leaves the page locked until the
// instruction ends or another page is wanted.
func (w *warp) globalBytes(ac *access, lane int, addr uint64) []byte {
	b := w.buf
	if b == nil || addr-b.at > uint64(len(b.data)) || uint64(ac.size) > uint64(len(b.data))-(addr-b.at) {
		if b = w.findBuffer(addr, ac.size); b == nil {
			w.fault(Bounds, lane, "%s %d bytes at %#x, %s", ac.does, ac.size, addr, w.cta.launch.dev.heap.describe(addr, ac.size))
		}
		w.buf = b
	}
	if b.readOnly && ac.writes() {
		w.fault(Bounds, lane, "%s %d bytes of %v, which is constant", ac.does, ac.size, b)
	}
	i := int(addr - b.at)
	p := &b.pages[i/pageBytes]
	w.hold(p)
	if w.cta.checks {
		if !b.readOnly {
			if p.launch != w.cta.launch.serial {
				p.launch = w.cta.launch.serial
				w.shadowed(p)
				p.shadow.reset(min(pageBytes, len(b.data)-i/pageBytes*pageBytes), globalCrowd)
			}
			w.trace(&p.shadow, ac, lane, i%pageBytes, b.data[i:i+ac.size], func() string { return fmt.Sprintf("offset %d of %v", i, b) })
		}
		if ac.reads() && !b.written.all(i, ac.size) {
			w.fault(UninitMemory, lane, "%s %d bytes at offset %d of %v: %s was never written", ac.does, ac.size, i, b, firstUnset(b.written, i, ac.size))
		}
	}
	if ac.writes() {
		b.written.set(i, ac.size)
	}
	return b.data[i : i+ac.size]
}

// cellBytes is about the most that a page takes to remember four of its bytes.
const cellBytes = 150

// shadowed counts the memory that the shadow of a page takes when it gets one.
func (w *warp) shadowed(p *page) {
	if p.shadow.cells != nil {
		return
	}
	d := w.cta.launch.dev
	if n := d.heap.shadow.Add(pageBytes / 4 * cellBytes); n > 4*d.opt.MaxBytes {
		w.fault(Limit, 0, "what is remembered of accesses takes more than %d bytes: raise Options.MaxBytes, or set NoChecks", 4*d.opt.MaxBytes)
	}
}

// findBuffer returns the buffer that has n bytes at addr. Blocks remember the few
// that they use.
func (w *warp) findBuffer(addr uint64, n int) *buffer {
	c := w.cta
	for _, b := range c.bufs {
		if off := addr - b.at; off <= uint64(len(b.data)) && uint64(n) <= uint64(len(b.data))-off {
			return b
		}
	}
	b := c.launch.dev.heap.find(addr)
	if b == nil {
		return nil
	}
	if off := addr - b.at; off > uint64(len(b.data)) || uint64(n) > uint64(len(b.data))-off {
		return nil
	}
	if len(c.bufs) == cap(c.bufs) {
		c.bufs = c.bufs[:0]
	}
	c.bufs = append(c.bufs, b)
	return b
}

// hold locks p, and nothing else, until release.
func (w *warp) hold(p *page) {
	if w.held == p {
		return
	}
	w.release()
	p.mu.Lock()
	w.held = p
}

func (w *warp) release() {
	if w.held != nil {
		w.held.mu.Unlock()
		w.held = nil
	}
}

// trace records the access of a lane in the cells from byte i of s, and faults if
// it conflicts with an earlier one. there are the bytes before the access.
func (w *warp) trace(s *shadow, ac *access, lane, i int, there []byte, where func() string) {
	a := w.actor(lane, ac.kind)
	first, last := i/4, (i+ac.size-1)/4
	bytes := uint8(15)
	if ac.size < 4 {
		bytes = (1<<ac.size - 1) << (i & 3)
	}
	for j := first; j <= last; j++ {
		if x := s.touch(j, a, bytes); x != nil {
			if w.twin(ac, lane, x) {
				s.join(j, x, a.t.lanes)
				continue
			}
			if w.echo(ac, lane, x, there) {
				a.echo = true
				x = s.touchList(&s.cells[j], a, bytes)
				a.echo = false
				if x == nil {
					continue
				}
			}
			w.racing(lane, fmt.Sprintf("%s %d bytes at %s", ac.does, ac.size, where()), x)
		}
	}
}

// A storing is a plain store that is executed: what its lanes write, so that lanes can
// be compared.
type storing struct {
	slots []int
	mask  uint64 // of an element's bits
	done  uint32 // lanes that have stored
}

// twin reports whether x is the store of other lanes, by the same instruction, of the
// same value to the same address. That is no race: whichever comes last, memory has that
// value (CUDA programming guide, "Memory Fence Functions" and "SIMT Architecture").
func (w *warp) twin(ac *access, lane int, x *trace) bool {
	st := &w.stores
	if ac.kind != plainWrite || x.kind != plainWrite || x.lanes&^st.done != 0 || int(x.warp) != w.id ||
		int(x.cta) != w.cta.order || int(x.pc) != w.pc || x.clock != w.clock {
		return false
	}
	at := &w.cta.bank.addr
	for i := range lanesOf(x.lanes) {
		if at[i] != at[lane] {
			return false
		}
		for _, r := range st.slots {
			if (w.r[r][i]^w.r[r][lane])&st.mask != 0 {
				return false
			}
		}
	}
	return true
}

// echo reports whether x is the same store by another warp, and lane writes the bytes that
// are there already. Compilers let every warp store what all of them have computed. The
// order of such stores shows nowhere, so only a store of something else races with them.
func (w *warp) echo(ac *access, lane int, x *trace, there []byte) bool {
	if ac.kind != plainWrite || x.kind != plainWrite || int(x.pc) != w.pc || len(w.stores.slots) == 0 {
		return false
	}
	size := ac.size / len(w.stores.slots)
	for j, r := range w.stores.slots {
		if (w.r[r][lane]^little(there[j*size:(j+1)*size]))&w.stores.mask != 0 {
			return false
		}
	}
	return true
}

// actor returns lane of w as one who leaves traces of kind.
func (w *warp) actor(lane int, kind accessKind) *actor {
	a := &w.act
	a.vc, a.warp = w.vc[lane], uint16(w.id)
	a.t = trace{cta: uint32(w.cta.order), clock: w.clock, pc: uint32(w.pc), lanes: 1 << lane, warp: a.warp, kind: kind}
	if w.cta.prog.copies {
		a.agent, a.waited = uint16(w.agent()), w.waited[lane]
		if kind == asyncWrite || kind == asyncRead {
			a.t.warp, a.t.clock = a.agent, w.seq
		}
	}
	return a
}

func (w *warp) localBytes(ac *access, lane int, addr uint64) []byte {
	n := w.cta.prog.local
	if addr > uint64(n) || uint64(ac.size) > uint64(n)-addr {
		w.fault(Bounds, lane, "%s %d bytes at offset %d of local memory, which has %d bytes", ac.does, ac.size, addr, n)
	}
	if w.local == nil {
		w.local, w.localWritten = make([]byte, 32*n), newBitset(32*n)
	}
	i := lane*n + int(addr)
	if ac.reads() && !w.localWritten.all(i, ac.size) {
		w.fault(UninitMemory, lane, "%s %d bytes at offset %d of local memory that were never written", ac.does, ac.size, addr)
	}
	if ac.writes() {
		w.localWritten.set(i, ac.size)
	}
	return w.local[i : i+ac.size]
}

func (w *warp) paramBytes(ac *access, lane int, addr uint64) []byte {
	p := w.cta.launch.params
	off := addr - paramBase
	if addr < paramBase || off > uint64(len(p)) || uint64(ac.size) > uint64(len(p))-off {
		w.fault(Bounds, lane, "%s %d bytes at offset %d of the parameters, which have %d bytes", ac.does, ac.size, int64(off), len(p))
	}
	if ac.writes() {
		w.fault(Bounds, lane, "writes to the parameters of a kernel")
	}
	return p[off : off+uint64(ac.size)]
}

// little reads 1, 2, 4 or 8 bytes.
func little(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func putLittle(b []byte, v uint64) {
	switch len(b) {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}
