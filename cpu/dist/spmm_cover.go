package dist

func (w *spmmWants[T]) cover() {}
