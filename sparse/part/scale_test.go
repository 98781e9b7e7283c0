package part

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestMillion(t *testing.T) {
	if os.Getenv("TILESMITH_LONG") == "" {
		t.Skip("set TILESMITH_LONG=1")
	}
	h := must[*Hypergraph](t)(ColumnNet(grid(t, 1000), Model{}))
	start := time.Now()
	p := must[Partition](t)(Make(h, 8, Options{}))
	fmt.Println(time.Since(start))
	fmt.Println(Measure(h, p))
}
