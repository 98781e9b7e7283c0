// Package scan reads short texts, such as layouts and meshes, from the left and never back.
package scan

import (
	"fmt"
	"strconv"
	"strings"
)

// A Scanner reads Text, and is at byte At of it. Spaces and tabs between tokens are skipped.
type Scanner struct {
	Text string
	At   int
	Err  func(why string) error // makes the errors
}

// Rest returns what is left, without the spaces that it begins with.
func (s *Scanner) Rest() string {
	rest := strings.TrimLeft(s.Text[s.At:], " \t")
	s.At = len(s.Text) - len(rest)
	return rest
}

// Take steps over token if it is next, and reports whether.
func (s *Scanner) Take(token string) bool {
	if !strings.HasPrefix(s.Rest(), token) {
		return false
	}
	s.At += len(token)
	return true
}

// Want is Take of a token that must be there.
func (s *Scanner) Want(token string) error {
	if !s.Take(token) {
		return s.Fail("%s, want '%s'", s.Shown(), token)
	}
	return nil
}

// Number takes digits of a number up to most.
func (s *Scanner) Number(most int) (int, error) {
	rest := s.Rest()
	end := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if end == 0 {
		return 0, s.Fail("%s, want an integer from 0 on", s.Shown())
	}
	n, err := strconv.Atoi(rest[:end])
	if err != nil || n > most {
		return 0, s.Fail("%s is more than %d", s.Shown(), most)
	}
	s.At += end
	return n, nil
}

// End is an error if something is left.
func (s *Scanner) End() error {
	if s.Rest() != "" {
		return s.Fail("%s after the end", s.Shown())
	}
	return nil
}

// Shown is what messages show of the text that is left.
func (s *Scanner) Shown() string {
	rest := s.Text[s.At:]
	if rest == "" {
		return "the end of the text"
	}
	if len(rest) > 20 {
		rest = rest[:20] + "..."
	}
	return strconv.Quote(rest)
}

// Fail is an error that names the column.
func (s *Scanner) Fail(format string, args ...any) error {
	return s.Err(fmt.Sprintf("column %d: ", s.At+1) + fmt.Sprintf(format, args...))
}
