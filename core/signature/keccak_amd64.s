// Keccak-f[1600] for processors with AVX-512VL. Each of the 25 lanes lives in the
// low half of its own register, X(x+5y); the upper halves hold whatever falls
// out. What is gained over general registers: all lanes fit without spilling,
// three-input logic does a column sum in two instructions and a chi lane in
// one, and rotations do not destroy their source.
//
// X25 to X31 are scratch: the column sums, then the theta values D0 to D4 in
// X30, X31, X27, X29, X25, and X26 and X28 for chi.

#include "textflag.h"

// t = a ^ b ^ c ^ d ^ e
#define COLUMN(a, b, c, d, e, t) \
	VMOVDQA64  a, t;           \
	VPTERNLOGQ $0x96, b, c, t; \
	VPTERNLOGQ $0x96, d, e, t

// out = rol(right, 1) ^ left
#define THETA(left, right, out) \
	VPROLQ $1, right, out; \
	VPXORQ left, out, out

#define XOR(d, lane) \
	VPXORQ d, lane, lane

// The theta value, then rho's rotation.
#define LANE(d, n, lane) \
	VPXORQ d, lane, lane; \
	VPROLQ $n, lane, lane

// Each lane of a row: a = a ^ (^b & c).
#define CHI(a, b, c, d, e) \
	VMOVDQA64  a, X26;           \
	VMOVDQA64  b, X28;           \
	VPTERNLOGQ $0xd2, c, b, a;   \
	VPTERNLOGQ $0xd2, d, c, b;   \
	VPTERNLOGQ $0xd2, e, d, c;   \
	VPTERNLOGQ $0xd2, X26, e, d; \
	VPTERNLOGQ $0xd2, X28, X26, e

#define ABSORB(offset, t, lane) \
	VMOVQ  offset(SI), t; \
	VPXORQ t, lane, lane

// func absorbAVX512(state *[25]uint64, blocks *byte, n int, constants *[24]uint64)
TEXT ·absorbAVX512(SB), NOSPLIT, $0-32
	MOVQ state+0(FP), DI
	MOVQ blocks+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ constants+24(FP), R8

	VMOVQ 0(DI), X0
	VMOVQ 8(DI), X1
	VMOVQ 16(DI), X2
	VMOVQ 24(DI), X3
	VMOVQ 32(DI), X4
	VMOVQ 40(DI), X5
	VMOVQ 48(DI), X6
	VMOVQ 56(DI), X7
	VMOVQ 64(DI), X8
	VMOVQ 72(DI), X9
	VMOVQ 80(DI), X10
	VMOVQ 88(DI), X11
	VMOVQ 96(DI), X12
	VMOVQ 104(DI), X13
	VMOVQ 112(DI), X14
	VMOVQ 120(DI), X15
	VMOVQ 128(DI), X16
	VMOVQ 136(DI), X17
	VMOVQ 144(DI), X18
	VMOVQ 152(DI), X19
	VMOVQ 160(DI), X20
	VMOVQ 168(DI), X21
	VMOVQ 176(DI), X22
	VMOVQ 184(DI), X23
	VMOVQ 192(DI), X24

block:
	TESTQ CX, CX
	JZ    done
	ABSORB(0, X25, X0)
	ABSORB(8, X26, X1)
	ABSORB(16, X27, X2)
	ABSORB(24, X28, X3)
	ABSORB(32, X29, X4)
	ABSORB(40, X30, X5)
	ABSORB(48, X31, X6)
	ABSORB(56, X25, X7)
	ABSORB(64, X26, X8)
	ABSORB(72, X27, X9)
	ABSORB(80, X28, X10)
	ABSORB(88, X29, X11)
	ABSORB(96, X30, X12)
	ABSORB(104, X31, X13)
	ABSORB(112, X25, X14)
	ABSORB(120, X26, X15)
	ABSORB(128, X27, X16)
	ADDQ $136, SI
	DECQ CX
	MOVQ R8, R9
	MOVQ $24, AX

