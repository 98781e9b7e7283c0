# cross: the command, which has all that users link, compiles and links for other systems, one each turn.

stage_cross() {
	local systems=(linux/arm64 windows/amd64 linux/386 darwin/arm64) t i
	for i in "${!systems[@]}"; do
		[ -n "$named" ] || [ $((turn % 4)) -eq "$i" ] || continue
		t=${systems[i]}
		echo "$t"
		GOOS=${t%/*} GOARCH=${t#*/} go build -o "$tmp/crossed" ./gen/tilesmith
	done
}
