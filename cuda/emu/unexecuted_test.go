package emu

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/instructions.txt
var instructionTable string

// mnemonics are the first words of the instructions of PTX 9.5.
const mnemonics = `abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call
clmad clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fabric fence fma fns
getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix
mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp
shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex
tld4 trap txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4
vshl vshr vsub vsub2 vsub4 wgmma wmma xor`

const instructionHead = `.address_size 64
.global .texref tx;
.func f() { ret; }
.visible .entry k(.param .u64 par)
{
.reg .pred %p<10>; .reg .b8 %b<4>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .b128 %rq<4>; .reg .f32 %f<10>; .reg .f64 %fd<10>;
.shared .align 128 .b8 sh[1024];
TT: .branchtargets EE;
`

// TestInstructions: an instruction of PTX is executed, or refused with its name and what it is.
func TestInstructions(t *testing.T) {
	ptxas := assembler()
	seen, together := map[string]bool{}, map[[2]string]string{}
	for _, l := range strings.Split(assemblerTable, "\n") {
		if text, ok := strings.CutPrefix(l, "+ "); ok && text[0] != '@' && text[0] != '{' {
			op, _, _ := strings.Cut(text, ".")
			op, _, _ = strings.Cut(op, " ")
			seen[strings.TrimSuffix(op, ";")] = true
		}
	}
	for _, l := range strings.Split(strings.TrimSpace(instructionTable), "\n") {
		if l[0] == '#' {
			continue
		}
		f := strings.SplitN(l, " ", 4)
		sign, target, version, text := f[0], f[1], f[2], f[3]
		op := text[strings.LastIndexByte(text[:strings.IndexAny(text+" ;", " ;")], ' ')+1:]
		if at := strings.Index(text, "call "); at >= 0 {
			op = text[at:]
		}
		name := op[:strings.IndexAny(op, " ;")]
		word, _, _ := strings.Cut(name, ".")
		seen[word] = true
		cc, err := strconv.Atoi(strings.TrimRight(target, "af"))
		if err != nil {
			t.Fatal(err)
		}
		src := ".version " + version + "\n.target sm_" + target + "\n" + instructionHead + text + "\nEE: add.u32 %r9, %r9, 1;\nret;\n}\n"
		_, err = newRig(t, Options{Major: cc / 10, Minor: cc % 10}).d.Load(src)
		switch {
		case sign == "+" && err != nil:
			t.Error(err)
		case sign == "-" && (err == nil || !strings.Contains(err.Error(), name+": the emulator does not execute "+word) && word != "call" ||
			!strings.Contains(err.Error(), "the emulator does not execute ")):
			t.Errorf("%s: %v", text, err)
		}
		of := [2]string{target, version}
		together[of] += text + "\n"
	}
	for of, text := range together {
		if ptxas == "" {
			break
		}
		ok, says := assembled(t, ptxas, "sm_"+of[0], ".version "+of[1]+"\n.target sm_"+of[0]+"\n"+instructionHead+text+"EE: ret;\n}\n")
		if !ok && !strings.Contains(says, "Unsupported .version") && !strings.Contains(says, "is not defined for option") {
			t.Errorf("sm_%s, .version %s: ptxas says\n%s", of[0], of[1], says)
		}
	}
	for _, op := range strings.Fields(mnemonics) {
		if !known(op) || !seen[op] {
			t.Errorf("%s is not known (%v) or in no table (%v)", op, known(op), seen[op])
		}
		delete(seen, op)
	}
	for op := range opcodes {
		if !strings.Contains(" "+strings.Join(strings.Fields(mnemonics), " ")+" ", " "+op+" ") {
			t.Errorf("%s is executed and no mnemonic", op)
		}
	}
	for op := range seen {
		t.Errorf("%s is in a table and no mnemonic", op)
	}
}
