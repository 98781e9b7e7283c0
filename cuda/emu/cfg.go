package emu

// A flow says where control goes after an instruction.
type flow uint8

const (
	flowNext flow = iota
	flowBranch
	flowExit // ret, exit, trap
)

// meets sets where the ways of each branch of code[from:to] meet again. That is its
// immediate post-dominator, the first instruction that all ways to the exit pass
// (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed
// graph).
func (c *compiler) meets(from, to int) {
	code := c.prog.code[from:to]
	n := len(code)
	exit := n
	next := func(i int) []int {
		in := &code[i]
		switch in.flow {
		case flowBranch:
			var to []int
			for _, t := range in.targets {
				to = append(to, t-from)
			}
			if in.guard >= 0 {
				to = append(to, i+1)
			}
			return to
		case flowExit:
			// Lanes that leave are not waited for: with a guard, the others go on.
			if in.guard < 0 {
				return []int{exit}
			}
		}
		return []int{i + 1}
	}
	code[n-1].flow = flowExit
	before := make([][]int32, n+1)
	for i := range n {
		for _, a := range next(i) {
			before[a] = append(before[a], int32(i))
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
			for _, s := range next(i) {
				if idom[s] >= 0 {
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
