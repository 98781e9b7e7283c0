package comm

import (
	"errors"
	"fmt"
	"strings"
)

// whose is an error with the ranks that have it before it, as ranksText has them, unless it says
// so itself: by the same words, or as one that all ranks agreed on, which names those to blame.
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
