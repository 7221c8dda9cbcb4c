package signature

import (
	"encoding/binary"
	"hash"

	"golang.org/x/sys/cpu"

	"github.com/ethereum/go-ethereum/crypto/keccak"
)

// Segments are hashed on the way of every job, so this is worth its own code:
// where the CPU has AVX-512VL it is half as fast again as the best
// library. See BenchmarkHash.

// NewKeccak256 returns a streaming keccak-256, Ethereum's, as fast as this machine
// allows. Write never fails. It is not for use by several goroutines at once.
func NewKeccak256() hash.Hash {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL {
		return new(sponge)
	}
	return keccak.NewLegacyKeccak256()
}

// rate is the number of bytes that one permutation takes in.
const rate = 136

// maxBlocks bounds one call of the assembly, which the Go scheduler cannot
// interrupt, to about 0.1 ms.
const maxBlocks = 512

// sponge is a keccak-256 in progress.
type sponge struct {
	state [25]uint64
	// buf holds the n bytes of a block that is not full.
	buf [rate]byte
	n   int
}

// absorbAVX512 takes in n blocks of rate bytes.
//
//go:noescape
func absorbAVX512(state *[25]uint64, blocks *byte, n int, constants *[24]uint64)

// Write takes in p.
func (s *sponge) Write(p []byte) (int, error) {
	written := len(p)
	if s.n > 0 {
		k := copy(s.buf[s.n:], p)
		s.n += k
		p = p[k:]
		if s.n < rate {
			return written, nil
		}
		absorbAVX512(&s.state, &s.buf[0], 1, &roundConstants)
		s.n = 0
	}
	for len(p) >= rate {
		blocks := min(len(p)/rate, maxBlocks)
		absorbAVX512(&s.state, &p[0], blocks, &roundConstants)
		p = p[blocks*rate:]
	}
	s.n = copy(s.buf[:], p)
	return written, nil
}

// Keccak256 appends the hash of what was written so far; more may be written after.
func (s *sponge) Sum(in []byte) []byte {
	last := *s
	clear(last.buf[last.n:])
	// Keccak's padding as Ethereum has it: a one, zeros, a one.
	last.buf[last.n] = 0x01
	last.buf[rate-1] |= 0x80
	absorbAVX512(&last.state, &last.buf[0], 1, &roundConstants)
	for _, word := range last.state[:HashSize/8] {
		in = binary.LittleEndian.AppendUint64(in, word)
	}
	return in
}

// Reset forgets what was written.
func (s *sponge) Reset() { *s = sponge{} }

// HashSize returns the length of the hash.
func (s *sponge) Size() int { return HashSize }

// BlockSize returns the number of bytes that one permutation takes in.
func (s *sponge) BlockSize() int { return rate }

// roundConstants are those of Keccak-f[1600]. Read-only.
var roundConstants = [24]uint64{
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
}
