package spmm

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/parts"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/sample"
	"github.com/tilesmith/tilesmith/tiling/cost"
)

// TestCountTraffic: what is counted without ranks is what ranks plan, do and send.
func TestCountTraffic(t *testing.T) {
	a := ranktest.Must[sparse.Matrix[float64]](t)(sample.RMAT[float64](600, 5000, .57, .19, .19, 1))
	for _, p := range []int{1, 2, 5, 8} {
		for _, cover := range []bool{false, true} {
			rows, cols := ranktest.Scattered(600, p), ranktest.InOrder(600, p)
			want, err := CountTraffic(a, p, rows, cols, cover)
			if err != nil {
				t.Fatal(err)
			}
			got := Traffic{Loads: make([]Load, p), Pairs: want.Pairs}
			err = comm.Run(p, func(c *comm.Comm) error {
				part, err := parts.Divide(a, c.Rank(), p, rows, cols)
				if err != nil {
					return err
				}
				s, err := New(c, part, Options{Cover: cover})
				if err != nil {
					return err
				}
				l := &got.Loads[c.Rank()]
				sent, received, out, in := s.Halo()
				l.Sent, l.Received, l.MessagesSent, l.MessagesReceived = int64(sent), int64(received), int64(out), int64(in)
				l.Rows, l.Ahead = int64(len(s.Rows())+s.exports.Rows()), int64(s.exports.NNZ())
				l.Entries = int64(s.a.NNZ() + s.exports.NNZ())
				for i := range part.A.Rows() {
					interior := true
					for j := range part.A.Row(i) {
						interior = interior && j < len(part.OwnCols)
					}
					if interior {
						l.Overlapped += int64(part.A.RowNNZ(i))
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("%d ranks, cover %v (-ranks +counted):\n%s", p, cover, diff)
			}
		}
	}
}

// TestPredict compares virtual time with what one works out by hand.
func TestPredict(t *testing.T) {
	// Two ranks of 100 entries and 10 rows, of which 60 entries wait for 4 rows of 10 bytes.
	load := Load{Entries: 100, Rows: 10, Overlapped: 40, Sent: 4, Received: 4, MessagesSent: 1, MessagesReceived: 1}
	two := Traffic{Loads: []Load{load, load}, Pairs: []Pair{{1, 0, 4}, {0, 1, 4}}}
	for _, x := range []struct {
		what   string
		net    cost.Link
		rates  Rates
		chunks int
		want   float64
	}{
		{"computing alone", cost.Link{Latency: 0, Bandwidth: math.MaxFloat64}, Rates{Entry: 1, Row: 2}, 1, 100 + 20},
		{"messages alone", cost.Link{Latency: 3, Bandwidth: 20}, Rates{}, 1, 3 + 40./20},
		{"messages are faster than what overlaps", cost.Link{Latency: 3, Bandwidth: 20}, Rates{Entry: 1, Row: 2}, 1, 120},
		{"and slower", cost.Link{Latency: 50, Bandwidth: .5}, Rates{Entry: 1, Row: 2}, 1, 50 + 80 + 60},
		{"copies", cost.Link{Latency: 50, Bandwidth: .5}, Rates{Entry: 1, Row: 2, Copy: 5}, 1, 20 + 50 + 80 + 60},
		{"in chunks, the last of which comes last", cost.Link{Latency: 50, Bandwidth: .5}, Rates{Entry: 1, Row: 2}, 4, 50 + 80 + 15},
		{"in chunks that come while those before are multiplied", cost.Link{Latency: 60, Bandwidth: 8}, Rates{Entry: 1, Row: 2}, 4, 61.25 + 60},
	} {
		got, err := two.Predict(x.net, x.rates, 10, x.chunks)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]float64{x.want, x.want}, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.what, diff)
		}
	}
	// A port: two messages of one rank leave one after the other, from the next rank on.
	three := Traffic{Loads: make([]Load, 3), Pairs: []Pair{{1, 0, 2}, {1, 2, 2}}}
	got, err := three.Predict(cost.Link{Latency: 1, Bandwidth: 1}, Rates{}, 5, 1)
	if diff := cmp.Diff([]float64{21, 20, 11}, got); diff != "" || err != nil {
		t.Errorf("a port (-want +got): %v\n%s", err, diff)
	}
	for _, bad := range []error{
		func() error { _, err := two.Predict(cost.Link{Latency: -1, Bandwidth: 1}, Rates{}, 1, 1); return err }(),
		func() error { _, err := two.Predict(cost.Link{Latency: 0, Bandwidth: 0}, Rates{}, 1, 1); return err }(),
		func() error {
			_, err := two.Predict(cost.Link{Latency: 0, Bandwidth: math.NaN()}, Rates{}, 1, 1)
			return err
		}(),
		func() error {
			_, err := two.Predict(cost.Link{Latency: 0, Bandwidth: 1}, Rates{Entry: -1}, 1, 1)
			return err
		}(),
		func() error { _, err := two.Predict(cost.Link{Latency: 0, Bandwidth: 1}, Rates{}, -1, 1); return err }(),
	} {
		if bad == nil {
			t.Error("what cannot be is predicted")
		}
	}
}

