package machine

import "golang.org/x/sys/windows/registry"

// fastCores says nothing.
func fastCores() (first, count int) { return 0, 0 }

// hostCPU reads MIDR_EL1 of the first processor. Windows keeps it in the registry, under the
// number that encodes the register in an instruction (op0 to op2 are 3, 0, 0, 0, 0: 4000 in hex).
func hostCPU() CPU {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`, registry.QUERY_VALUE)
	if err != nil {
		return CPU{}
	}
	defer key.Close()
	register, _, err := key.GetIntegerValue("CP 4000")
	if err != nil {
		return CPU{}
	}
	return midr(register)
}

// hostCaches lists none.
func hostCaches() ([]cache, string) { return nil, "" }