round:
	COLUMN(X0, X5, X10, X15, X20, X25)
	COLUMN(X1, X6, X11, X16, X21, X26)
	COLUMN(X2, X7, X12, X17, X22, X27)
	COLUMN(X3, X8, X13, X18, X23, X28)
	COLUMN(X4, X9, X14, X19, X24, X29)

	// In an order that overwrites each column sum after its last use.
	THETA(X29, X26, X30)
	THETA(X25, X27, X31)
	THETA(X27, X29, X29)
	THETA(X26, X28, X27)
	THETA(X28, X25, X25)

	// Row by row as pi will have them, in the registers they come from.
	XOR(X30, X0)
	LANE(X31, 44, X6)
	LANE(X27, 43, X12)
	LANE(X29, 21, X18)
	LANE(X25, 14, X24)
	CHI(X0, X6, X12, X18, X24)
	VPXORQ.BCST (R9), X0, X0
	LANE(X29, 28, X3)
	LANE(X25, 20, X9)
	LANE(X30, 3, X10)
	LANE(X31, 45, X16)
	LANE(X27, 61, X22)
	CHI(X3, X9, X10, X16, X22)
	LANE(X31, 1, X1)
	LANE(X27, 6, X7)
	LANE(X29, 25, X13)
	LANE(X25, 8, X19)
	LANE(X30, 18, X20)
	CHI(X1, X7, X13, X19, X20)
	LANE(X25, 27, X4)
	LANE(X30, 36, X5)
	LANE(X31, 10, X11)
	LANE(X27, 15, X17)
	LANE(X29, 56, X23)
	CHI(X4, X5, X11, X17, X23)
	LANE(X27, 62, X2)
	LANE(X29, 55, X8)
	LANE(X25, 39, X14)
	LANE(X30, 41, X15)
	LANE(X31, 2, X21)
	CHI(X2, X8, X14, X15, X21)

	// Pi: one cycle through 24 lanes. Moves between registers cost next to
	// nothing; unrolling the rounds to save them is not faster.
	VMOVDQA64 X1, X25
	VMOVDQA64 X6, X1
	VMOVDQA64 X9, X6
	VMOVDQA64 X22, X9
	VMOVDQA64 X14, X22
	VMOVDQA64 X20, X14
	VMOVDQA64 X2, X20
	VMOVDQA64 X12, X2
	VMOVDQA64 X13, X12
	VMOVDQA64 X19, X13
	VMOVDQA64 X23, X19
	VMOVDQA64 X15, X23
	VMOVDQA64 X4, X15
	VMOVDQA64 X24, X4
	VMOVDQA64 X21, X24
	VMOVDQA64 X8, X21
	VMOVDQA64 X16, X8
	VMOVDQA64 X5, X16
	VMOVDQA64 X3, X5
	VMOVDQA64 X18, X3
	VMOVDQA64 X17, X18
	VMOVDQA64 X11, X17
	VMOVDQA64 X7, X11
	VMOVDQA64 X10, X7
	VMOVDQA64 X25, X10

	ADDQ $8, R9
	DECQ AX
	JNZ  round
	JMP  block

done:
	VMOVQ X0, 0(DI)
	VMOVQ X1, 8(DI)
	VMOVQ X2, 16(DI)
	VMOVQ X3, 24(DI)
	VMOVQ X4, 32(DI)
	VMOVQ X5, 40(DI)
	VMOVQ X6, 48(DI)
	VMOVQ X7, 56(DI)
	VMOVQ X8, 64(DI)
	VMOVQ X9, 72(DI)
	VMOVQ X10, 80(DI)
	VMOVQ X11, 88(DI)
	VMOVQ X12, 96(DI)
	VMOVQ X13, 104(DI)
	VMOVQ X14, 112(DI)
	VMOVQ X15, 120(DI)
	VMOVQ X16, 128(DI)
	VMOVQ X17, 136(DI)
	VMOVQ X18, 144(DI)
	VMOVQ X19, 152(DI)
	VMOVQ X20, 160(DI)
	VMOVQ X21, 168(DI)
	VMOVQ X22, 176(DI)
	VMOVQ X23, 184(DI)
	VMOVQ X24, 192(DI)
	VZEROUPPER
	RET
