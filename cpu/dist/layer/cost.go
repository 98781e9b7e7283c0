package layer

import (
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Cost returns, to the byte, what this rank sends and receives in a Forward and in a Backward
// of a batch of so many rows, without messages of [dist.AgreePhase]. In an all-reduce of B bytes
// over p ranks, each sends 2(p-1)/p*B bytes if p divides the number of elements. Otherwise
// some send a little more and others less; all together always send 2(p-1)*B.
func (m *MLP[T]) Cost(batch int) (forward, backward comm.Count) {
	if !m.Up.opt.Sequence {
		return m.Down.sumCost(batch, m.Down.part.Cols.Len()), m.Up.sumCost(batch, m.Up.part.Rows.Len())
	}
	forward, backward = m.Up.gatherCost(batch, m.Up.part.Rows.Len()), m.Down.gatherCost(batch, m.Down.part.Cols.Len())
	forward.Add(m.Down.scatterCost(batch, m.Down.part.Cols.Len()))
	backward.Add(m.Up.scatterCost(batch, m.Up.part.Rows.Len()))
	return forward, backward
}

// sumCost is what reduce sends for rows x cols elements.
func (l *Layer[T]) sumCost(rows, cols int) comm.Count {
	var c comm.Count
	me, p, size := l.c.Rank(), l.c.Size(), int64(dtype.Of[T]().Size())
	chunks := l.chunks(rows, cols)
	for i := range chunks {
		all := dist.Upto(dist.Upto(rows).Part(i, chunks).Len() * cols)
		own := int64(all.Part(me, p).Len()) * size
		for r := range p {
			if r == me {
				continue
			}
			other := int64(all.Part(r, p).Len()) * size
			c.Send(other)
			c.Receive(own)
			c.Send(own)
			c.Receive(other)
		}
	}
	return c
}

// gatherCost is what gather sends, and scatterCost what scatter does.
func (l *Layer[T]) gatherCost(batch, cols int) comm.Count {
	var c comm.Count
	size := int64(cols) * int64(dtype.Of[T]().Size())
	for r := range l.c.Size() {
		if r != l.c.Rank() {
			c.Send(int64(l.rows(batch, l.c.Rank()).Len()) * size)
			c.Receive(int64(l.rows(batch, r).Len()) * size)
		}
	}
	return c
}

func (l *Layer[T]) scatterCost(batch, cols int) comm.Count {
	c := l.gatherCost(batch, cols)
	c.Sent, c.Received = c.Received, c.Sent
	c.BytesSent, c.BytesReceived = c.BytesReceived, c.BytesSent
	return c
}
