package comm_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/comm/internal/suite"
	"github.com/tilesmith/tilesmith/internal/level"
)

// library is a transport with collectives of its own, which are those of another group
// beside it.
type library struct {
	comm.Transport
	c *comm.Comm
}

func newLibrary(t comm.Transport) (*library, error) {
	beside, err := t.Split(0, t.Rank())
	if err != nil {
		return nil, err
	}
	return &library{t, comm.New(beside)}, nil
}

func (l *library) Split(color, key int) (comm.Transport, error) {
	t, err := l.Transport.Split(color, key)
	if t == nil || err != nil {
		return nil, err
	}
	return newLibrary(t)
}

func (l *library) Barrier() error                     { return l.c.Barrier() }
func (l *library) Broadcast(root int, b []byte) error { return comm.Broadcast(l.c, root, b) }
func (l *library) AllGatherV(out []byte, counts []int, x []byte) error {
	return comm.AllGatherV(l.c, out, counts, x)
}
func (l *library) AllToAllV(out []byte, recv []int, x []byte, send []int) error {
	return comm.AllToAllV(l.c, out, recv, x, send)
}

func (l *library) Reduces(kind reflect.Kind, op string) bool {
	return (kind == reflect.Float64 || kind == reflect.Int8) && op != "product"
}

func (l *library) AllReduce(x []byte, kind reflect.Kind, op string) error {
	if kind == reflect.Int8 {
		return comm.AllReduce(l.c, as[int8](x), opOf[int8](op))
	}
	return comm.AllReduce(l.c, as[float64](x), opOf[float64](op))
}

func (l *library) ReduceScatter(out, x []byte, counts []int, kind reflect.Kind, op string) error {
	if kind == reflect.Int8 {
		return comm.ReduceScatter(l.c, as[int8](out), as[int8](x), counts, opOf[int8](op))
	}
	parts := make([]int, len(counts))
	for r, n := range counts {
		parts[r] = n / 8
	}
	return comm.ReduceScatter(l.c, as[float64](out), as[float64](x), parts, opOf[float64](op))
}

func as[T comm.Number](b []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(x)))
}

func opOf[T comm.Number](name string) comm.Op[T] {
	return map[string]comm.Op[T]{"sum": comm.Sum[T](), "max": comm.Max[T](), "min": comm.Min[T]()}[name]
}

// TestNative: a transport's own collectives are used where they are wanted and known, and
// counted as calls.
func TestNative(t *testing.T) {
	for _, p := range level.Of([]int{2}, []int{1, 4}, []int{1, 4, 7}) {
		err := comm.Run(p, func(c *comm.Comm) error {
			if err := c.Native(true); err == nil || !strings.Contains(err.Error(), "has no collectives of its own") {
				return fmt.Errorf("Native of goroutine ranks: error %v", err)
			}
			l, err := newLibrary(comm.TransportOf(c))
			if err != nil {
				return err
			}
			c = comm.New(l)
			if err := suite.Run(c, suite.Options{Seed: 3, Native: true}); err != nil {
				return err
			}
			if err := c.Native(true); err != nil {
				return err
			}
			x := []float64{2}
			for _, step := range []struct {
				what  string
				call  func() error
				calls int64
			}{
				{"sum", func() error { return comm.AllReduce(c, x, comm.Sum[float64]()) }, 1},
				{"a product, which the library does not know", func() error { return comm.AllReduce(c, x, comm.Product[float64]()) }, 0},
				{"an Op that calls itself sum", func() error {
					return comm.AllReduce(c, x, comm.Op[float64]{Name: "sum", Apply: comm.Sum[float64]().Apply})
				}, 0},
				{"Barrier", c.Barrier, 1},
			} {
				was := c.Total()
				if err := step.call(); err != nil {
					return err
				}
				now := c.Total()
				if now.Calls-was.Calls != step.calls || step.calls == 1 && now.Sent != was.Sent || step.calls == 0 && p > 1 && now.Sent == was.Sent {
					return fmt.Errorf("%s: counted %+v after %+v", step.what, now, was)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
