module github.com/tilesmith/tilesmith/e2e

go 1.26.0

replace github.com/tilesmith/tilesmith => ..

require github.com/tilesmith/tilesmith v0.0.0-00010101000000-000000000000
