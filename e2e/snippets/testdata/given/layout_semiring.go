package snippet

func hypot(x, y float32) float32 { return float32(math.Hypot(float64(x), float64(y))) }

func size(x, y float32) float32 { return float32(math.Abs(float64(x * y))) }
