package mpi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// A ledger counts the messages of a process in all its groups, so that those which nobody
// receives are found when the job ends. To MPI they are an error that it does not look for.
type ledger struct {
	sent     []atomic.Int64 // to each rank of the world
	received atomic.Int64

	mu   sync.Mutex
	open []*transport // groups that are not closed
}

func (l *ledger) add(t *transport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, t)
}

func (l *ledger) drop(t *transport) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(x *transport) bool { return x == t })
}

// global is the number in the world of a rank of this group.
func (t *transport) global(rank int) int {
	if t.members == nil {
		return rank
	}
	return int(t.members[rank])
}

// unreceived tells each rank how many messages were sent to it, of them notices of return,
// see last.go. It receives those, and is an error on ranks that did not receive all others.
func (t *transport) unreceived(announced bool) error {
	l := &t.lib.ledger
	x, counts := make([][2]int64, t.size), make([]int, t.size)
	for r := range x {
		if x[r][0] = l.sent[r].Load(); announced && r != t.rank {
			x[r][1] = 1
		}
		counts[r] = int(unsafe.Sizeof(x[r]))
	}
	mine := make([]int64, 2)
	if err := t.ReduceScatter(bytesOf(mine), bytesOf(x), counts, reflect.Int64, "sum"); err != nil {
		return err
	}
	for ; t.notices < int(mine[1]); t.notices++ {
		if _, err := t.Recv(comm.AnySource, returnedTag, nil); err != nil {
			return err
		}
		l.received.Add(-1)
	}
	n := mine[0] - l.received.Load()
	if n <= 0 {
		return nil
	}
	list := []string{fmt.Sprintf("%d messages, of groups that are closed", n)}
	if s, who, ok := t.next(); ok {
		list[0] = fmt.Sprintf("%d bytes of rank %d (%s)", s.Bytes, who, strings.TrimPrefix(withTag(s.Tag), "with "))
		if n > 1 {
			list = append(list, fmt.Sprintf("%d more", n-1))
		}
	}
	return fmt.Errorf("messages are left when all ranks have returned: rank %d did not receive %s", t.rank, strings.Join(list, " and "))
}

// next returns a message that waits in a group that is open, and which rank of the world
// has sent it. They were all sent some time ago, so it does not wait for them.
func (t *transport) next() (s comm.Status, who int, ok bool) {
	l := &t.lib.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	for range 100 { // the library may find only what it has looked for before
		for _, g := range l.open {
			if s, ok, err := g.look(g.lib.abi.anyTag); ok && err == nil {
				return s, g.global(s.Source), true
			}
		}
		rest()
	}
	return s, 0, false
}

// look is MPI_Iprobe for a message of anybody.
func (t *transport) look(tag int32) (comm.Status, bool, error) {
	s := statuses.Get().(*status)
	defer statuses.Put(s)
	found := new(int32)
	if err := t.lib.do(mpiIprobe, number(t.lib.abi.anySource), number(tag), t.handle, uintptr(unsafe.Pointer(found)), uintptr(unsafe.Pointer(s))); err != nil || *found == 0 {
		return comm.Status{}, false, err
	}
	is, err := t.received(s)
	return is, true, err
}
