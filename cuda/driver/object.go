package driver

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
)

// object is what a buffer, module, stream and event have in common. It lives on a
// device, is used by calls, and is destroyed once, by its owner or with the device.
type object struct {
	dev     *device
	what    string // "buffer"
	life    life
	destroy func() error // on a thread where the device is current
}

// track makes o an object of d, which d.Close destroys if nobody else does.
func (d *device) track(o *object, what string, destroy func() error) {
	o.dev, o.what, o.life, o.destroy = d, what, newLife(), destroy
	d.mu.Lock()
	d.held[o] = struct{}{}
	d.mu.Unlock()
}

// begin starts a call that uses o: on success the device is current on this
// thread, and done must follow.
func (o *object) begin() error {
	if !o.life.enter() {
		return o.closed()
	}
	if err := o.dev.enter(); err != nil {
		o.life.exit()
		return err
	}
	return nil
}

func (o *object) done() {
	o.dev.leave()
	o.life.exit()
}

func (o *object) closed() error {
	return fmt.Errorf("driver: this %s %w", o.what, cuda.ErrClosed)
}

// end destroys o after the calls that use it.
func (o *object) end() error {
	if err := o.dev.enter(); err != nil {
		return err
	}
	defer o.dev.leave()
	if !o.life.end() {
		return o.closed()
	}
	o.dev.mu.Lock()
	delete(o.dev.held, o)
	o.dev.mu.Unlock()
	return o.destroy()
}
