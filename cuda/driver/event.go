package driver

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/tilesmith/tilesmith/cuda"
)

type event struct {
	object
	handle   uintptr
	recorded atomic.Bool
}

func (d *device) NewEvent() (cuda.Event, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	e := new(event)
	var handle uintptr
	if err := d.lib.do(cuEventCreate, uintptr(unsafe.Pointer(&handle)), 0); err != nil {
		return nil, err
	}
	e.handle = handle
	d.track(&e.object, "event", func() error { return d.lib.run(cuEventDestroy, e.handle) })
	return e, nil
}

func (e *event) Close() error { return e.end() }

// own returns x as an event of d, in use until its life's exit.
func (d *device) own(x cuda.Event) (*event, error) {
	e, ok := x.(*event)
	if !ok || e == nil || e.dev != d {
		return nil, fmt.Errorf("driver: the event %w: want one from NewEvent of the same device", cuda.ErrForeign)
	}
	if !e.life.enter() {
		return nil, e.closed()
	}
	return e, nil
}

func (s *stream) Record(x cuda.Event) error {
	e, err := s.dev.own(x)
	if err != nil {
		return err
	}
	defer e.life.exit()
	if err := s.begin(); err != nil {
		return err
	}
	defer s.done()
	err = s.dev.lib.run(cuEventRecord, e.handle, s.handle)
	if err == nil {
		e.recorded.Store(true)
	}
	return err
}

func (s *stream) Wait(x cuda.Event) error {
	e, err := s.dev.own(x)
	if err != nil {
		return err
	}
	defer e.life.exit()
	if err := s.begin(); err != nil {
		return err
	}
	defer s.done()
	return s.dev.lib.run(cuStreamWaitEvent, s.handle, e.handle, 0)
}

// Since waits for both events. The driver's clock ticks every half microsecond.
func (e *event) Since(x cuda.Event) (float64, error) {
	start, err := e.dev.own(x)
	if err != nil {
		return 0, err
	}
	defer start.life.exit()
	if err := e.begin(); err != nil {
		return 0, err
	}
	defer e.done()
	for _, v := range [...]*event{start, e} {
		if !v.recorded.Load() {
			return 0, fmt.Errorf("driver: an event without a time: call Record of a stream first")
		}
		if err := e.dev.lib.run(cuEventSynchronize, v.handle); err != nil {
			return 0, err
		}
	}
	var ms uint32 // the bits of a C float
	if err := e.dev.lib.do(cuEventElapsedTime, uintptr(unsafe.Pointer(&ms)), start.handle, e.handle); err != nil {
		return 0, err
	}
	return float64(math.Float32frombits(ms)) / 1e3, nil
}
