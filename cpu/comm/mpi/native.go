package mpi

import (
	"reflect"
	"runtime"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// The library's collectives, for comm.Native. If its counts are ints, messages that
// need more go in pieces, or from rank to rank.
var _ comm.Native = (*transport)(nil)

// collective calls a collective. If no call may wait in the library, it calls the
// variant that only begins, which has one argument more, and waits for that.
//
//go:uintptrescapes
func (t *transport) collective(f entry, args ...uintptr) error {
	if t.over() {
		return errClosed
	}
	begin, ok := begins[f]
	if !t.lib.asks || !ok {
		return t.lib.do(f, args...)
	}
	var pins runtime.Pinner
	request, done, s := new(uintptr), new(int32), new(status)
	pins.Pin(request)
	defer pins.Unpin()
	if err := t.lib.do(begin, append(args[:len(args):len(args)], uintptr(unsafe.Pointer(request)))...); err != nil {
		return err
	}
	if code := t.lib.try(done, mpiTest, uintptr(unsafe.Pointer(request)), uintptr(unsafe.Pointer(done)), uintptr(unsafe.Pointer(s))); code != 0 {
		return t.lib.fault(f, code)
	}
	return nil
}

// Barrier is MPI_Barrier.
func (t *transport) Barrier() error { return t.collective(mpiBarrier, t.handle) }

// Broadcast is MPI_Bcast.
func (t *transport) Broadcast(root int, b []byte) error {
	for more := true; more; more = len(b) > 0 {
		n := t.lib.most(len(b), 1)
		if err := t.collective(mpiBcast, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(n), t.lib.abi.bytes, number(int32(root)), t.handle); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// most is how many of n bytes, in elements of size bytes, one call may have.
func (l *library) most(n, size int) int {
	if int64(n/size) > l.limit {
		return int(l.limit) * size
	}
	return n
}

// AllGatherV is MPI_Allgatherv in place, or a broadcast of each rank's.
func (t *transport) AllGatherV(out []byte, counts []int, x []byte) error {
	copy(parts(out, counts)[t.rank], x)
	if int64(len(out)) > t.lib.limit {
		for r, b := range parts(out, counts) {
			if err := t.Broadcast(r, b); err != nil {
				return err
			}
		}
		return nil
	}
	n := t.lib.lists(counts, 1)
	return t.collective(mpiAllgatherv, t.lib.abi.inPlace, 0, t.lib.abi.bytes,
		uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(n.counts), uintptr(n.begins), t.lib.abi.bytes, t.handle)
}

// AllToAllV is MPI_Alltoallv, or a message for each pair. No rank knows what others send
// to each other, so where counts are ints they ask first.
func (t *transport) AllToAllV(out []byte, recv []int, x []byte, send []int) error {
	if !t.lib.wide {
		most := []int64{int64(max(len(out), len(x)))}
		if err := t.AllReduce(bytesOf(most), reflect.Int64, "max"); err != nil {
			return err
		}
		if most[0] > t.lib.limit {
			return t.pairs(parts(out, recv), parts(x, send))
		}
	}
	from, to := t.lib.lists(recv, 1), t.lib.lists(send, 1)
	return t.collective(mpiAlltoallv, uintptr(unsafe.Pointer(unsafe.SliceData(x))), uintptr(to.counts), uintptr(to.begins), t.lib.abi.bytes,
		uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(from.counts), uintptr(from.begins), t.lib.abi.bytes, t.handle)
}

// pairs sends x[r] to each rank r, and receives out[r].
func (t *transport) pairs(out, x [][]byte) error {
	copy(out[t.rank], x[t.rank])
	var requests []comm.Request
	for r := range t.size {
		if r == t.rank {
			continue
		}
		from, err := t.Irecv(r, comm.MaxTag, out[r])
		if err != nil {
			return err
		}
		to, err := t.Isend(r, comm.MaxTag, x[r])
		if err != nil {
			return err
		}
		requests = append(requests, from, to)
	}
	for _, r := range requests {
		if _, err := t.wait(r); err != nil {
			return err
		}
	}
	return nil
}

// Reduces reports whether MPI has an operation for a kind of number. It has all of them,
// but a sum that is too large for its bits may be anything, and here it is as in Go.
func (t *transport) Reduces(kind reflect.Kind, op string) bool {
	if t.lib.abi.saturates && op == "sum" && kind != reflect.Float32 && sizeOf(kind) < 4 {
		return false
	}
	return t.lib.abi.kinds[kind] != 0 && t.lib.abi.ops[op] != 0
}

// sizeOf is the bytes of a number.
func sizeOf(kind reflect.Kind) int {
	switch kind {
	case reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}

// AllReduce is MPI_Allreduce in place.
func (t *transport) AllReduce(x []byte, kind reflect.Kind, op string) error {
	abi, size := t.lib.abi, sizeOf(kind)
	for more := true; more; more = len(x) > 0 {
		n := t.lib.most(len(x), size)
		if err := t.collective(mpiAllreduce, abi.inPlace, uintptr(unsafe.Pointer(unsafe.SliceData(x))), uintptr(n/size), abi.kinds[kind], abi.ops[op], t.handle); err != nil {
			return err
		}
		x = x[n:]
	}
	return nil
}

// ReduceScatter is MPI_Reduce_scatter, or MPI_Reduce for each rank. out may be the share
// of x, which MPI forbids.
func (t *transport) ReduceScatter(out, x []byte, counts []int, kind reflect.Kind, op string) error {
	if unsafe.SliceData(out) == unsafe.SliceData(parts(x, counts)[t.rank]) {
		apart := make([]byte, len(out))
		defer func() { copy(out, apart) }()
		return t.reduceScatter(apart, x, counts, kind, op)
	}
	return t.reduceScatter(out, x, counts, kind, op)
}

func (t *transport) reduceScatter(out, x []byte, counts []int, kind reflect.Kind, op string) error {
	abi, size := t.lib.abi, sizeOf(kind)
	if int64(len(x)/size) <= t.lib.limit {
		n := t.lib.lists(counts, size)
		return t.collective(mpiReduceScatter, uintptr(unsafe.Pointer(unsafe.SliceData(x))), uintptr(unsafe.Pointer(unsafe.SliceData(out))),
			uintptr(n.counts), abi.kinds[kind], abi.ops[op], t.handle)
	}
	for r, b := range parts(x, counts) {
		for len(b) > 0 {
			n := t.lib.most(len(b), size)
			if err := t.collective(mpiReduce, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(n/size),
				abi.kinds[kind], abi.ops[op], number(int32(r)), t.handle); err != nil {
				return err
			}
			b = b[n:]
			if r == t.rank {
				out = out[n:]
			}
		}
	}
	return nil
}

// parts cuts b into pieces of counts[r] bytes.
func parts(b []byte, counts []int) [][]byte {
	p := make([][]byte, len(counts))
	for r, n := range counts {
		p[r], b = b[:n], b[n:]
	}
	return p
}

// lists are counts of elements, and where each begins, as the library wants them.
type lists struct{ counts, begins unsafe.Pointer }

// lists makes them of counts in bytes.
func (l *library) lists(counts []int, size int) lists {
	if l.wide {
		return listsOf[int64](counts, size)
	}
	return listsOf[int32](counts, size)
}

func listsOf[N int32 | int64](counts []int, size int) lists {
	list, at := make([]N, 2*len(counts)), 0
	for r, n := range counts {
		list[r], list[len(counts)+r] = N(n/size), N(at/size)
		at += n
	}
	return lists{unsafe.Pointer(&list[0]), unsafe.Pointer(&list[len(counts)])}
}
