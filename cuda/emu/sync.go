package emu

// What strong operations and fences let threads know of each other (ISA chapter 8,
// "Memory Consistency Model", as far as release and acquire patterns go).

// A location is a place in memory through which threads synchronise: what a thread
// knows that reads it.
type location struct {
	wide  *vclock // published for all
	near  *vclock // published for the block block
	block int
}

// fences is what the fences of a warp's lanes make of relaxed operations.
type fences struct {
	out     [32]*vclock // what the last fence published, for stores after it
	outWide [32]bool
	in      [32]*vclock // what relaxed loads saw, for the next fence
}

// knowledge is what a lane knows, itself included, as others may hold it.
func (w *warp) knowledge(lane int) *vclock {
	v := w.vc[lane].clone()
	w.did(v, lane)
	v.seal()
	return v
}

// location returns the one of an address, made if it is not there and is wanted.
// The page of a global address is locked.
func (w *warp) location(sp space, addr uint64, wanted bool) *location {
	sp, addr = resolve(sp, addr)
	var m *map[uint64]*location
	switch sp {
	case spaceShared:
		m = &w.cta.strong
	case spaceGlobal:
		p := w.held
		if p.strongOf != w.cta.launch.serial {
			p.strong, p.strongOf = nil, w.cta.launch.serial
		}
		m = &p.strong
	default:
		return nil
	}
	l := (*m)[addr]
	if l == nil && wanted {
		if *m == nil {
			*m = map[uint64]*location{}
		}
		l = &location{}
		(*m)[addr] = l
	}
	return l
}

// publish is what a strong store or atomic operation by a lane lets readers of the
// address know. keep says that it read the location too, so that what was known
// through it stays known.
func (w *warp) publish(lane int, sp space, addr uint64, st strength, keep bool) {
	var v *vclock
	wide := st.wide()
	switch st.sem {
	case ".release", ".acq_rel":
		v = w.knowledge(lane)
	default:
		if w.fences != nil {
			if v = w.fences.out[lane]; v != nil {
				wide = wide && w.fences.outWide[lane]
			}
		}
	}
	l := w.location(sp, addr, v != nil)
	if l == nil {
		return
	}
	if !keep {
		*l = location{}
	}
	if v == nil {
		return
	}
	if wide {
		l.wide = joined(l.wide, v)
		return
	}
	if l.block != w.cta.order {
		l.near, l.block = nil, w.cta.order
	}
	l.near = joined(l.near, v)
}

func joined(a, b *vclock) *vclock {
	if a == nil {
		return b
	}
	if a.covers(b) {
		return a
	}
	s := a.clone()
	s.merge(b)
	s.seal()
	return s
}

// acquire is what a strong load or atomic operation by a lane learns.
func (w *warp) acquire(lane int, sp space, addr uint64, st strength) {
	l := w.location(sp, addr, false)
	if l == nil {
		return
	}
	var v *vclock
	if l.wide != nil && (st.wide() || l.wide.own == uint32(w.cta.order)) {
		v = l.wide
	}
	if l.near != nil && l.block == w.cta.order {
		if v == nil {
			v = l.near
		} else {
			v = joined(v, l.near)
		}
	}
	if v == nil {
		return
	}
	if st.sem == ".acquire" || st.sem == ".acq_rel" {
		w.learn(lane, v)
		return
	}
	if w.fences == nil {
		w.fences = &fences{}
	}
	// For a fence to come. It is joined as this block sees it.
	base := w.fences.in[lane]
	if base == nil {
		base = w.cta.launch.newVclock(w.cta.order)
	}
	w.fences.in[lane] = joined(base, v)
}

// learn makes a lane know v.
func (w *warp) learn(lane int, v *vclock) { w.vc[lane] = joined(w.vc[lane], v) }

// fence is a fence by lanes of w: of acquire, of release or of both.
func (w *warp) fence(m uint32, acquire, release, wide bool) {
	if w.fences == nil {
		w.fences = &fences{}
	}
	f := w.fences
	for i := range lanesOf(m) {
		if v := f.in[i]; v != nil && acquire {
			if !wide { // what other blocks published takes a wider fence
				v = v.clone()
				v.far = nil
			} else {
				f.in[i] = nil
			}
			w.learn(i, v)
		}
		if release {
			f.out[i], f.outWide[i] = w.knowledge(i), wide
		}
	}
	w.clock++
}
