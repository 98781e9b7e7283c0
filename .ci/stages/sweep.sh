# sweep: the commands verify and sweep run on what is committed and on specs.

stage_sweep() {
	go build -o "$tmp/sweep" ./gen/tilesmith
	"$tmp/sweep" verify --types f32 --shapes 64,17x100x33
	"$tmp/sweep" verify --shapes 33 gen/examples/small
	"$tmp/sweep" sweep --quick --time 20ms --json --html "$tmp/sweep.html" >"$tmp/sweep.json"
	grep -q '</svg>' "$tmp/sweep.html"
	[ "$(wc -l <"$tmp/sweep.json")" -gt 3 ]
}
