package neon

// structureRows load and store vectors without an offset, or with one that is added to the base
// after, and is what was moved in bytes. DDI 0487 section C4.1, Advanced SIMD load/store.
var structureRows = []row{
	// 1 to 4 vectors.
	{"ld1", "{vD.T}, [xB]", vectors(1), 0x0c407000},
	{"ld1", "{vD.T}, [xB], #U", vectors(1), 0x0cdf7000},
	{"ld1", "{vD.T, vP.T}, [xB]", vectors(2), 0x0c40a000},
	{"ld1", "{vD.T, vP.T}, [xB], #U", vectors(2), 0x0cdfa000},
	{"ld1", "{vD.T, vP.T, vQ.T}, [xB]", vectors(3), 0x0c406000},
	{"ld1", "{vD.T, vP.T, vQ.T}, [xB], #U", vectors(3), 0x0cdf6000},
	{"ld1", "{vD.T, vP.T, vQ.T, vR.T}, [xB]", vectors(4), 0x0c402000},
	{"ld1", "{vD.T, vP.T, vQ.T, vR.T}, [xB], #U", vectors(4), 0x0cdf2000},
	{"st1", "{vD.T}, [xB]", vectors(1), 0x0c007000},
	{"st1", "{vD.T}, [xB], #U", vectors(1), 0x0c9f7000},
	{"st1", "{vD.T, vP.T}, [xB]", vectors(2), 0x0c00a000},
	{"st1", "{vD.T, vP.T}, [xB], #U", vectors(2), 0x0c9fa000},
	{"st1", "{vD.T, vP.T, vQ.T}, [xB]", vectors(3), 0x0c006000},
	{"st1", "{vD.T, vP.T, vQ.T}, [xB], #U", vectors(3), 0x0c9f6000},
	{"st1", "{vD.T, vP.T, vQ.T, vR.T}, [xB]", vectors(4), 0x0c002000},
	{"st1", "{vD.T, vP.T, vQ.T, vR.T}, [xB], #U", vectors(4), 0x0c9f2000},

	// One lane.
	{"ld1", "{vD.T}[U], [xB]", oneLane, 0x0d400000},
	{"ld1", "{vD.T}[U], [xB], #W", oneLane, 0x0ddf0000},
	{"st1", "{vD.T}[U], [xB]", oneLane, 0x0d000000},
	{"st1", "{vD.T}[U], [xB], #W", oneLane, 0x0d9f0000},

	// One element to all lanes.
	{"ld1r", "{vD.T}, [xB]", repeated, 0x0d40c000},
	{"ld1r", "{vD.T}, [xB], #U", repeated, 0x0ddfc000},
}
