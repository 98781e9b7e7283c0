package mpi

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// returnedTag is that of empty messages by which ranks that wait in the last barrier know
// each other. They are sent only once it takes long.
const returnedTag = comm.MaxTag - 1

// patience is how long a rank waits for the others to return until it says so.
const patience = 5 * time.Second

// napAfter is how long a rank asks again and again in the last barrier; later it naps
// between, and looks for notices.
const napAfter, napLength = 50 * time.Millisecond, time.Millisecond

// last waits until all ranks have returned. If that takes long, the first of the ranks
// that have returned says on standard error which have not. A rank that waits for a
// message of one that has returned waits for ever. It reports whether this rank sent
// notices.
func (t *transport) last() (announced bool, err error) {
	if t.size == 1 {
		return false, nil
	}
	var pins runtime.Pinner
	request, done, s := new(uintptr), new(int32), new(status)
	pins.Pin(request)
	defer pins.Unpin()
	if err := t.lib.do(mpiIbarrier, t.handle, uintptr(unsafe.Pointer(request))); err != nil {
		return false, err
	}
	began := time.Now()
	told := false
	returned := make([]bool, t.size)
	returned[t.rank] = true
	var notices []comm.Request
	for {
		if err := t.lib.do(mpiTest, uintptr(unsafe.Pointer(request)), uintptr(unsafe.Pointer(done)), uintptr(unsafe.Pointer(s))); err != nil {
			return announced, err
		}
		waited := time.Since(began)
		switch {
		case *done != 0:
			for _, r := range notices {
				if _, err := t.wait(r); err != nil {
					return announced, err
				}
			}
			return announced, nil
		case waited < napAfter:
			rest()
			continue
		}
		heard, err := t.hearNotices(returned)
		if err != nil {
			return announced, err
		}
		if !announced && (heard || waited > t.lib.patience) {
			announced = true
			if notices, err = t.announce(); err != nil {
				return announced, err
			}
		}
		if !told && waited > t.lib.patience+t.lib.patience/4 {
			told = true
			if text := missing(returned, t.rank, t.lib.patience); text != "" {
				fmt.Fprintln(os.Stderr, text)
			}
		}
		time.Sleep(napLength)
	}
}

// announce sends a notice to every other rank.
func (t *transport) announce() (requests []comm.Request, err error) {
	for r := range t.size {
		if r == t.rank {
			continue
		}
		q, err := t.Isend(r, returnedTag, nil)
		if err != nil {
			return nil, err
		}
		t.lib.ledger.sent[r].Add(-1) // it is none of the user's
		requests = append(requests, q)
	}
	return requests, nil
}

// hearNotices receives those that are there.
func (t *transport) hearNotices(returned []bool) (heard bool, err error) {
	for {
		s, ok, err := t.look(returnedTag)
		if err != nil || !ok {
			return heard, err
		}
		if err := t.notice(s.Source); err != nil {
			return heard, err
		}
		returned[s.Source] = true
		heard = true
	}
}

// notice receives one.
func (t *transport) notice(src int) error {
	_, err := t.Recv(src, returnedTag, nil)
	t.lib.ledger.received.Add(-1)
	t.notices++
	return err
}

// missing is what the first rank that has returned says of those that have not.
func missing(returned []bool, rank int, waited time.Duration) string {
	var list []string
	for r, ok := range returned {
		switch {
		case ok && r < rank:
			return "" // it says so
		case !ok:
			list = append(list, strconv.Itoa(r))
		}
	}
	if list == nil {
		return ""
	}
	who, have := "rank "+list[0], "has"
	if n := len(list); n > 1 {
		const most = 20
		if n > most {
			list = append(list[:most], fmt.Sprintf("%d more", n-most))
		}
		who, have = "ranks "+strings.Join(list, ", "), "have"
	}
	return fmt.Sprintf("mpi: rank %d returned %v ago, and %s %s not. Whoever computes will; whoever waits for a message of a rank that has returned waits for ever: "+
		"run the program without mpirun, on goroutine ranks, which say who waits for whom", rank, waited, who, have)
}
