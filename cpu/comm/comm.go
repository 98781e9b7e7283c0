package comm

import (
	"fmt"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Fixed are the types of a message's elements: numbers of one size on every machine.
type Fixed interface {
	Number | ~complex64 | ~complex128 | dtype.BF16 | dtype.F16
}

// Number are the types that reductions add and compare.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// A Comm is a group of ranks as one of them sees it.
type Comm struct {
	t Transport
}

// New returns the group of a transport.
func New(t Transport) *Comm { return &Comm{t: t} }

// Rank returns the number of this rank, Size how many there are.
func (c *Comm) Rank() int { return c.t.Rank() }

// Size returns the number of ranks.
func (c *Comm) Size() int { return c.t.Size() }

// bytesOf returns the memory of x.
func bytesOf[T Fixed](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0])))
}

// Send sends x to rank dst and returns when x may be changed.
func Send[T Fixed](c *Comm, dst, tag int, x []T) error { return c.t.Send(dst, tag, bytesOf(x)) }

// Recv receives into x a message of rank src, or AnySource. It may be shorter than x.
func Recv[T Fixed](c *Comm, src, tag int, x []T) (Status, error) {
	return c.t.Recv(src, tag, bytesOf(x))
}

// Isend begins to send x, which must not change until the request is done.
func Isend[T Fixed](c *Comm, dst, tag int, x []T) (Request, error) {
	return c.t.Isend(dst, tag, bytesOf(x))
}

// Irecv begins to receive into x, which must not be used until the request is done.
func Irecv[T Fixed](c *Comm, src, tag int, x []T) (Request, error) {
	return c.t.Irecv(src, tag, bytesOf(x))
}

// Some appends to done the indices of those requests that are done now and were not at
// the last call; with wait, it waits for at least one.
func (c *Comm) Some(requests []Request, wait bool, done []int) ([]int, error) {
	return c.t.Some(requests, wait, done)
}

// Wait waits for all requests.
func (c *Comm) Wait(requests ...Request) error {
	for left := len(requests); left > 0; {
		done, err := c.t.Some(requests, true, nil)
		if err != nil || len(done) == 0 {
			return err
		}
		left -= len(done)
	}
	for i, r := range requests {
		if r == nil {
			continue
		}
		if _, err := r.Status(); err != nil {
			return fmt.Errorf("rank %d, request %d: %w", c.Rank(), i, err)
		}
	}
	return nil
}
