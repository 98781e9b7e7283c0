package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// numbers are those of a model that the command line may change.
var numbers = []struct{ name, what string }{
	{"hidden", "`numbers` of a node between the layers, of each head"},
	{"epochs", "at `most`"},
	{"patience", "`epochs` without a better validation before the end"},
	{"rate", "`rate` of learning"},
	{"drop", "`part` that a step of training drops"},
	{"decay", "`decay` of weights"},
	{"batch", "`nodes` of a step of sage and sage-max"},
	{"fanout", "`most` neighbours that a node hears of in the layers of sage and sage-max, as 25,10 or 25:10; 0: all"},
}

// set gives m a number by its name.
func (m *Model) set(name, text string) (err error) {
	whole := map[string]*int{"hidden": &m.Hidden, "epochs": &m.Epochs, "patience": &m.Patience, "batch": &m.Batch}
	real := map[string]*float64{"rate": &m.Rate, "drop": &m.Drop, "decay": &m.Decay}
	switch to := whole[name]; {
	case to != nil:
		if *to, err = strconv.Atoi(text); err != nil {
			err = fmt.Errorf("%s: %q is not a whole number", name, text)
		}
	case real[name] != nil:
		if *real[name], err = strconv.ParseFloat(text, 64); err != nil {
			err = fmt.Errorf("%s: %q is not a number", name, text)
		}
	case name == "fanout":
		first, second, _ := strings.Cut(strings.ReplaceAll(text, ":", ","), ",")
		for n, part := range [...]string{first, second} {
			if m.Fanout[n], err = strconv.Atoi(part); err != nil {
				return fmt.Errorf("fanout: %q is not two whole numbers, of the first layer and of the second, with a comma between", text)
			}
		}
	default:
		err = fmt.Errorf("a model has no number %q", name)
	}
	return err
}

// check refuses numbers that make no sense.
func (m Model) check() error {
	switch {
	case m.Hidden < 1 || m.Hidden > most || m.Epochs < 1 || m.Epochs > most || m.Patience < 1:
		return fmt.Errorf("want -hidden and -epochs from 1 to %d and -patience of 1 at least", most)
	case m.samples() && (m.Batch < 1 || m.Batch > most || min(m.Fanout[0], m.Fanout[1]) < 0 || max(m.Fanout[0], m.Fanout[1]) > most):
		return fmt.Errorf("want a -batch from 1 to %d and a -fanout of two numbers from 0 to %d", most, most)
	case !(m.Drop >= 0 && m.Drop < 1) || !(m.Rate > 0) || !finite(m.Rate) || !(m.Decay >= 0) || !finite(m.Decay):
		return errors.New("want -drop of at least 0 and less than 1, a -rate above 0 and no negative -decay")
	}
	return nil
}
