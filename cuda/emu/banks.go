package emu

// Counting what memory accesses cost (CUDA programming guide, "Shared Memory" and
// "Device Memory Accesses").

// A bankScratch is what counting an access needs.
type bankScratch struct {
	addr  [32]uint64
	size  int
	lanes uint32
	words [32]uint32 // of a bank: the word that it serves first
	more  []uint32   // other words, where banks conflict
}

// countShared adds the turns that the banks take for w's access in c.bank. An
// access of 8 bytes a lane is done by half warps, one of 16 by quarters.
func (c *cta) countShared(pc int) {
	b := &c.bank
	per := 32
	if b.size > 4 {
		per = 128 / b.size
	}
	n := &c.counts[pc]
	for first := 0; first < 32; first += per {
		m := b.lanes >> first
		if per < 32 {
			m &= 1<<per - 1
		}
		if m == 0 {
			continue
		}
		n.SharedIdeal++
		n.SharedWavefronts += int64(b.turns(first, m))
	}
}

// turns returns how many turns the lanes of m, from lane first, take: the greatest
// number of different words of one bank.
func (b *bankScratch) turns(first int, m uint32) int {
	used := uint32(0)
	b.more = b.more[:0]
	for ; m != 0; m &= m - 1 {
		addr := b.addr[first+trailing(m)]
		for word := uint32(addr >> 2); word <= uint32((addr+uint64(b.size)-1)>>2); word++ {
			bank := word & 31
			switch {
			case used>>bank&1 == 0:
				used |= 1 << bank
				b.words[bank] = word
			case b.words[bank] != word:
				b.more = append(b.more, word)
			}
		}
	}
	if len(b.more) == 0 {
		return 1
	}
	turns := 1
	var per [32]int
	for i, word := range b.more {
		fresh := true
		for _, o := range b.more[:i] {
			fresh = fresh && o != word
		}
		if fresh {
			per[word&31]++
			turns = max(turns, 1+per[word&31])
		}
	}
	return turns
}

// countGlobal adds the sectors that w's access in c.bank asks for.
func (c *cta) countGlobal(pc int) {
	b := &c.bank
	var sector [64]uint64
	var mask [64]uint32
	k := 0
	for m := b.lanes; m != 0; m &= m - 1 {
		addr := b.addr[trailing(m)]
		s, bytes := addr>>5, uint32(1<<b.size-1)<<(addr&31)
		i := k - 1
		for i >= 0 && sector[i] != s {
			i--
		}
		if i < 0 {
			i = k
			k++
			sector[i], mask[i] = s, 0
		}
		mask[i] |= bytes
	}
	bytes := 0
	for _, x := range mask[:k] {
		bytes += popcount(x)
	}
	c.counts[pc].GlobalSectors += int64(k)
	c.counts[pc].GlobalIdeal += int64((bytes + 31) / 32)
}

// count counts the access in c.bank, which was in space sp.
func (c *cta) count(pc int, sp space) {
	sp, _ = resolve(sp, c.bank.addr[trailing(c.bank.lanes)&31])
	switch sp {
	case spaceShared:
		c.countShared(pc)
	case spaceGlobal:
		c.countGlobal(pc)
	}
}
