package spmm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/part"
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Rates are how fast one rank computes, with some number of features.
type Rates struct {
	Entry float64 // seconds for an entry of A
	Row   float64 // seconds for a row of Y, besides its entries
	Copy  float64 // seconds for a row of B that is copied
}

func (r Rates) check() error {
	for _, x := range []float64{r.Entry, r.Row, r.Copy} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("rates of %+v; want seconds, 0 or more", r)
		}
	}
	return nil
}

// multiply is the seconds of what a rank computes.
func (r Rates) multiply(l Load) float64 {
	return float64(l.Entries)*r.Entry + float64(l.Rows)*r.Row
}

// PredictRates returns what [MeasureRates] would measure for one rank on a machine, by the model of
// [advise.For] and the bandwidths of the machine's caches. The same arguments give the same rates.
func PredictRates[T dtype.Float](a sparse.Matrix[T], features int, on advise.Machine) (Rates, error) {
	product, err := advise.PredictCSR(a, features, on)
	if err != nil {
		return Rates{}, fmt.Errorf("spmm.PredictRates: %w", err)
	}
	m, n := a.Dims()
	width := float64(features) * float64(dtype.Of[T]().Size())
	level := &on.Caches[on.Holds(2*float64(min(m, n))*width)] // of the rows that are copied, and the copies
	return newRates(product, width*level.Apiece(false, true)+width*level.Apiece(true, true), m, a.NNZ()), nil
}

// reference is the machine of predictions that are to be the same everywhere.
func reference() advise.Machine {
	const isa = "avx512"
	return advise.Machine{Machine: *machine.Reference(isa), ISA: isa, Threads: 1}
}

// newRates divides the seconds of a product among its rows and entries. A row of Y takes as long to
// write as to copy. The rest of the time belongs to the entries. If there are none, an entry counts
// as much as a row.
func newRates(product, copied float64, rows, entries int) Rates {
	r := Rates{Copy: copied}
	r.Row = min(r.Copy, product/float64(max(rows, 1))/2)
	if r.Entry = r.Row; entries > 0 {
		r.Entry = (product - float64(r.Row*float64(rows))) / float64(entries)
	}
	return r
}

// MeasureRates times products with a, which is a rank's share or similar, and copies of rows.
// It uses one thread; nothing else should run on the machine. It takes about a tenth of a
// second, or three products if they take longer. together is the number of ranks that share a
// machine with its caches and memory; so many products run at once. Each call measures other
// rates; [PredictRates] always returns the same.
func MeasureRates[T dtype.Float](a sparse.Matrix[T], features, together int) (Rates, error) {
	m, n := a.Dims()
	if features < 1 || m == 0 || n == 0 || a.NNZ() == 0 || features > sparse.MaxSlots/max(m, n) || together < 1 || together > 1<<10 {
		return Rates{}, fmt.Errorf("spmm.MeasureRates: %v, %d features and %d ranks on a machine; want entries, features from 1 to what a slice holds, and from 1 to 1024 ranks", a, features, together)
	}
	products, copies := make([]float64, together), make([]float64, together)
	rows := min(m, n)
	var all sync.WaitGroup
	for k := range together {
		all.Go(func() {
			b, y := layout.New[T](n, features), layout.New[T](m, features)
			for i := range b.Data {
				b.Data[i] = 1
			}
			products[k] = typicalTime(func() { cpu.SpMMOpt(cpu.Options{Threads: 1, Caller: "spmm.MeasureRates"}, y, a, b) })
			copies[k] = typicalTime(func() { copy(y.Data[:rows*features], b.Data) })
		})
	}
	all.Wait()
	return newRates(slices.Max(products), slices.Max(copies)/float64(rows), m, a.NNZ()), nil
}

