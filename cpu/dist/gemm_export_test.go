package dist

// Agree is how a product finds out whether all is well on all ranks.
func (s *SUMMA[T]) Agree(mine error) error { return summaAgree(s.c, "agree", mine) }
