module github.com/tilesmith/tilesmith/e2e

go 1.26.0

replace github.com/tilesmith/tilesmith => ..
