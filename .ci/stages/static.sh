# static: what must run without a dynamic linker. TestStatic reads the result.

stage_static() {
	go build -tags nodl -o "$tmp/tilesmith" ./gen/tilesmith
	local package
	package=$(home TestStatic)
	TILESMITH_LONG=1 gotest -count=1 -run '^TestStatic$' "$package"
	ran TestStatic
	"$tmp/tilesmith" help >/dev/null
}
