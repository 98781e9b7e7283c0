package tpp

import (
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
)

// TestSchedule shows what explain prints: a temporary that is left in L1 and one that is
// computed again, and stages that a reduction of columns separates.
func TestSchedule(t *testing.T) {
	x := In(gemm.Full[float32]("x"))
	for _, c := range []struct {
		is   Tensor
		want string
	}{
		{Softmax(x), `stage 1, over every row
  pass 1 along the row
    reads      x
    reduces    RowMax#1
    then       op.Shift#2
  pass 2 along the row
    reads      x
    computes   op.Sub#3, op.Exp#4
    to L1      op.Exp#4
    reduces    RowSum#5
    then       op.Share#6
  pass 3 along the row
    from L1    op.Exp#4
    computes   op.Mul#7
    stores     out
    L1         op.Exp#4: 4 bytes a column, for 17 operations less in a later pass
memory     8 bytes an element of the matrix; its operators one by one take 32, 24 are saved
`},
		{sub.of(x, ColMean(x)), `stage 1, over every row
  pass 1 along the row
    reads      x
    reduces    ColSum#1
stage 2, over results of columns
  pass 1 along the row
    reads      ColSum#1
    computes   op.Div#3
    stores     op.Div#3
stage 3, over every row
  pass 1 along the row
    reads      x, op.Div#3
    computes   op.Sub#4
    stores     out
memory     12 bytes an element of the matrix; its operators one by one take 12, 0 are saved
`},
	} {
		s := Spec{Outs: []Output{Out("out", c.is)}}
		l := &lowering{Spec: s, plan: planOf(t, s)}
		if have := l.schedule() + l.saved(); have != c.want {
			t.Errorf("%s\nwant\n%s", have, c.want)
		}
	}
}
