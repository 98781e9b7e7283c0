package cost

import (
	"fmt"
	"math"
)

// A Link is what carries messages. Every rank has one port, through which its messages leave
// one after another, n bytes in n/Bandwidth seconds. They arrive a Latency later. Messages that
// a rank receives from several at once do not slow each other down.
type Link struct {
	Latency   float64 // seconds
	Bandwidth float64 // bytes a second, of a rank
}

// Check says what is wrong with l.
func (l Link) Check() error {
	if !(l.Latency >= 0) || !(l.Bandwidth > 0) || math.IsInf(l.Latency, 0) {
		return fmt.Errorf("a link with a latency of %v s and %v bytes/s; want 0 or more, and more than 0", l.Latency, l.Bandwidth)
	}
	return nil
}

// Time returns the seconds of messages that wait for each other. The products do not fuse, so
// that every machine compares alike.
func (l Link) Time(messages, bytes float64) float64 {
	return float64(messages*l.Latency) + over(bytes, l.Bandwidth)
}

// Price returns Time for elements of so many bytes, as package mesh takes it for its plans.
func (l Link) Price(size int) func(messages, elements int64) float64 {
	return func(messages, elements int64) float64 {
		return l.Time(float64(messages), float64(elements)*float64(size))
	}
}

// A Port is the time of messages that leave a rank:
//
//	        n/Bandwidth    Latency
//	first  |===========|.............> arrives
//	second              |=====|.............> arrives
type Port struct {
	Link
	Free float64 // when the last message has left
}

// Send lets a message leave at a time or later, and returns when it arrives.
func (p *Port) Send(now, bytes float64) (arrives float64) {
	p.Free = max(p.Free, now)
	if p.Bandwidth > 0 {
		p.Free += bytes / p.Bandwidth
	}
	return p.Free + p.Latency
}
