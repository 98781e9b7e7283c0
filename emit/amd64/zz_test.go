package amd64
import ("testing";"regexp";"fmt";"github.com/tilesmith/tilesmith/emit")
func TestZZ(t *testing.T) {
	re := regexp.MustCompile(`\d+ (\w+) reg`)
	for _, target := range []emit.Target{AVX2, AVX512} {
	m := map[string]int{}
	for seed := range uint64(600) {
		p, _ := randomProgram(seed, target, 5+int(seed%40))
		_, err := p.prepare()
		if err != nil { w := emit.AsError(err).Why; if x := re.FindStringSubmatch(w); x != nil {w = x[1]+fmt.Sprint(int(seed%40)/10)}; m[w]++ }
	}
	fmt.Println(m)
	}
}
