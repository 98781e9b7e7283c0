//go:build ignore

package main

import (
	"example.com/shop/thirdparty/maps"

	"github.com/tilesmith/tilesmith/gen"
)

// soft is softsign.
func soft(x float32) float32 { return x / (1 + max(x, -x)) }

func main() { gen.Main(maps.Spec{Name: "Softsign", F: soft}) }
