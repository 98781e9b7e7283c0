//go:build linux && nodl

#include "textflag.h"

// func call(function, top, args unsafe.Pointer)
TEXT ·call(SB), NOSPLIT, $0-24
	MOVD function+0(FP), R9
	MOVD top+8(FP), R10
	MOVD args+16(FP), R0
	MOVD RSP, R19 // which C functions keep
	MOVD R10, RSP
	CALL (R9)
	MOVD R19, RSP
	RET
