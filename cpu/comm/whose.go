package comm

import (
	"errors"
	"fmt"
	"strings"
)

// whose puts the ranks that have an error before it, as ranksText prints them. It does not if
// the error says so itself, by the same words, or as one that all ranks agreed on, which names
// those to blame.
func whose(ranks string, err error) error {
	if agreed(err) || strings.HasPrefix(err.Error(), ranks+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", ranks, err)
}

// agreed reports whether an error is that of Agree, which is the same on all ranks.
func agreed(err error) bool {
	e := (*DisagreeError)(nil)
	return errors.As(err, &e)
}
