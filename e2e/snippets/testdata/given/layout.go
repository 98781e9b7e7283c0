package snippet

var b = make([]int8, 12)
