# static: what must run without a dynamic linker. TestStatic reads the result.

stage_static() {
	go build -tags nodl -o "$tmp/tilesmith" ./gen/tilesmith
	TILESMITH_LONG=1 gotest -count=1 -run '^TestStatic$' "$(home TestStatic . e2e)"
	ran TestStatic
	"$tmp/tilesmith" help >/dev/null
}
