package part

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/internal/level"
)

// What is kept of senders is what is measured, whatever was moved.
func TestSenderCounts(t *testing.T) {
	r := rand.New(level.PCG(19, 20))
	for run := range level.Of(20, 60, 60) {
		n, k := 10+r.IntN(30), 2+r.IntN(4)
		h := draw(t, r, n, n, 6, 5)
		if run%2 == 0 {
			var is, js []int32
			for range 3 * n {
				is, js = append(is, r.Int32N(int32(n))), append(js, r.Int32N(int32(n)))
			}
			h = must[*Hypergraph](t)(ColumnNet(pattern(t, n, n, is, js), Model{}))
		}
		part := must[Partition](t)(Random(h, k, uint64(run))).Parts()
		owner := slices.Clone(part)
		if !h.conformal {
			owner = freeOwners(h, Partition{k, part})
		}
		x := newSender(newState(h, part, slices.Repeat([]int64{h.total}, k)), owner)
		before := slices.Max(x.sent)
		for range 3 {
			x.want = before / 2
			x.pass(x.s.limit, r)
			fresh := newSender(newState(h, slices.Clone(x.s.part), x.s.limit), slices.Clone(x.owner))
			if diff := cmp.Diff([]any{fresh.sent, fresh.size}, []any{x.sent, x.size}); diff != "" {
				t.Fatalf("-fresh +moved:\n%s", diff)
			}
			if h.conformal {
				if diff := cmp.Diff(Measure(h, Partition{k, x.s.part}).Sent, x.sent); diff != "" {
					t.Fatalf("-measured +moved:\n%s", diff)
				}
			}
			for j, q := range x.owner {
				if len(h.Net(j)) > 0 && x.s.pinsIn(int32(j))[q] == 0 {
					t.Fatalf("net %d is owned by part %d, which has no pin of it", j, q)
				}
			}
		}
	}
}

// The largest sender sends less, at a price.
func TestMaxSend(t *testing.T) {
	if level.Of(true, false, false) {
		t.Skip("divides a graph of 4096 rows four times")
	}
	for _, o := range []Ownership{Conformal, Free} {
		h := must[*Hypergraph](t)(ColumnNet(rmat(t), Model{Ownership: o, Weighing: Rows}))
		for _, k := range []int{4, 8}[:level.Of(1, 1, 2-int(o))] { // 8 parts of the square one only, for time

			km1 := Measure(h, must[Partition](t)(Make(h, k, Options{Seed: 1})))
			p := must[Partition](t)(Make(h, k, Options{Seed: 1, Objective: MaxSend}))
			s := Measure(h, p)
			t.Logf("%v, k = %d: the largest sender %d of %d, with MaxSend %d of %d", o, k, km1.MaxSend, km1.KM1, s.MaxSend, s.KM1)
			if s.MaxSend > km1.MaxSend || o == Conformal && s.MaxSend*10 > km1.MaxSend*9 || s.KM1*2 > km1.KM1*3 {
				t.Errorf("%v, k = %d: the largest sender %d of %d, with MaxSend %d of %d", o, k, km1.MaxSend, km1.KM1, s.MaxSend, s.KM1)
			}
			if s.Empty > 0 || slices.Max(s.Weights) > int64(Limit(h, k, .03)) {
				t.Errorf("%v, k = %d: the heaviest part weighs %d, the limit is %d; %d are empty", o, k, slices.Max(s.Weights), Limit(h, k, .03), s.Empty)
			}
			if k == 8 || level.Of(o == Conformal, o == Conformal, false) {
				continue
			}
			refined := Measure(h, must[Partition](t)(Refine(h, p, Options{Seed: 2, Objective: MaxSend})))
			if refined.MaxSend > s.MaxSend {
				t.Errorf("%v, k = %d: the largest sender %d after refining %d", o, k, refined.MaxSend, s.MaxSend)
			}
		}
	}
}

// Of rows that either of two parts may own each gets half, and a part keeps its last vertex.
func TestOwnersShare(t *testing.T) {
	h := must[*Hypergraph](t)(NewHypergraph(2, []int32{0, 2, 4, 6, 8}, []int32{0, 1, 0, 1, 0, 1, 0, 1}, nil, nil))
	p := must[Partition](t)(New(2, []int32{0, 1}))
	if diff := cmp.Diff([]int64{2, 2}, Measure(h, p).Sent); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	x := newSender(newState(h, p.Parts(), []int64{2, 2}), freeOwners(h, p))
	if _, to := x.bestFor(0, x.s.limit); to >= 0 {
		t.Errorf("the only vertex of part 0 would move to %d", to)
	}
}
