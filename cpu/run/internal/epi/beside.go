package epi

// beside reports that y, which begins inside x and so many bytes after it, lies next to it in one matrix:
//
//	. . . . . . . .     off = down*step + right: to the right of x
//	. x x x . y y .     by right bytes, or, one row further on, to its
//	. x x x . y y .     left by step-right
//
// For matrices that lie otherwise it is not known.
func (x *Memory) beside(y *Memory, off int) bool {
	step, wide, many := x.rows()
	stepY, wideY, _ := y.rows()
	if step != stepY || max(wide, wideY) > step || step == 0 {
		return false
	}
	down, right := off/step, off%step
	return right >= wide && (down+1 >= many || step-right >= wideY)
}

// rows returns how a matrix lies, by whichever of rows and columns are further apart. It
// returns their distance, the bytes of one, and how many there are.
func (x *Memory) rows() (step, wide, many int) {
	step, wide = x.m.RS, x.width
	if x.m.CS > x.m.RS {
		step, wide = x.m.CS, x.height
	}
	if step == 0 || wide == 0 {
		return 0, 0, 0
	}
	return step, wide, (int(x.Size)-wide)/step + 1
}
