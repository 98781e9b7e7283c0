package comm

// TransportOf returns what lies under a group.
func TransportOf(c *Comm) Transport { return c.t }
