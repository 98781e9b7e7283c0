module github.com/tilesmith/tilesmith/e2e

go 1.26.0

replace github.com/tilesmith/tilesmith => ..

require (
	github.com/google/go-cmp v0.7.0
	github.com/tilesmith/tilesmith v0.0.0-00010101000000-000000000000
)

require (
	github.com/llir/llvm v0.3.6 // indirect
	github.com/mewmew/float v0.0.0-20201204173432-505706aa38fa // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/exp v0.0.0-20250218142911-aa4b98e5adaa // indirect
	golang.org/x/mod v0.23.0 // indirect
	golang.org/x/sync v0.12.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.30.0 // indirect
)
