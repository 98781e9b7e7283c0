package comm_test

import (
	"fmt"
	"log"

	"github.com/tilesmith/tilesmith/cpu/comm"
)

// Four ranks add their numbers.
func Example() {
	err := comm.Run(4, func(c *comm.Comm) error {
		x := []float64{float64(c.Rank()), 1}
		if err := comm.AllReduce(c, x, comm.Sum[float64]()); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println(x)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: [6 4]
}

// Two ranks that both wait are told from two that compute.
func ExampleRun_deadlock() {
	err := comm.Run(2, func(c *comm.Comm) error {
		_, err := comm.Recv(c, 1-c.Rank(), 7, make([]int32, 1))
		return err
	})
	fmt.Println(err)
	// Output:
	// deadlock: every rank that still runs waits
	// 	rank 0 receives from rank 1 (tag 7)
	// 	rank 1 receives from rank 0 (tag 7)
}

// What a phase sends is counted apart.
func ExampleComm_Phase() {
	err := comm.Run(3, func(c *comm.Comm) error {
		c.Phase("halo")
		right, left := (c.Rank()+1)%3, (c.Rank()+2)%3
		rows := make([]float64, 100)
		if _, err := comm.Sendrecv(c, right, 0, make([]float64, 100), left, 0, rows); err != nil {
			return err
		}
		c.Phase("end")
		if err := c.Barrier(); err != nil {
			return err
		}
		if c.Rank() == 0 {
			for _, n := range c.Counts() {
				fmt.Printf("%q: %d messages, %d bytes\n", n.Phase, n.Sent, n.BytesSent)
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// "": 0 messages, 0 bytes
	// "halo": 1 messages, 800 bytes
	// "end": 2 messages, 0 bytes
}

// Receives are posted first, then taken as they come, while the rank computes.
func ExampleComm_Some() {
	err := comm.Run(3, func(c *comm.Comm) error {
		var requests []comm.Request
		var rows [3][2]float64
		for r := range 3 {
			if r == c.Rank() {
				continue
			}
			in, err := comm.Irecv(c, r, 1, rows[r][:])
			if err != nil {
				return err
			}
			out, err := comm.Isend(c, r, 1, []float64{float64(c.Rank()), 1})
			if err != nil {
				return err
			}
			requests = append(requests, in, out)
		}
		for block := range 10 {
			_ = block // multiply a block of rows
			if _, err := c.Some(requests, false, nil); err != nil {
				return err
			}
		}
		if err := c.Wait(requests...); err != nil {
			return err
		}
		if c.Rank() == 0 {
			fmt.Println(rows)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: [[0 0] [1 1] [2 1]]
}

// Ranks that disagree all learn it.
func ExampleAgree() {
	comm.Run(4, func(c *comm.Comm) error {
		rows := 100 + c.Rank()/3
		err := comm.Agree(c, nil, comm.NewFact("rows", rows))
		if c.Rank() == 0 {
			fmt.Println(err)
		}
		return c.Barrier()
	})
	// Output: the ranks disagree about rows: ranks 0-2 100, but rank 3 101
}
