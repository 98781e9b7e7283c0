package conv

// ResNet50 returns the twenty shapes of convolutions of ResNet-50 (He et al. 2015), in the order in which work on convolutions lists
// them (Georganas et al. 2018, table 1), for n images.
func ResNet50(n int) []Shape {
	return []Shape{
		Square(n, 224, 3, 64, 7, 2),
		Square(n, 56, 64, 256, 1, 1),
		Square(n, 56, 64, 64, 1, 1),
		Square(n, 56, 64, 64, 3, 1),
		Square(n, 56, 256, 64, 1, 1),
		Square(n, 56, 256, 512, 1, 2),
		Square(n, 56, 256, 128, 1, 2),
		Square(n, 28, 128, 128, 3, 1),
		Square(n, 28, 128, 512, 1, 1),
		Square(n, 28, 512, 128, 1, 1),
		Square(n, 28, 512, 1024, 1, 2),
		Square(n, 28, 512, 256, 1, 2),
		Square(n, 14, 256, 256, 3, 1),
		Square(n, 14, 256, 1024, 1, 1),
		Square(n, 14, 1024, 256, 1, 1),
		Square(n, 14, 1024, 2048, 1, 2),
		Square(n, 14, 1024, 512, 1, 2),
		Square(n, 7, 512, 512, 3, 1),
		Square(n, 7, 512, 2048, 1, 1),
		Square(n, 7, 2048, 512, 1, 1),
	}
}
