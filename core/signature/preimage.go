package signature

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"

	"github.com/tuttinode/tutti/core/keccak"
)

// Request returns what a gateway signs (NodeSign) when it asks an orchestrator for
// its terms: its own address as text in EIP-55 mixed case.
func Request(sender common.Address) []byte { return []byte(sender.Hex()) }

// ProfileID returns a profile's form in a segment's signature: the first four
// bytes of the keccak of its name.
func ProfileID(name string) [4]byte {
	h := keccak.Sum([]byte(name))
	return [4]byte(h[:4])
}

// Segment returns what a gateway signs (NodeSign) with each segment: manifest,
// number, hash and the profiles' names in order. The names are those on the
// wire, as received. Nothing else about the segment is signed.
func Segment(manifest core.ManifestID, number core.SegmentNumber, hash [keccak.Size]byte, names []string) []byte {
	out := make([]byte, 0, len(manifest)+2*keccak.Size+8*len(names))
	out = append(out, manifest...)
	// A 32-byte number, of which a segment number fills the last eight. The
	// network writes a negative number as its amount.
	amount := uint64(number)
	if number < 0 {
		amount = -amount
	}
	out = append(out, make([]byte, keccak.Size-8)...)
	out = binary.BigEndian.AppendUint64(out, amount)
	out = append(out, hash[:]...)
	for _, name := range names {
		id := ProfileID(name)
		out = hex.AppendEncode(out, id[:])
	}
	return out
}

// ProfileNames lists the names of profiles, for Segment.
func ProfileNames(profiles []core.Profile) []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}

// Result returns what an orchestrator signs (EthSign) with a result: the keccak of
// the renditions' hashes in profile order.
func Result(hashes [][keccak.Size]byte) [keccak.Size]byte {
	h := keccak.New()
	for i := range hashes {
		h.Write(hashes[i][:])
	}
	var out [keccak.Size]byte
	h.Sum(out[:0])
	return out
}
