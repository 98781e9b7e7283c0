package comm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

// networks are the two ways to make messages take time.
var networks = []struct {
	name string
	run  func(d cost.Link, p int, f func(c *Comm) error) error
}{
	{"local", func(d cost.Link, p int, f func(c *Comm) error) error {
		return Local{Link: d}.Run(p, f)
	}},
	{"wrapped", func(d cost.Link, p int, f func(c *Comm) error) error {
		return Run(p, func(c *Comm) error {
			c, err := Delay(c, d)
			if err != nil {
				return err
			}
			if err := f(c); err != nil {
				return err
			}
			return c.Close()
		})
	}},
}

// TestDelay: no message is there before its time, which is that of all that left the same
// rank before it, and a latency.
func TestDelay(t *testing.T) {
	d := cost.Link{Latency: 2e-3, Bandwidth: 1e7}
	for _, w := range networks {
		t.Run(w.name, func(t *testing.T) {
			var sent time.Time
			var came [6]time.Time
			err := w.run(d, 2, func(c *Comm) error {
				var all []Request
				for i := range came {
					buf := make([]byte, 1000*i) // 100 us each
					var r Request
					var err error
					if c.Rank() == 0 {
						if i == 0 {
							sent = time.Now()
						}
						r, err = Isend(c, 1, 0, buf)
					} else {
						r, err = Irecv(c, 0, 0, buf)
					}
					if err != nil {
						return err
					}
					all = append(all, r)
				}
				for left := len(all); left > 0; {
					done, err := c.Some(all, true, nil)
					if err != nil {
						return err
					}
					for _, i := range done {
						if c.Rank() == 1 {
							came[i] = time.Now()
						}
					}
					left -= len(done)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			leaves := time.Duration(0)
			for i, at := range came {
				leaves += time.Duration(i) * 100 * time.Microsecond
				if got := at.Sub(sent); got < leaves+2*time.Millisecond {
					t.Errorf("message %d came after %v, want no sooner than %v", i, got, leaves+2*time.Millisecond)
				}
			}
		})
	}
}

func TestDelayArguments(t *testing.T) {
	err := Run(1, func(c *Comm) error {
		_, err := Delay(c, cost.Link{Latency: -1})
		if err == nil || !strings.Contains(err.Error(), "a latency of -1 s") {
			return fmt.Errorf("error %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// BenchmarkLate measures how much later than said a message comes: to a rank that waits,
// and to one that computes and looks now and then, while the sender computes too.
func BenchmarkLate(b *testing.B) {
	for _, w := range networks {
		for _, latency := range []time.Duration{50 * time.Microsecond, 200 * time.Microsecond, 2 * time.Millisecond} {
			for _, busy := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/latency=%v/busy=%v", w.name, latency, busy), func(b *testing.B) {
					var late []float64
					err := w.run(cost.Link{Latency: latency.Seconds()}, 2, func(c *Comm) error {
						return lateness(c, b.N, latency, busy, &late)
					})
					if err != nil {
						b.Fatal(err)
					}
					slices.Sort(late)
					b.ReportMetric(late[len(late)/2], "us-median")
					b.ReportMetric(late[len(late)*99/100], "us-p99")
				})
			}
		}
	}
}

func lateness(c *Comm, n int, latency time.Duration, busy bool, late *[]float64) error {
	at := make([]int64, 1)
	for range n {
		var r Request
		var err error
		if err := c.Barrier(); err != nil {
			return err
		}
		if c.Rank() == 0 {
			at[0] = int64(clock())
			r, err = Isend(c, 1, 0, at)
		} else {
			r, err = Irecv(c, 0, 0, at)
		}
		if err != nil {
			return err
		}
		for {
			done, err := c.Some([]Request{r}, !busy, nil)
			if err != nil {
				return err
			}
			if len(done) > 0 {
				break
			}
			spin(20 * time.Microsecond)
		}
		if c.Rank() == 1 {
			*late = append(*late, float64(clock()-time.Duration(at[0])-latency)/1e3)
		} else if busy {
			for range 10 {
				spin(latency / 10)
				if _, err := c.Some(nil, false, nil); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