// TestPredictMany: thousands of ranks are counted and predicted without running one.
func TestPredictMany(t *testing.T) {
	const p = 4096
	a := ranktest.Must[sparse.Matrix[float32]](t)(sample.RMAT[float32](1<<15, 1<<17, .57, .19, .19, 1))
	traffic, err := CountTraffic(a, p, ranktest.InOrder(a.Rows(), p), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	bytes, most := traffic.Bytes(64, 4)
	times, err := traffic.Predict(cost.Link{Latency: 2e-6, Bandwidth: 1e10}, Rates{Entry: 1e-8, Row: 1e-8, Copy: 1e-8}, 256, 1)
	if err != nil || len(times) != p || bytes <= 0 || most <= 0 || most > bytes {
		t.Errorf("%d ranks, %d bytes, at most %d: %v", len(times), bytes, most, err)
	}
	var entries int64
	for _, l := range traffic.Loads {
		entries += l.Entries
	}
	if entries < int64(a.NNZ()) {
		t.Errorf("ranks multiply %d entries of %d", entries, a.NNZ())
	}
}

// TestMethods: bytes are those that are sent, and the choice follows the network.
func TestMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("partitions a matrix of thousands of rows")
	}
	a := dataMatrix[float64](t, "gemat11")
	const p, f = 4, 16
	o := MethodsOptions{Ranks: p, Features: f, Network: cost.Link{Latency: 2e-6, Bandwidth: 1e10}, Rates: Rates{1e-8, 1e-8, 1e-8}}
	c, err := Methods(a, o)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(a.Cols())
	gather := c.Methods[0]
	if gather.Work.Sent != float64((p-1)*n*f*8) || gather.Work.Messages != p*(p-1) {
		t.Errorf("an all-gather of %d rows: %v bytes in %v messages", n, gather.Work.Sent, gather.Work.Messages)
	}
	b, out := layout.New[float64](a.Cols(), f), layout.New[float64](a.Rows(), f)
	for k, x := range c.Methods[1:] {
		counts, err := (spread[float64]{a: a, rows: x.Plan.Rows, cols: x.Plan.Cols, opt: Options{Cover: x.Plan.Cover}, run: cpu.Options{Threads: 1}}).multiply(p, out, b)
		if err != nil {
			t.Fatal(err)
		}
		var bytes, messages, most int64
		for _, n := range counts {
			bytes, messages, most = bytes+n.BytesSent, messages+n.Sent, max(most, n.BytesSent, n.BytesReceived)
		}
		if diff := cmp.Diff([]int64{bytes, messages, most}, []int64{int64(x.Work.Sent), int64(x.Work.Messages), x.Plan.MaxRank}); diff != "" {
			t.Errorf("%s (-counted +predicted):\n%s", x.Name, diff)
		}
		if x.Work.Sent > c.Methods[k].Work.Sent {
			t.Errorf("%s sends %v bytes, %s before it %v", x.Name, x.Work.Sent, c.Methods[k].Name, c.Methods[k].Work.Sent)
		}
	}
	if c.Methods[c.Best].Name == "all-gather" {
		t.Errorf("all-gather is chosen:\n%v", c)
	}
	o.Network = cost.Link{Latency: 1e-2, Bandwidth: 1e10}
	if c, err = Methods(a, o); err != nil || !strings.Contains(c.Why, "one rank alone") {
		t.Errorf("on a slow network: %v, %v", c.Why, err)
	}
	for _, x := range []struct{ m, n, p int }{{3, 3, 8}, {7, 40, 3}, {40, 7, 50}, {5, 5, 1}} {
		a := ranktest.Must[sparse.Matrix[float64]](t)(sample.Uniform[float64](x.m, x.n, 2, 1))
		c, err := Methods(a, MethodsOptions{Ranks: x.p, Features: 3, Network: o.Network, Rates: o.Rates})
		if err != nil || len(c.Methods) != 4 {
			t.Errorf("%d x %d on %d ranks: %v", x.m, x.n, x.p, err)
		}
	}
	for _, o := range []MethodsOptions{{}, {Ranks: 2}, {Ranks: 2, Features: 1}, {Ranks: -1, Features: 1, Network: cost.Link{Latency: 0, Bandwidth: 1}}} {
		if _, err := Methods(a, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestMeasureRates(t *testing.T) {
	a := ranktest.Must[sparse.Matrix[float32]](t)(sample.Uniform[float32](1000, 1000, 8, 1))
	if r, err := MeasureRates(a, 32, 2); err != nil || !(r.Entry > 0) || !(r.Row > 0) || !(r.Copy > 0) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := MeasureRates(sparse.Matrix[float32]{}, 3, 1); err == nil {
		t.Error("rates of nothing are measured")
	}
}
