package inst

import (
	"encoding/binary"
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

var barrierAt = emit.Pointer(emit.Shared, 8)

// MbarrierInit makes 8 bytes of shared memory a barrier in phase 0. Section
// 9.7.13.15.
var MbarrierInit = emit.Declare(emit.Instruction{
	Name: "mbarrier.init.shared::cta.b64",
	Doc:  "makes a barrier whose phases complete after operand 1 arrivals and all announced bytes",
	In:   []emit.Type{barrierAt, emit.Int32},
	Mem:  emit.Writes,
	Run: func(_ *emit.Machine, _ int64, in, _ [][]emit.Word) error {
		n := int(in[0][1].Lane[0])
		if n < 1 || n > limit {
			return fmt.Errorf("the count is %d, not 1 to %d", n, limit)
		}
		return mbarrier{count: n, pending: n}.store(in[0][0])
	},
	Text:  map[string]string{"ptx": "mbarrier.init.shared::cta.b64 [{0}], {1};"},
	Needs: "sm_90a",
})

// MbarrierArrive is one arrival, with release semantics. Section 9.7.13.15.
var MbarrierArrive = emit.Declare(emit.Instruction{
	Name: "mbarrier.arrive.shared::cta.b64",
	Doc:  "counts one arrival",
	In:   []emit.Type{barrierAt},
	Mem:  emit.Writes,
	Run: func(_ *emit.Machine, _ int64, in, _ [][]emit.Word) error {
		return update(in[0][0], 1, 0)
	},
	Text:  map[string]string{"ptx": "mbarrier.arrive.shared::cta.b64 _, [{0}];"},
	Needs: "sm_90a",
})

// MbarrierExpectTx announces bytes and then arrives. Section 9.7.13.15.
var MbarrierExpectTx = emit.Declare(emit.Instruction{
	Name: "mbarrier.arrive.expect_tx.shared::cta.b64",
	Doc:  "announces operand 1 bytes of bulk copies for this phase, then counts one arrival",
	In:   []emit.Type{barrierAt, emit.Int32},
	Mem:  emit.Writes,
	Run: func(_ *emit.Machine, _ int64, in, _ [][]emit.Word) error {
		return update(in[0][0], 1, int(in[0][1].Lane[0]))
	},
	Text:  map[string]string{"ptx": "mbarrier.arrive.expect_tx.shared::cta.b64 _, [{0}], {1};"},
	Needs: "sm_90a",
})

// MbarrierTryWait is true once the phase of the given parity has completed: in
// phase 0, a wait for parity 1 falls through. It may give up and return false, so it
// belongs in a loop. The interpreter makes the first poll of an incomplete phase false,
// to catch kernels that have no loop, and then waits. Section 9.7.13.15.
var MbarrierTryWait = emit.Declare(emit.Instruction{
	Name: "mbarrier.try_wait.parity.shared::cta.b64",
	Doc:  "waits a while for the phase with the parity of operand 1 to complete; the result says whether it has",
	In:   []emit.Type{barrierAt, emit.Int32},
	Out:  []emit.Type{emit.Bool},
	Tied: []int{-1},
	Mem:  emit.Writes,
	Run: func(m *emit.Machine, _ int64, in, out [][]emit.Word) error {
		at, parity := in[0][0], in[0][1].Lane[0]
		if parity > 1 {
			return fmt.Errorf("the parity is %d, not 0 or 1", parity)
		}
		type key struct {
			thread int
			at     address
		}
		thread, _ := m.Group()
		polled := m.State(key{thread, addressOf(at)}, func() any { return new(bool) }).(*bool)
		block := *polled || m.Soon()
		b, err := loadBarrier(at)
		if err == nil && b.phase == parity && b.pending == 0 && block {
			b, err = land(m, at) // nothing but bulk copies is missing
		}
		switch {
		case err != nil:
			return err
		case b.phase != parity:
			out[0][0].Lane[0], *polled = 1, false
		case block:
			return emit.ErrRetry
		default:
			*polled = true
		}
		return nil
	},
	Text:  map[string]string{"ptx": "mbarrier.try_wait.parity.shared::cta.b64 {0}, [{1}], {2};"},
	Needs: "sm_90a",
})

// CpAsyncBulk copies a run of bytes by the copy engine, which then counts them
// off at a barrier. Section 9.7.9.25.
var CpAsyncBulk = emit.Declare(emit.Instruction{
	Name: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
	Doc:  "copies operand 2 bytes, a multiple of 16, from global to shared memory and counts them at the barrier, operand 3",
	In:   []emit.Type{toShared, fromGlobal, emit.Int32, barrierAt},
	Mem:  emit.Writes,
	Run: func(m *emit.Machine, _ int64, in, _ [][]emit.Word) error {
		x := transfer{addressOf(in[0][0]), addressOf(in[0][1]), int(in[0][2].Lane[0]), 0}
		if x.size%16 != 0 {
			return fmt.Errorf("%d bytes are not a multiple of 16", x.size)
		}
		if err := x.check(); err != nil {
			return err
		}
		q := bulkOf(m, in[0][3])
		*q = append(*q, x)
		if m.Soon() {
			_, err := land(m, in[0][3])
			return err
		}
		return nil
	},
	Text:  map[string]string{"ptx": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{0}], [{1}], {2}, [{3}];"},
	Needs: "sm_90a",
})

// bulkOf returns the bulk copies in flight that report to the barrier.
func bulkOf(m *emit.Machine, at emit.Word) *[]transfer {
	type key struct{ address }
	return m.State(key{addressOf(at)}, func() any { return new([]transfer) }).(*[]transfer)
}

// land completes the bulk copies that report to a barrier and returns it.
func land(m *emit.Machine, at emit.Word) (mbarrier, error) {
	q := bulkOf(m, at)
	for len(*q) > 0 {
		x := (*q)[0]
		*q = (*q)[1:]
		if err := x.do(); err != nil {
			return mbarrier{}, err
		}
		if err := update(at, 0, -x.size); err != nil {
			return mbarrier{}, err
		}
	}
	return loadBarrier(at)
}

// limit is the largest count and the largest number of bytes. Section 9.7.13.15.
const limit = 1<<20 - 1

// mbarrier is the barrier object. It lives in its 8 bytes of shared memory, in a
// form of ours (PTX leaves it open), with a bit that zeroed memory lacks.
type mbarrier struct {
	phase          uint64 // parity of the phase that is not complete
	count, pending int    // arrivals a phase needs, and still lacks
	tx             int    // bytes announced and not arrived; negative if early
}

func loadBarrier(at emit.Word) (mbarrier, error) {
	p, err := at.Mem.Read(at.Offset(), 8)
	if err != nil {
		return mbarrier{}, err
	}
	w := binary.LittleEndian.Uint64(p)
	if w>>63 == 0 {
		return mbarrier{}, fmt.Errorf("offset %d of %s is not a barrier: mbarrier.init has not run", at.Offset(), at.Mem.Name)
	}
	return mbarrier{w >> 62 & 1, int(w & limit), int(w >> 20 & limit), int(int64(w<<2) >> 42)}, nil
}

func (b mbarrier) store(at emit.Word) error {
	w := 1<<63 | b.phase<<62 | uint64(b.tx)&(1<<22-1)<<40 | uint64(b.pending)<<20 | uint64(b.count)
	return at.Mem.Write(at.Offset(), binary.LittleEndian.AppendUint64(nil, w))
}

// update counts arrivals and bytes; the phase completes when none of either is
// missing.
func update(at emit.Word, arrivals, tx int) error {
	b, err := loadBarrier(at)
	if err != nil {
		return err
	}
	b.tx += tx
	if b.pending -= arrivals; b.pending < 0 {
		return fmt.Errorf("the barrier at offset %d of %s counts %d arrivals a phase, and one more comes", at.Offset(), at.Mem.Name, b.count)
	}
	if b.tx > limit || b.tx < -limit {
		return fmt.Errorf("the barrier at offset %d of %s counts at most %d bytes", at.Offset(), at.Mem.Name, limit)
	}
	if b.pending == 0 && b.tx == 0 {
		b.phase, b.pending = b.phase^1, b.count
	}
	return b.store(at)
}
