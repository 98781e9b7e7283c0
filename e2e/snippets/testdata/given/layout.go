package snippet

var b = layout.New[int8](4, 3)