// typicalTime is the median of several calls of f, after one.
func typicalTime(f func()) float64 {
	f()
	var all []float64
	for begin := time.Now(); len(all) < 3 || time.Since(begin) < 50*time.Millisecond && len(all) < 1000; {
		start := time.Now()
		f()
		all = append(all, time.Since(start).Seconds())
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// A Load is what one rank does in a product.
type Load struct {
	Entries    int64 // that it multiplies, those of sums for others with them
	Rows       int64 // of Y, and of sums for others
	Ahead      int64 // entries of sums for others, before anything is sent
	Overlapped int64 // entries of rows that need no other rank

	Sent, Received                 int64 // rows
	MessagesSent, MessagesReceived int64
}

// A Pair is the rows that one rank sends another.
type Pair struct {
	From, To int32
	Rows     int64
}

// Traffic is what ranks do in a product, and what they send each other.
type Traffic struct {
	Loads []Load
	Pairs []Pair // by To, then From
}

// CountTraffic says what a product would do and send on so many ranks, without running it. rows
// and cols say who owns what, as in [parts.Divide], and cover is Options.Cover. Memory is
// linear in the entries and the ranks, of which there may be thousands.
func CountTraffic[T dtype.Float](a sparse.Matrix[T], ranks int, rows, cols []int32, cover bool) (Traffic, error) {
	if cols == nil {
		if a.Rows() != a.Cols() {
			return Traffic{}, fmt.Errorf("spmm.CountTraffic: a matrix of %d x %d has no owners of columns; make it square, or set cols", a.Rows(), a.Cols())
		}
		cols = rows
	}
	rowsOf, err := part.New(ranks, rows)
	var colsOf part.Partition
	if err == nil {
		colsOf, err = part.New(ranks, cols)
	}
	find := part.Halo[T]
	if cover {
		find = part.Cover[T]
	}
	var blocks []part.Block
	if err == nil {
		blocks, err = find(a, rowsOf, colsOf)
	}
	if err != nil {
		return Traffic{}, fmt.Errorf("spmm.CountTraffic: %w", err)
	}
	t := Traffic{Loads: make([]Load, ranks)}
	all := rawEntries(a)
	for i, q := range rows {
		l := &t.Loads[q]
		columns, _ := all.row(i)
		k := int64(len(columns))
		l.Rows++
		l.Entries += k
		if !slices.ContainsFunc(columns, func(j int32) bool { return cols[j] != q }) {
			l.Overlapped += k
		}
	}
	sent := make([]int32, a.Cols()) // the block that sends a column, from 1
	for k, b := range blocks {
		count := int64(len(b.Cols) + len(b.Rows))
		t.Pairs = append(t.Pairs, Pair{int32(b.From), int32(b.To), count})
		from, to := &t.Loads[b.From], &t.Loads[b.To]
		from.Sent += count
		from.MessagesSent++
		to.Received += count
		to.MessagesReceived++
		for _, j := range b.Cols {
			sent[j] = int32(k + 1)
		}
		from.Rows += int64(len(b.Rows))
		for _, i := range b.Rows {
			moved := int64(0)
			columns, _ := all.row(int(i))
			for _, j := range columns {
				if int(cols[j]) == b.From && sent[j] != int32(k+1) {
					moved++
				}
			}
			from.Entries += moved
			from.Ahead += moved
			to.Entries -= moved - 1 // one row to add
		}
	}
	return t, nil
}

// Bytes returns what all ranks send in a product with so many features of size bytes, and
// the most that one sends or receives.
func (t *Traffic) Bytes(features, size int) (all, most int64) {
	for i := range t.Loads {
		l := &t.Loads[i]
		all += l.Sent
		most = max(most, l.Sent, l.Received)
	}
	return all * int64(features) * int64(size), most * int64(features) * int64(size)
}

// Messages returns how many messages a product sends, of one chunk.
func (t *Traffic) Messages() int64 { return int64(len(t.Pairs)) }

// balance returns how long the busiest rank computes, by the mean.
func (t *Traffic) balance(r Rates) float64 {
	most, all := 0.0, 0.0
	for _, l := range t.Loads {
		takes := r.multiply(l)
		most, all = max(most, takes), all+takes
	}
	if all == 0 {
		return 1
	}
	return most * float64(len(t.Loads)) / all
}

// Predict returns when each rank would have its rows of Y, in seconds of virtual time, if all
// begin at once. It follows the steps of [Product.Multiply]. A rank forms sums for others,
// copies and sends from the next rank on, multiplies rows that need nobody, then the rest
// when it has arrived. With chunks > 1 the rest goes chunk by chunk. bytes is the size of a
// row of B. The time until the rank's own messages have left counts as well.
func (t *Traffic) Predict(net cost.Link, rates Rates, bytes, chunks int) ([]float64, error) {
	err := cmp.Or(net.Check(), rates.check())
	if err == nil && (bytes < 0 || chunks < 0) {
		err = fmt.Errorf("rows of %d bytes in %d chunks", bytes, chunks)
	}
	if err != nil {
		return nil, fmt.Errorf("spmm.Traffic.Predict: %w", err)
	}
	chunks = max(chunks, 1)
	p := len(t.Loads)
	out := make([][]Pair, p)
	for _, x := range t.Pairs {
		out[x.From] = append(out[x.From], x)
	}
	arrive := make([]float64, p*chunks) // the last of each chunk
	end := make([]float64, p)           // when a rank has sent and may multiply, then when it has its rows
	ports := make([]cost.Port, p)
	for q, list := range out {
		turn := func(x Pair) int { return (int(x.To) - q + p) % p }
		slices.SortFunc(list, func(x, y Pair) int { return turn(x) - turn(y) })
		ports[q].Link = net
		end[q] = float64(t.Loads[q].Ahead) * rates.Entry
		for k := range chunks {
			for _, x := range list {
				at := evenly(0, int(x.Rows), chunks)
				rows := float64(at[k+1] - at[k])
				if rows == 0 {
					continue
				}
				end[q] += rows * rates.Copy
				last := &arrive[int(x.To)*chunks+k]
				*last = max(*last, ports[q].Send(end[q], rows*float64(bytes)))
			}
		}
	}
	for q := range end {
		l := &t.Loads[q]
		rest := float64(l.Entries - l.Ahead - l.Overlapped)
		now := end[q] + float64(l.Overlapped)*rates.Entry + float64(l.Rows)*rates.Row
		// Each chunk brings an equal share of the entries that need others.
		for k := range chunks {
			now = max(now, arrive[q*chunks+k]) + rest/float64(chunks)*rates.Entry
		}
		end[q] = max(now, ports[q].Free)
	}
	return end, nil
}
