package emu

// A flow says where control goes after an instruction.
type flow uint8

const (
	flowNext flow = iota
	flowBranch
	flowExit // ret, exit, trap
)

// meets sets where the ways of each branch of code[from:to] meet again: its
// immediate post-dominator, the first instruction that all ways to the exit pass
// (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed
// graph).
func (c *compiler) meets(from, to int) {
	code := c.prog.code[from:to]
	n := len(code)
	exit := n
	next := func(i int) (a, b int) {
		in := &code[i]
		a, b = i+1, -1
		switch in.flow {
		case flowBranch:
			a = in.target - from
		case flowExit:
			// Lanes that leave are not waited for: with a guard, the others go on.
			if in.guard < 0 {
				a = exit
			}
			return a, b
		default:
			return a, b
		}
		if in.guard >= 0 {
			b = i + 1
		}
		return a, b
	}
	code[n-1].flow = flowExit
	before := make([][]int32, n+1)
	for i := range n {
		a, b := next(i)
		before[a] = append(before[a], int32(i))
		if b >= 0 {
			before[b] = append(before[b], int32(i))
		}
	}
	order, number := reversedPostorder(before, exit)
	idom := make([]int, n+1)
	for i := range idom {
		idom[i] = -1
	}
	idom[exit] = exit
	common := func(a, b int) int {
		for a != b {
			for number[a] < number[b] {
				a = idom[a]
			}
			for number[b] < number[a] {
				b = idom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, i := range order {
			if i == exit {
				continue
			}
			d := -1
			a, b := next(i)
			for _, s := range [2]int{a, b} {
				if s >= 0 && idom[s] >= 0 {
					if d < 0 {
						d = s
					} else {
						d = common(d, s)
					}
				}
			}
			if d >= 0 && idom[i] != d {
				idom[i], changed = d, true
			}
		}
	}
	for i := range n {
		code[i].meet = -1
		if code[i].flow == flowBranch && idom[i] >= 0 && idom[i] != exit {
			code[i].meet = idom[i] + from
		}
	}
}

// reversedPostorder returns the nodes from which exit is reached, exit first, and
// their numbers, of which exit has the greatest.
func reversedPostorder(before [][]int32, exit int) (order []int, number []int) {
	number = make([]int, len(before))
	seen := make([]bool, len(before))
	at := make([]int, len(before))
	stack := []int{exit}
	seen[exit] = true
	var post []int
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if at[i] < len(before[i]) {
			j := int(before[i][at[i]])
			at[i]++
			if !seen[j] {
				seen[j] = true
				stack = append(stack, j)
			}
			continue
		}
		stack = stack[:len(stack)-1]
		number[i] = len(post)
		post = append(post, i)
	}
	for i := len(post) - 1; i >= 0; i-- {
		order = append(order, post[i])
	}
	return order, number
}
